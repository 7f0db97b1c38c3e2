// One step of a stencil of seven points over size^3 cells; those at the surface stay.
extern "C" __global__ void seven_points(int size, float centre, float side, float const* in, float* out) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    int const layer = size * size, i = z * layer + y * size + x;
    if (x >= size || y >= size) return;
    if (x == 0 || y == 0 || z == 0 || x == size - 1 || y == size - 1 || z == size - 1) {
        out[i] = in[i];
        return;
    }
    float const sides = in[i - 1] + in[i + 1] + in[i - size] + in[i + size] + in[i - layer] + in[i + layer];
    out[i] = centre * in[i] + side * sides;
}
