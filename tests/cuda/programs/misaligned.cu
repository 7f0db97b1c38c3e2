// A misaligned access has its own number.
#include "check.hpp"
__global__ void load(char* p, int* out) { *out = *reinterpret_cast<int*>(p + 1); }
int main() {
    char* p;
    OK(cudaMalloc(&p, 64));
    load<<<1, 1>>>(p, reinterpret_cast<int*>(p + 8));
    IS(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
    return result();
}
