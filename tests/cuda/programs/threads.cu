// Eight host threads, each with streams and memory of its own.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <thread>
#include <vector>
__global__ void fill(int* p, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value + i;
}
int main() {
    std::vector<std::thread> threads;
    std::vector<int> wrong(8, 0);
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([t, &wrong] {
            for (int round = 0; round < 20; ++round) {
                int const n = 500 + t;
                int* p;
                cudaStream_t s;
                std::vector<int> back(n);
                if (cudaMalloc(&p, n * sizeof(int)) != cudaSuccess) ++wrong[t];
                if (cudaStreamCreate(&s) != cudaSuccess) ++wrong[t];
                fill<<<(n + 63) / 64, 64, 0, s>>>(p, t * 1000, n);
                if (cudaMemcpyAsync(back.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost, s) != cudaSuccess) ++wrong[t];
                if (cudaStreamSynchronize(s) != cudaSuccess) ++wrong[t];
                for (int i = 0; i < n; ++i) wrong[t] += back[i] != t * 1000 + i;
                if (cudaStreamDestroy(s) != cudaSuccess || cudaFree(p) != cudaSuccess) ++wrong[t];
            }
        });
    }
    for (std::thread& t : threads) t.join();
    for (int w : wrong) CHECK(w == 0);
    return result();
}
