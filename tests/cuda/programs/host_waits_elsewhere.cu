// What the host has waited for on one device is over for the other devices, too, and so is what that has followed.
// exec: --devices 2 --check=race
#include "check.hpp"

__global__ void fill(int* p, int v) { p[threadIdx.x] = v; }

int main() {
    int* p[2];
    cudaStream_t first, second, elsewhere;
    cudaEvent_t filled;
    for (int d = 0; d < 2; ++d) {
        OK(cudaSetDevice(d));
        OK(cudaMalloc(&p[d], 64 * 4));
    }
    OK(cudaStreamCreateWithFlags(&elsewhere, cudaStreamNonBlocking));
    OK(cudaSetDevice(0));
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaEventCreate(&filled));
    fill<<<1, 64, 0, first>>>(p[0], 1);
    OK(cudaEventRecord(filled, first));
    OK(cudaStreamWaitEvent(elsewhere, filled, 0));
    OK(cudaSetDevice(1));
    fill<<<1, 64, 0, elsewhere>>>(p[1], 2);
    OK(cudaStreamSynchronize(elsewhere));
    OK(cudaSetDevice(0));
    fill<<<1, 64, 0, second>>>(p[0], 3);
    int value = 0;
    OK(cudaStreamSynchronize(second));
    OK(cudaMemcpy(&value, p[0] + 63, 4, cudaMemcpyDeviceToHost));
    CHECK(value == 3);
    return result();
}
