// Calls: noinline, recursive, under divergence, through a pointer, with several parameters and structs by value, and
// with an array in local memory indexed at run time.
struct Polynomial {
    int coefficients[4];
    short shift;
    char sign;
};

__device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ long long evaluate(Polynomial p, int x, long long start) {
    long long value = start;
    for (int k = 0; k < 4; ++k) {
        value = value * x + p.coefficients[k];
    }
    return (value >> p.shift) * p.sign;
}

__device__ __noinline__ Polynomial derivative(Polynomial p) {
    return Polynomial{{0, 3 * p.coefficients[0], 2 * p.coefficients[1], p.coefficients[2]}, p.shift, p.sign};
}

// Each lane of a warp recurses to another depth.
extern "C" __global__ void recursion(unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fibonacci(i % 11);
}

// Two functions under a divergent branch, one of them on the other's result.
extern "C" __global__ void polynomials(Polynomial p, long long start, long long* out) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0) {
        out[i] = evaluate(derivative(p), i, start);
    } else {
        out[i] = evaluate(p, i - 40, start + i);
    }
}

// A stack of 16 numbers in local memory: pushes x's digits in base `base`, then folds them from the top.
extern "C" __global__ void digits(unsigned const* in, unsigned base, unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned stack[32];
    int top = 0;
    for (unsigned rest = in[i]; rest != 0; rest /= base) {
        stack[top++] = rest % base;
    }
    unsigned value = 0;
    for (int k = 0; k < top; ++k) {
        value = value * base + stack[k] + stack[(k * 7 + i) % top];
    }
    out[i] = value;
}

__device__ __noinline__ unsigned sum(unsigned const* values, int count) {
    unsigned total = 0;
    for (int k = 0; k < count; ++k) {
        total += values[k];
    }
    return total;
}

// The addresses of local and of shared memory as generic pointers, to one function that cannot tell them apart.
extern "C" __global__ void generic_pointers(unsigned* out) {
    __shared__ unsigned shared_values[64];
    unsigned local_values[8];
    unsigned const i = threadIdx.x;
    shared_values[i] = i * i;
    for (unsigned k = 0; k < 8; ++k) {
        local_values[(i + k) % 8] = i + 10 * k;
    }
    __syncthreads();
    out[i] = sum(i % 2 == 0 ? local_values : shared_values + i / 8 * 8, 8) + 1000 * sum(local_values + i % 8, 1);
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negate(int x) { return -x; }

using Function = int (*)(int);
__device__ Function const table[3] = {twice, square, negate};

// An indirect call: lanes of one warp call three functions.
extern "C" __global__ void indirect(int* out) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[i % 3](i) + 1;
}
