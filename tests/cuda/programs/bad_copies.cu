// Copies and fills of memory that is too small, freed or of the host: each is told with what is at the address.
// exec: --check=memory
// status: 1
// error: cudaMemcpy(0x10000000000, 0x
// error: 80 bytes at 0x10000000000, of which the last 16 are past the end of a 64-byte allocation at 0x10000000000
// error: cudaMemset(0x10000000000, 0, 64), called from
// error: inside a freed 64-byte allocation at 0x10000000000
// error: which is memory of the host that CUDA does not know
// error: cannot free 0x10000000000, inside a freed 64-byte allocation at 0x10000000000
// error: 4 findings in 0 launches of 0 kernels; checked: memory
#include <cuda_runtime.h>

int main() {
    char host[128] = {};
    void* memory = nullptr;
    cudaMalloc(&memory, 64);
    cudaMemcpy(memory, host, 64, cudaMemcpyHostToDevice);
    cudaMemcpy(memory, host, 80, cudaMemcpyHostToDevice);
    cudaMemcpy(host, host + 64, 64, cudaMemcpyDeviceToHost);
    cudaFree(memory);
    cudaMemset(memory, 0, 64);
    cudaFree(memory);
    return 0;
}
