// A process may fork before it first calls CUDA, and both may then use it.
#include "check.hpp"
#include <sys/wait.h>
#include <unistd.h>
__global__ void one(int* p) { *p = 1; }
static int use() {
    int* p;
    int n = 0;
    OK(cudaMalloc(&p, 4));
    one<<<1, 1>>>(p);
    OK(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost));
    CHECK(n == 1);
    return result();
}
int main() {
    pid_t const child = fork();
    if (child == 0) return use();
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    return use();
}
