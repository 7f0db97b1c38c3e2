// Built with -lineinfo: a fault tells the line of the source, also of what was inlined.
// compile: -lineinfo
// error: illegal address: 4-byte store to global
// error: block (1,0,0), thread (31,0,0), warp 0 lane 31
// error: lineinfo.cu:9
#include "check.hpp"
__device__ __forceinline__ void put(int* p, int i) {
    // the line that is told
    p[i] = i;
}
__global__ void fill(int* p) {
    int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    put(p, i);
}
int main() {
    int* p;
    OK(cudaMalloc(&p, 63 * 4));
    fill<<<2, 32>>>(p);
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return result();
}
