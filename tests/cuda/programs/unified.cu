// Managed memory that host and kernels take turns in: advice, prefetch, attributes, large arrays, many streams.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <vector>

__global__ void relax(float* p, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) p[i] = 0.5f * p[i] + 1.0f;
}
__managed__ int rounds = 3;
__managed__ float* root = nullptr;
__global__ void through_variable(int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) root[i] += static_cast<float>(rounds);
    __syncthreads();
    if (threadIdx.x == 0) ++rounds;
}

int main() {
    int const n = 100000;
    float* p;
    OK(cudaMallocManaged(&p, n * 4));
    cudaMemLocation device{}, host{};
    device.type = cudaMemLocationTypeDevice;
    host.type = cudaMemLocationTypeHost;
    OK(cudaMemAdvise(p, n * 4, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemPrefetchAsync(p, n * 4, device, 0, nullptr));
    std::vector<float> wanted(n);
    for (int i = 0; i < n; ++i) p[i] = wanted[i] = static_cast<float>(i % 11);
    for (int r = 0; r < 4; ++r) {
        relax<<<(n + 255) / 256, 256>>>(p, n);
        OK(cudaDeviceSynchronize());
        p[r] += 1.0f;
        for (int i = 1; i < n - 1; ++i) wanted[i] = 0.5f * wanted[i] + 1.0f;
        wanted[r] += 1.0f;
    }
    OK(cudaMemPrefetchAsync(p, n * 4, host, 0, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(p[i] == wanted[i]);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, p + 5));
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == p + 5 && attributes.hostPointer == p + 5);
    root = p;
    through_variable<<<1, 128>>>(n);
    through_variable<<<1, 128>>>(n);
    OK(cudaDeviceSynchronize());
    CHECK(rounds == 5);
    for (int i = 0; i < n; ++i) CHECK(p[i] == wanted[i] + 7.0f);
    cudaStream_t s[3];
    for (auto& one : s) OK(cudaStreamCreate(&one));
    for (int k = 0; k < 3; ++k) relax<<<10, 256, 0, s[k]>>>(p + k * 5000, 2560);
    OK(cudaDeviceSynchronize());
    for (int k = 0; k < 3; ++k) CHECK(p[k * 5000 + 7] == 0.5f * (wanted[k * 5000 + 7] + 7.0f) + 1.0f);
    OK(cudaFree(p));
    return result();
}
