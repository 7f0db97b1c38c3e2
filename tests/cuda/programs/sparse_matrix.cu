// A sparse matrix times a vector: a thread a row, a warp a row; and conjugate gradients on it.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cmath>
#include <vector>

struct Matrix {
    int n;
    int const *begin, *column;
    double const* value;
};
__global__ void thread_rows(Matrix m, double const* x, double* y) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m.n) return;
    double sum = 0;
    for (int i = m.begin[row]; i < m.begin[row + 1]; ++i) sum += m.value[i] * x[m.column[i]];
    y[row] = sum;
}
__global__ void warp_rows(Matrix m, double const* x, double* y) {
    int const row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= m.n) return;
    double sum = 0;
    for (int i = m.begin[row] + lane; i < m.begin[row + 1]; i += 32) sum += m.value[i] * x[m.column[i]];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
__global__ void dot(double const* a, double const* b, double* out, int n) {
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
__global__ void step(double* x, double* r, double const* p, double const* ap, double alpha, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] += alpha * p[i];
    r[i] -= alpha * ap[i];
}
__global__ void turn(double* p, double const* r, double beta, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = r[i] + beta * p[i];
}

template <class T>
T* managed(std::size_t n) {
    T* p = nullptr;
    OK(cudaMallocManaged(&p, n * sizeof(T)));
    return p;
}

int main() {
    int const side = 16, n = side * side;      // a plate of 16 x 16 points
    std::vector<int> columns;
    std::vector<double> values;
    int* const begin = managed<int>(n + 1);
    for (int i = 0; i < n; ++i) {
        begin[i] = static_cast<int>(columns.size());
        auto const add = [&](int j, double v) {
            columns.push_back(j);
            values.push_back(v);
        };
        if (i >= side) add(i - side, -1);
        if (i % side > 0) add(i - 1, -1);
        add(i, 4);
        if (i % side < side - 1) add(i + 1, -1);
        if (i < n - side) add(i + side, -1);
    }
    begin[n] = static_cast<int>(columns.size());
    int* const column = managed<int>(columns.size());
    double* const value = managed<double>(values.size());
    std::copy(columns.begin(), columns.end(), column);
    std::copy(values.begin(), values.end(), value);
    Matrix const m{n, begin, column, value};

    double *x = managed<double>(n), *r = managed<double>(n), *p = managed<double>(n), *ap = managed<double>(n), *sum = managed<double>(1);
    double* const other = managed<double>(n);
    for (int i = 0; i < n; ++i) p[i] = r[i] = i % 5 + 1;
    thread_rows<<<(n + 63) / 64, 64>>>(m, p, ap);
    warp_rows<<<(n * 32 + 127) / 128, 128>>>(m, p, other);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        double wanted = 0;
        for (int k = begin[i]; k < begin[i + 1]; ++k) wanted += value[k] * p[column[k]];
        CHECK(ap[i] == wanted && other[i] == wanted);
    }
    auto const product = [&](double const* a, double const* b) {
        *sum = 0;
        dot<<<2, 128>>>(a, b, sum, n);
        OK(cudaDeviceSynchronize());
        return *sum;
    };
    double rr = product(r, r);
    int steps = 0;
    for (; rr > 1e-16 && steps < 200; ++steps) {
        warp_rows<<<(n * 32 + 127) / 128, 128>>>(m, p, ap);
        double const alpha = rr / product(p, ap);
        step<<<(n + 127) / 128, 128>>>(x, r, p, ap, alpha, n);
        double const next = product(r, r);
        turn<<<(n + 127) / 128, 128>>>(p, r, next / rr, n);
        rr = next;
    }
    OK(cudaDeviceSynchronize());
    CHECK(steps < 100);
    for (int i = 0; i < n; ++i) {
        double left = 0;
        for (int k = begin[i]; k < begin[i + 1]; ++k) left += value[k] * x[column[k]];
        CHECK(std::abs(left - (i % 5 + 1)) < 1e-6);
    }
    return result();
}
