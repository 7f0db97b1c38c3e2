// Option prices with libdevice's exponential, logarithm and error function, in single and double precision.
#include "check.hpp"
#include <cmath>
#include <vector>

template <class T>
__host__ __device__ T normal(T x) { return T(0.5) * erfc(-x * T(0.70710678118654752440)); }

template <class T>
__host__ __device__ void price(T s, T k, T t, T r, T v, T& call, T& put) {
    T const root = sqrt(t);
    T const d1 = (log(s / k) + (r + T(0.5) * v * v) * t) / (v * root), d2 = d1 - v * root;
    T const discount = exp(-r * t);
    call = s * normal(d1) - k * discount * normal(d2);
    put = k * discount * normal(-d2) - s * normal(-d1);
}
template <class T>
__global__ void prices(T const* s, T const* k, T const* t, T* call, T* put, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        price(s[i], k[i], t[i], T(0.02), T(0.3), call[i], put[i]);
    }
}

template <class T>
void check(double tolerance) {
    int const n = 2000;
    T* a[5];
    for (T*& p : a) OK(cudaMallocManaged(&p, n * sizeof(T)));
    for (int i = 0; i < n; ++i) {
        a[0][i] = T(5 + i % 26);
        a[1][i] = T(1 + i % 100);
        a[2][i] = T(0.25 + (i % 40) * 0.25);
    }
    prices<T><<<6, 128>>>(a[0], a[1], a[2], a[3], a[4], n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        double call = 0, put = 0;
        price<double>(a[0][i], a[1][i], a[2][i], double(T(0.02)), double(T(0.3)), call, put);
        CHECK(std::abs(a[3][i] - call) < tolerance);
        CHECK(std::abs(a[4][i] - put) < tolerance);
    }
    for (T* p : a) OK(cudaFree(p));
}

int main() {
    check<float>(1e-4);
    check<double>(1e-12);
    return result();
}
