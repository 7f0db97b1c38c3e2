// A sparse matrix times a vector, a row a thread.
extern "C" __global__ void sparse_rows(int n, int const* rows, int const* columns, float const* values, float const* x,
                                       float* y) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0.0f;
    for (int i = rows[row]; i < rows[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
}
