// Classes whose virtual functions other modules call, and a constant that they read.
#include "shapes.cuh"

#include <new>

__constant__ int weights[3] = {7, 11, 13};

__device__ int Shape::corners() const { return 0; }

struct Square : Shape {
    using Shape::Shape;
    __device__ int area() const override { return size * size; }
    __device__ int corners() const override { return 4; }
};

__device__ Shape* make_square(void* memory, int n) { return new (memory) Square(n); }

// A function of this name is in each module.
static __device__ __noinline__ int hidden(int a) { return mix(a, 2) ^ 0x55; }
static __device__ int state[2] = {100, 200};

__device__ int seed(int i) { return hidden(i) + state[i & 1] + weights[i % 3]; }
