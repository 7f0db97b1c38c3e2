// What the three files of the linked program share: a class hierarchy, functions, variables and a template.
#pragma once

struct Shape {
    __device__ explicit Shape(int n) : size(n) {}
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const;
    int size;
};

using Operation = int (*)(int, int);

extern __device__ Operation const operations[4];
extern __device__ int counters[4];
extern __device__ int* const last_counter;   // &counters[3]
extern __constant__ int weights[3];

__device__ Shape* make_square(void* memory, int n);
__device__ Shape* make_triangle(void* memory, int n);
__device__ int subtract(int a, int b);
__device__ int seed(int i);

// Both files that use it have a copy: one of them is kept.
template <class T>
__device__ __noinline__ T mix(T a, T b) {
    return a * 31 + b;
}
