// Iterations until escape, one thread a pixel: neighbouring lanes leave the loop at different times.
extern "C" __global__ void mandelbrot(int* out, int width, int height, float x0, float y0, float dx, float dy,
                                      int max_iterations) {
    int const column = blockIdx.x * blockDim.x + threadIdx.x;
    int const row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) {
        return;
    }
    float const cx = x0 + column * dx;
    float const cy = y0 + row * dy;
    float x = 0.0f;
    float y = 0.0f;
    int i = 0;
    while (x * x + y * y < 4.0f && i < max_iterations) {
        float const next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++i;
    }
    out[row * width + column] = i;
}
