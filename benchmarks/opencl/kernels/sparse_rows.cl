kernel void sparse_rows(int n, global int const* rows, global int const* columns, global float const* values,
                        global float const* x, global float* y) {
    int const row = get_global_id(0);
    if (row >= n) return;
    float sum = 0.0f;
    for (int i = rows[row]; i < rows[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
}
