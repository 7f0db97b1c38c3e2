// Templates, lambdas and class hierarchies in device code.
#include "check.hpp"
template <class T, int N>
struct Stack {
    T items[N];
    int size = 0;
    __device__ void push(T v) { items[size++] = v; }
    __device__ T pop() { return items[--size]; }
};
template <class T, class F>
__global__ void transform(T* x, int n, F f) {
    Stack<T, 4> s;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s.push(x[i]);
    s.push(f(x[i]));
    T last = s.pop();
    x[i] = last - s.pop();
}
struct Scale {
    double by;
    __device__ double operator()(double v) const { return v * by; }
};
struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3 * radius * radius; }
};
__global__ void areas(float* out) {
    Square square(static_cast<float>(threadIdx.x));
    Circle circle(static_cast<float>(threadIdx.x));
    Shape const* const shape = threadIdx.x % 2 == 0 ? static_cast<Shape*>(&square) : static_cast<Shape*>(&circle);
    out[threadIdx.x] = shape->area();
}
int main() {
    double* x;
    OK(cudaMallocManaged(&x, 100 * sizeof(double)));
    for (int i = 0; i < 100; ++i) x[i] = i;
    transform<<<1, 128>>>(x, 100, Scale{3.5});
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; ++i) CHECK(x[i] == 2.5 * i);
    float* out;
    OK(cudaMallocManaged(&out, 32 * sizeof(float)));
    areas<<<1, 32>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(out[i] == (i % 2 == 0 ? 1.0f : 3.0f) * i * i);
    return result();
}
