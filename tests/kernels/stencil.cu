// One step of a weighted 5-point stencil; cells outside the grid take the nearest cell inside it.
extern "C" __global__ void stencil(int width, int height, float centre, float side, float const* in, float* out) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float const left = in[y * width + max(x - 1, 0)];
    float const right = in[y * width + min(x + 1, width - 1)];
    float const above = in[max(y - 1, 0) * width + x];
    float const below = in[min(y + 1, height - 1) * width + x];
    out[y * width + x] = centre * in[y * width + x] + side * (left + right + above + below);
}
