// Work in chunks over several streams: copies in, kernels, copies out, in order within each; events between streams.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <vector>

__global__ void step(int* p, int n, int factor) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = p[i] * factor + i;
}

int main() {
    int const streams = 4, chunk = 5000, rounds = 3, n = streams * chunk;
    int *in, *out, *d;
    OK(cudaMallocHost(&in, n * 4));
    OK(cudaHostAlloc(&out, n * 4, cudaHostAllocDefault));
    OK(cudaMalloc(&d, n * 4));
    cudaStream_t s[streams];
    cudaEvent_t begin, end, done[streams];
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    for (int i = 0; i < streams; ++i) {
        OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        OK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    }
    for (int i = 0; i < n; ++i) in[i] = i % 100;
    OK(cudaEventRecord(begin, s[0]));
    for (int i = 0; i < streams; ++i) {
        OK(cudaMemcpyAsync(d + i * chunk, in + i * chunk, chunk * 4, cudaMemcpyHostToDevice, s[i]));
        for (int r = 0; r < rounds; ++r) step<<<4, 128, 0, s[i]>>>(d + i * chunk, chunk, r + 2);
        OK(cudaMemcpyAsync(out + i * chunk, d + i * chunk, chunk * 4, cudaMemcpyDeviceToHost, s[i]));
        OK(cudaEventRecord(done[i], s[i]));
    }
    for (int i = 1; i < streams; ++i) OK(cudaStreamWaitEvent(s[0], done[i], 0));
    OK(cudaEventRecord(end, s[0]));
    OK(cudaEventSynchronize(end));
    for (int i = 0; i < streams; ++i) IS(cudaEventQuery(done[i]), cudaSuccess);
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0);
    IS(cudaEventElapsedTime(&ms, begin, done[1]), cudaErrorInvalidResourceHandle);
    for (int i = 0; i < n; ++i) {
        int v = in[i];
        for (int r = 0; r < rounds; ++r) v = v * (r + 2) + i % chunk;
        CHECK(out[i] == v);
    }
    cudaGetLastError();
    for (int i = 0; i < streams; ++i) OK(cudaStreamDestroy(s[i]));
    OK(cudaFreeHost(in));
    OK(cudaFreeHost(out));
    return result();
}
