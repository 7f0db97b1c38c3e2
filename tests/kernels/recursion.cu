// Calls that cannot be inlined: the Fibonacci numbers as they are defined, to a depth that differs from lane to lane.
__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursion(unsigned depth, unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fibonacci(depth + i % 4);
}
