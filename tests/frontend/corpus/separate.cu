// One of several objects: declarations that another one defines.
extern __device__ int counter;
extern __constant__ float scale;
extern __shared__ float dynamic[];
extern __device__ float elsewhere(float x, int n);
__device__ __attribute__((weak)) int replaceable(int x) { return x + 1; }
__device__ float offered(float x) { return elsewhere(x, 3) * scale; }
static __device__ int hidden = 4;

__global__ void kernel(float* out) {
    dynamic[threadIdx.x] = offered(out[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x ^ 1] + static_cast<float>(replaceable(counter) + hidden);
}
