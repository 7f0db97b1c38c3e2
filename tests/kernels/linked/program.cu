// The kernels: they call into the other two modules, directly, through tables and through virtual functions.
#include "shapes.cuh"

__device__ int subtract(int a, int b) { return a - b; }

static __device__ __noinline__ int hidden(int a) { return mix(a, 3) + 1000; }
static __device__ int state[2] = {-1, -2};

extern "C" __global__ void shapes(int* out) {
    int const i = threadIdx.x;
    alignas(8) char memory[sizeof(Shape)];
    Shape const* const shape = i % 2 == 0 ? make_square(memory, i) : make_triangle(memory, i);
    out[i] = shape->area() * 10 + shape->corners();
}

extern "C" __global__ void tables(int* out) {
    int const i = threadIdx.x;
    out[i] = operations[i % 4](i, weights[i % 3]);
}

extern "C" __global__ void names(int* out) {
    int const i = threadIdx.x;
    out[i] = hidden(i) + seed(i) + state[i & 1] + *last_counter + counters[i % 4];
}

// A template kernel and a private one: the host finds both.
template <class T>
__global__ void fill(T* out, T value) {
    out[threadIdx.x] = value;
}
template __global__ void fill<int>(int*, int);
