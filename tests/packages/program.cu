// A CUDA program as users have them: doubles an array. An argument makes it write that many elements into its thousand.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void twice(int* values, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= 2;
}

int main(int argc, char** argv) {
    int const there = 1000, count = argc > 1 ? std::atoi(argv[1]) : there;
    std::vector<int> values(there);
    for (int i = 0; i < there; ++i) values[i] = i;
    int* device = nullptr;
    cudaMalloc(&device, there * sizeof(int));
    cudaMemcpy(device, values.data(), there * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<(count + 255) / 256, 256>>>(device, count);
    cudaError_t const status = cudaMemcpy(values.data(), device, there * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    if (status != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(status));
        return 1;
    }
    for (int i = 0; i < there; ++i)
        if (values[i] != 2 * i) return 2;
    std::printf("%d elements are right\n", there);
    return 0;
}
