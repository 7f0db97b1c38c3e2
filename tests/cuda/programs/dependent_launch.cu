// compile: -arch=sm_90 -lineinfo
// exec: --check=race,sync --error-exitcode 0
// error: sync: kernel unaware(int*) may begin before early(int*) has ended, which lets it
// error: race: read and write in kernels that overlap
// error: 2 findings (65 times) in 10 launches
// A kernel that is launched so that it may begin early waits for the one before it, if that one lets it begin.
#include "check.hpp"

__global__ void early(int* data) {
    data[threadIdx.x] = 1;
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] += 1;
}
__global__ void ordinary(int* data) { data[threadIdx.x] += 2; }
__global__ void waits(int* data) {
    cudaGridDependencySynchronize();
    data[threadIdx.x] += 4;
}
__global__ void unaware(int* data) { data[threadIdx.x] += 8; }

static void launch_early(void (*kernel)(int*), int* data, bool may_begin = true) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = may_begin ? 1 : 0;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, kernel, data));
}

int main() {
    int* data = nullptr;
    OK(cudaMalloc(&data, 128));
    early<<<1, 32>>>(data);
    launch_early(waits, data);
    launch_early(unaware, data);  // behind one that lets nobody begin
    early<<<1, 32>>>(data);
    launch_early(unaware, data, false);
    early<<<1, 32>>>(data);
    OK(cudaMemset(data, 0, 128));
    launch_early(unaware, data);  // behind something else than a kernel
    ordinary<<<1, 32>>>(data);
    early<<<1, 32>>>(data);
    launch_early(unaware, data);  // this is wrong
    OK(cudaDeviceSynchronize());
    OK(cudaFree(data));
    return result();
}
