// exec: --mode timing --config v100
// Events and clocks show simulated time in timing mode: the same in every run.
#include "check.hpp"
__global__ void chain(float* p, long long* cycles, int n) {
    float x = p[threadIdx.x];
    long long const begin = clock64();
    for (int i = 0; i < n; ++i) x = x * 1.0001f + 0.5f;
    cycles[threadIdx.x] = clock64() - begin;
    p[threadIdx.x] = x;
}
int main() {
    float* p;
    long long* cycles;
    OK(cudaMallocManaged(&p, 32 * sizeof(float)));
    OK(cudaMallocManaged(&cycles, 32 * sizeof(long long)));
    for (int i = 0; i < 32; ++i) p[i] = 1;
    cudaEvent_t begin, middle, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&middle));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin));
    chain<<<1, 32>>>(p, cycles, 1000);
    OK(cudaEventRecord(middle));
    long long first = 0;
    OK(cudaMemcpy(&first, cycles, sizeof first, cudaMemcpyDefault));
    chain<<<1, 32>>>(p, cycles, 100000);
    OK(cudaEventRecord(end));
    OK(cudaEventSynchronize(end));
    float one = 0, hundred = 0;
    OK(cudaEventElapsedTime(&one, begin, middle));
    OK(cudaEventElapsedTime(&hundred, middle, end));
    CHECK(first > 4000 && first < 20000);                      // a multiply-add takes 4 cycles on V100
    CHECK(cycles[0] > 80 * first && cycles[0] < 110 * first);  // the first instructions have to be fetched, too
    CHECK(one > 0 && hundred > 20 * one);                      // a launch takes its time too
    std::printf("%lld %.6f\n", cycles[0], hundred);
    return result();
}
