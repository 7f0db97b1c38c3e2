// exec: --mode functional
// exec: --mode timing --config v100
// What kernels print, in order of the threads, with the host's output around it.
// output: before
// output: thread 0: -7 3.500000 0x2a A text 12345678901
// output: thread 1: -6 3.750000 0x2b B text 12345678901
// output: thread 2: -5 4.000000 0x2c C text 12345678901
// output: 100%
// output: after
#include "check.hpp"
__global__ void show() {
    int const i = static_cast<int>(threadIdx.x);
    printf("thread %d: %d %f 0x%x %c %s %lld\n", i, i - 7, 3.5 + i * 0.25, 42u + i, 'A' + i, "text", 12345678901ll);
    if (i == 0) printf("100%%\n");
}
int main() {
    std::printf("before\n");
    std::fflush(stdout);
    show<<<1, 3>>>();
    OK(cudaDeviceSynchronize());
    std::printf("after\n");
    return result();
}
