extern "C" {
__constant__ int scale = 3;
__device__ int total;
__device__ __managed__ int shared_count = 5;
__global__ void add(float const* a, float const* b, float* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
__global__ void multiply(int* values, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= scale;
    atomicAdd(&total, 1);
}
__global__ void reverse(int* values, int n) {
    extern __shared__ int copy[];
    int const i = threadIdx.x;
    if (i < n) copy[i] = values[i];
    __syncthreads();
    if (i < n) values[i] = copy[n - 1 - i];
}
struct Pair {
    char c;
    double d;
};
__global__ void unpack(char c, Pair p, short s, double* out) {
    out[0] = c;
    out[1] = p.c;
    out[2] = p.d;
    out[3] = s;
}
}
