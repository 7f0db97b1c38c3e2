// Functions as values: tables of them, pointers that the host reads and passes back, classes with virtual functions.
#include "check.hpp"

using Function = float (*)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ __noinline__ float power(float a, float b) { return b < 0.5f ? 1.0f : a * power(a, b - 1.0f); }
__device__ Function const table[] = {add, multiply, power};
__device__ Function chosen = multiply;

__global__ void by_table(float* out, float const* a, float const* b) { out[threadIdx.x] = table[threadIdx.x % 3](a[threadIdx.x], b[threadIdx.x]); }
__global__ void by_pointer(Function f, float* out, float const* a, float const* b) { out[threadIdx.x] = f(a[threadIdx.x], b[threadIdx.x]); }

class Shape {
public:
    __device__ explicit Shape(float scale) : scale_(scale) {}
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
    __device__ float scaled() const { return scale_ * area(); }

private:
    float scale_;
};
class Square : public Shape {
public:
    __device__ Square(float scale, float side) : Shape(scale), side_(side) {}
    __device__ float area() const override { return side_ * side_; }
    __device__ int corners() const override { return 4; }

protected:
    float side_;
};
class Triangle : public Shape {
public:
    __device__ Triangle(float scale, float base, float height) : Shape(scale), base_(base), height_(height) {}
    __device__ float area() const override { return 0.5f * base_ * height_; }
    __device__ int corners() const override { return 3; }

private:
    float base_, height_;
};
class Hole : public Square {
public:
    __device__ Hole(float scale, float side, int* count) : Square(scale, side), count_(count) {}
    __device__ ~Hole() override { atomicAdd(count_, 1); }
    __device__ float area() const override { return -Square::area(); }

private:
    int* count_;
};

__global__ void make(Shape** shapes, int* destroyed, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const scale = static_cast<float>(i);
    if (i % 3 == 0) shapes[i] = new Square(scale, 2.0f);
    if (i % 3 == 1) shapes[i] = new Triangle(scale, 3.0f, 5.0f);
    if (i % 3 == 2) shapes[i] = new Hole(scale, 3.0f, destroyed);
}
__global__ void measure(Shape* const* shapes, float* areas, int* corners, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    areas[i] = shapes[i]->scaled();
    corners[i] = shapes[i]->corners();
}
__global__ void destroy(Shape* const* shapes, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) delete shapes[i];
}

int main() {
    float *out, *a, *b;
    OK(cudaMallocManaged(&out, 64 * 4));
    OK(cudaMallocManaged(&a, 64 * 4));
    OK(cudaMallocManaged(&b, 64 * 4));
    auto const wanted = [&](int which, int i) {
        if (which == 0) return a[i] + b[i];
        float power = 1;
        for (int k = 0; k < static_cast<int>(b[i]); ++k) power *= a[i];
        return which == 1 ? a[i] * b[i] : power;
    };
    for (int i = 0; i < 64; ++i) a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
    by_table<<<1, 64>>>(out, a, b);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) CHECK(out[i] == wanted(i % 3, i));
    Function f = nullptr;
    OK(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    by_pointer<<<1, 64>>>(f, out, a, b);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) CHECK(out[i] == wanted(1, i));
    OK(cudaMemcpyFromSymbol(&f, table, sizeof f, 2 * sizeof f));
    by_pointer<<<1, 64>>>(f, out, a, b);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) CHECK(out[i] == wanted(2, i));

    int const n = 100;
    Shape** shapes;
    int *corners, *destroyed;
    float* areas;
    OK(cudaMalloc(&shapes, n * sizeof *shapes));
    OK(cudaMallocManaged(&areas, n * 4));
    OK(cudaMallocManaged(&corners, n * 4));
    OK(cudaMallocManaged(&destroyed, 4));
    make<<<2, 64>>>(shapes, destroyed, n);
    measure<<<2, 64>>>(shapes, areas, corners, n);
    destroy<<<2, 64>>>(shapes, n);
    OK(cudaDeviceSynchronize());
    float const area[] = {4.0f, 7.5f, -9.0f};
    int const corner[] = {4, 3, 4};
    for (int i = 0; i < n; ++i) CHECK(areas[i] == static_cast<float>(i) * area[i % 3] && corners[i] == corner[i % 3]);
    CHECK(*destroyed == 33);
    return result();
}
