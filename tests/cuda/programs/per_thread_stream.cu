// compile: -default-stream per-thread
// <<<>>> and copies in the calling thread's own stream.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <thread>
__global__ void set(int* p, int v) { *p = v; }
int main() {
    int* p;
    OK(cudaMallocManaged(&p, 8));
    std::thread other([&] {
        set<<<1, 1>>>(p + 1, 2);
        OK(cudaStreamSynchronize(0));
    });
    set<<<1, 1>>>(p, 1);
    int first = 0;
    OK(cudaMemcpy(&first, p, 4, cudaMemcpyDefault));
    CHECK(first == 1);
    other.join();
    CHECK(p[1] == 2);
    return result();
}
