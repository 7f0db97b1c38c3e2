// Device variables and constants by their host names.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
__device__ int counters[4] = {1, 2, 3, 4};
__constant__ float weights[3];
__global__ void use(float* out) {
    atomicAdd(&counters[threadIdx.x & 3], 10);
    if (threadIdx.x < 3) out[threadIdx.x] = weights[threadIdx.x] * 2;
}
int main() {
    float const w[3] = {1.5f, 2.5f, 3.5f};
    OK(cudaMemcpyToSymbol(weights, w, sizeof w));
    float* out;
    OK(cudaMalloc(&out, sizeof w));
    use<<<1, 32>>>(out);
    int c[4];
    OK(cudaMemcpyFromSymbol(c, counters, sizeof c));
    for (int i = 0; i < 4; ++i) CHECK(c[i] == i + 1 + 80);
    int one = -7;
    OK(cudaMemcpyToSymbol(counters, &one, sizeof one, 8));
    OK(cudaMemcpyFromSymbol(&one, counters, sizeof one, 8));
    CHECK(one == -7);
    float r[3];
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; ++i) CHECK(r[i] == 2 * w[i]);
    void* address;
    std::size_t size;
    OK(cudaGetSymbolAddress(&address, counters));
    OK(cudaGetSymbolSize(&size, counters));
    CHECK(size == sizeof c);
    int direct[4];
    OK(cudaMemcpy(direct, address, sizeof direct, cudaMemcpyDeviceToHost));
    CHECK(direct[2] == -7);
    IS(cudaMemcpyToSymbol(counters, c, sizeof c, 4), cudaErrorInvalidValue);
    IS(cudaGetSymbolSize(&size, &one), cudaErrorInvalidSymbol);
    return result();
}
