// Memory that is taken and given back in a stream's order.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
__global__ void set(int* p, int v) { p[threadIdx.x] = v; }
__global__ void sum(int const* p, int* out) { atomicAdd(out, p[threadIdx.x]); }
int main() {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    int* out;
    OK(cudaMallocManaged(&out, 4));
    *out = 0;
    for (int i = 0; i < 50; ++i) {
        int* p;
        OK(cudaMallocAsync(&p, 64 * sizeof(int), s));
        set<<<1, 64, 0, s>>>(p, i);
        sum<<<1, 64, 0, s>>>(p, out);
        OK(cudaFreeAsync(p, s));
    }
    OK(cudaStreamSynchronize(s));
    CHECK(*out == 64 * 1225);
    return result();
}
