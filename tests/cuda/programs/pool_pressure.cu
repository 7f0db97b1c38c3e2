// exec: --set memory.global_mib=1024
// exec: --set memory.global_mib=1024 --mode timing --set sm.count=4
// An allocation waits for what streams have still to free before it is out of memory.
#include "check.hpp"

__global__ void fill(unsigned* data, unsigned count, unsigned value) {
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) data[i] = value + i;
}

int main() {
    std::size_t free_bytes = 0, all = 0;
    OK(cudaMemGetInfo(&free_bytes, &all));
    std::size_t const bytes = all / 4 * 3;
    cudaStream_t stream = nullptr;
    OK(cudaStreamCreate(&stream));
    for (unsigned round = 0; round < 5; ++round) {
        unsigned* data = nullptr;
        unsigned back[1000];
        OK(cudaMallocAsync(&data, bytes, stream));
        fill<<<1, 128, 0, stream>>>(data, 100000, round);
        OK(cudaMemcpyAsync(back, data, sizeof back, cudaMemcpyDeviceToHost, stream));
        OK(cudaFreeAsync(data, stream));
        if (round == 3) OK(cudaStreamSynchronize(stream));
        for (unsigned i = 0; round == 3 && i < 1000; ++i) CHECK(back[i] == round + i);
    }
    // The same before an allocation that no stream orders.
    void* data = nullptr;
    OK(cudaMalloc(&data, bytes));
    // What no stream will free stays.
    void* more = nullptr;
    CHECK(cudaMallocAsync(&more, bytes, stream) == cudaErrorMemoryAllocation);
    OK(cudaFree(data));
    OK(cudaStreamDestroy(stream));
    return result();
}
