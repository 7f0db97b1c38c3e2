// Calls before main() and after it: from constructors and destructors of global objects.
#include "check.hpp"
struct Buffer {
    int* p = nullptr;
    Buffer() { OK(cudaMalloc(&p, 1000)); }
    ~Buffer() {
        if (cudaFree(p) != cudaSuccess) std::_Exit(1);
    }
} buffer;
__global__ void set(int* p) { p[threadIdx.x] = static_cast<int>(threadIdx.x); }
int main() {
    set<<<1, 32>>>(buffer.p);
    int x[32];
    OK(cudaMemcpy(x, buffer.p, sizeof x, cudaMemcpyDeviceToHost));
    CHECK(x[31] == 31);
    return result();
}
