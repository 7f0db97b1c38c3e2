// out = in transposed, through a padded tile so that rows and columns are free of bank conflicts. 32x8 threads.
extern "C" __global__ void transpose(int width, int height, float const* in, float* out) {
    __shared__ float tile[32][33];
    int const x = blockIdx.x * 32 + threadIdx.x;
    int const y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < width && y + j < height) {
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
        }
    }
    __syncthreads();
    int const to_x = blockIdx.y * 32 + threadIdx.x;
    int const to_y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (to_x < height && to_y + j < width) {
            out[(to_y + j) * height + to_x] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}
