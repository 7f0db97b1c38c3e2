kernel void stencil(int width, int height, float centre, float side, global float const* in, global float* out) {
    int const x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float const left = in[y * width + max(x - 1, 0)], right = in[y * width + min(x + 1, width - 1)];
    float const above = in[max(y - 1, 0) * width + x], below = in[min(y + 1, height - 1) * width + x];
    out[y * width + x] = centre * in[y * width + x] + side * (left + right + above + below);
}
