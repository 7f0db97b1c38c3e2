// exec: --error-exitcode 3
// status: 3
// A kernel's assert() that fails has its own number.
#include "check.hpp"
#include <cassert>
__global__ void positive(int const* p) { assert(p[threadIdx.x] > 0); }
int main() {
    int* p;
    OK(cudaMallocManaged(&p, 32 * sizeof(int)));
    for (int i = 0; i < 32; ++i) p[i] = 31 - i;
    positive<<<1, 32>>>(p);
    IS(cudaDeviceSynchronize(), cudaErrorAssert);
    return result();
}
