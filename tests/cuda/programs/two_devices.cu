// Two devices: memory, streams, kernels, variables and failures of each by itself; no access to each other's memory.
// exec: --devices 2
#include "check.hpp"
#include <thread>

__device__ int counter;
__global__ void count(int n) { atomicAdd(&counter, n); }
__global__ void fill(int* p, int v) { p[threadIdx.x] = v; }

int main() {
    int devices = 0;
    OK(cudaGetDeviceCount(&devices));
    CHECK(devices == 2);
    IS(cudaSetDevice(2), cudaErrorInvalidDevice);
    cudaGetLastError();
    int* p[2];
    cudaStream_t s[2];
    for (int d = 0; d < 2; ++d) {
        OK(cudaSetDevice(d));
        OK(cudaMalloc(&p[d], 64 * 4));
        OK(cudaStreamCreate(&s[d]));
        cudaPointerAttributes attributes;
        OK(cudaPointerGetAttributes(&attributes, p[d]));
        CHECK(attributes.device == d && attributes.type == cudaMemoryTypeDevice);
        fill<<<1, 64, 0, s[d]>>>(p[d], 10 + d);
        for (int i = 0; i <= d; ++i) count<<<1, 32>>>(1);
        cudaDeviceProp properties;
        OK(cudaGetDeviceProperties(&properties, d));
        CHECK(properties.pciBusID == d + 1);
    }
    CHECK(p[0] != p[1]);
    for (int d = 0; d < 2; ++d) {
        OK(cudaSetDevice(d));
        OK(cudaStreamSynchronize(s[d]));
        int value = 0, v[64];
        OK(cudaMemcpyFromSymbol(&value, counter, 4));      // each device has its own
        CHECK(value == 32 * (d + 1));
        OK(cudaMemcpy(v, p[d], sizeof v, cudaMemcpyDeviceToHost));
        for (int const one : v) CHECK(one == 10 + d);
    }
    int can = 1;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 0);
    IS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    cudaGetLastError();
    // A copy between devices goes without.
    OK(cudaMemcpyPeer(p[1], 1, p[0], 0, 64 * 4));
    int first = 0;
    OK(cudaMemcpy(&first, p[1] + 63, 4, cudaMemcpyDefault));
    CHECK(first == 10);
    // Managed memory is everybody's.
    int* shared;
    OK(cudaMallocManaged(&shared, 64 * 4));
    OK(cudaSetDevice(0));
    fill<<<1, 64>>>(shared, 5);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    fill<<<1, 32>>>(shared, 6);
    OK(cudaDeviceSynchronize());
    CHECK(shared[0] == 6 && shared[63] == 5);
    // A thread begins with device 0.
    std::thread([] {
        int d = -1;
        OK(cudaGetDevice(&d));
        CHECK(d == 0);
    }).join();
    // A kernel of device 1 in memory of device 0 fails there, and only there.
    fill<<<1, 32>>>(p[0], 9);
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaSetDevice(0));
    cudaGetLastError();
    fill<<<1, 64>>>(p[0], 3);
    OK(cudaDeviceSynchronize());
    IS(cudaSetDevice(1), cudaSuccess);
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaDeviceSynchronize());
    return result();
}
