// What the debugger's tests walk through: calls, a loop, divergence, a barrier, variables of all kinds.
__device__ int depth_sum(int n) { return n <= 0 ? 0 : n + depth_sum(n - 1); }
__device__ __noinline__ float scale(float v, int k) {
    float r = v;
    for (int i = 0; i < k; ++i)
        r *= 2.0f;
    return r;
}
struct Pair { int a; float b; };
__constant__ int table[4] = {1, 2, 3, 4};
__device__ Pair global_pair = {7, 1.5f};
__global__ void work(float* out, int const* in, int n) {
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i % n];
    if (threadIdx.x % 3 == 0) {
        v = scale(v, 2);
    } else {
        v += depth_sum(threadIdx.x % 4);
    }
    tile[threadIdx.x] = v;
    __syncthreads();
    out[i] = tile[63 - threadIdx.x] + table[i % 4] + global_pair.a;
}
