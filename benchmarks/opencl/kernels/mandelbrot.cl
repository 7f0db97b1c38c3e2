kernel void mandelbrot(global int* out, int width, int height, float x0, float y0, float dx, float dy, int most) {
    int const column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height) return;
    float const cx = x0 + column * dx, cy = y0 + row * dy;
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (x * x + y * y < 4.0f && i < most) {
        float const next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++i;
    }
    out[row * width + column] = i;
}
