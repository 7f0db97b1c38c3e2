kernel void saxpy(int n, float a, global float const* x, global float* y) {
    int const i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
