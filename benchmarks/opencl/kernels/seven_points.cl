kernel void seven_points(int size, float centre, float side, global float const* in, global float* out) {
    int const x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int const layer = size * size, i = z * layer + y * size + x;
    if (x >= size || y >= size) return;
    if (x == 0 || y == 0 || z == 0 || x == size - 1 || y == size - 1 || z == size - 1) {
        out[i] = in[i];
        return;
    }
    float const sides = in[i - 1] + in[i + 1] + in[i - size] + in[i + size] + in[i - layer] + in[i + layer];
    out[i] = centre * in[i] + side * sides;
}
