// Algorithms of Thrust with user functors.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct Saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Square {
    __host__ __device__ double operator()(double x) const { return x * x; }
};
struct Later {
    __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

void sort(int* data, int count) { thrust::sort(thrust::device, data, data + count, Later{}); }
void sort_by_key(unsigned long long* keys, int* values, int count) {
    thrust::stable_sort_by_key(thrust::device, keys, keys + count, values);
}
float reduce(float const* data, int count) { return thrust::reduce(thrust::device, data, data + count, 0.0f); }
double norm(double const* data, int count) {
    return thrust::transform_reduce(thrust::device, data, data + count, Square{}, 0.0, thrust::plus<double>());
}
void saxpy(float a, float const* x, float* y, int count) {
    thrust::transform(thrust::device, x, x + count, y, y, Saxpy{a});
}
int* unique(int* data, int count) { return thrust::unique(thrust::device, data, data + count); }
