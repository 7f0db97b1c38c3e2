// Pinned, mapped and registered memory of the host.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <vector>
__global__ void twice(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
int main() {
    int* pinned;
    OK(cudaMallocHost(&pinned, 1000 * sizeof(int)));
    int* mapped;
    OK(cudaHostAlloc(&mapped, 1000 * sizeof(int), cudaHostAllocMapped));
    std::vector<int> own(1000);
    for (int i = 0; i < 1000; ++i) pinned[i] = mapped[i] = own[i] = i;
    OK(cudaHostRegister(own.data(), own.size() * sizeof(int), cudaHostRegisterDefault));
    IS(cudaHostRegister(own.data(), 4, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
    (void)cudaGetLastError();
    for (int* host : {pinned, mapped, own.data()}) {
        int* device;
        OK(cudaHostGetDevicePointer(&device, host, 0));
        twice<<<4, 256>>>(device, 1000);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < 1000; ++i) CHECK(host[i] == 2 * i);
        cudaPointerAttributes a;
        OK(cudaPointerGetAttributes(&a, host));
        CHECK(a.type == cudaMemoryTypeHost);
    }
    IS(cudaHostUnregister(own.data() + 1), cudaErrorInvalidValue);
    OK(cudaHostUnregister(own.data()));
    IS(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
    (void)cudaGetLastError();
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, own.data()));
    CHECK(a.type == cudaMemoryTypeUnregistered && a.device == cudaInvalidDeviceId);
    // Of what is told to be there, no more is given than there is.
    std::size_t const piece = std::size_t{1} << 30;
    std::size_t free_bytes = 0, total = 0, given = 0;
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes <= total);
    std::vector<void*> pieces;
    for (void* memory = nullptr; given <= total && cudaMalloc(&memory, piece) == cudaSuccess; given += piece) pieces.push_back(memory);
    CHECK(given <= total);
    IS(cudaGetLastError(), cudaErrorMemoryAllocation);
    std::size_t less = 0;
    OK(cudaMemGetInfo(&less, &total));
    CHECK(less + given <= total);
    for (void* const memory : pieces) OK(cudaFree(memory));
    OK(cudaFreeHost(pinned));
    OK(cudaFreeHost(mapped));
    return result();
}
