// What the host's side of a CUDA program costs, in microseconds:
//   nvcc -cudart shared -gencode arch=compute_75,code=compute_75 -o launches launches.cu && warpsim exec -- ./launches
#include <chrono>
#include <cstdio>

__global__ void empty() {}
__global__ void add(int* p) { p[threadIdx.x] += 1; }

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count() * 1e6; }

template <class F>
void tell(char const* what, int count, F&& work) {
    double best = 1e30;
    for (int round = 0; round < 5; ++round) {
        auto const begin = Clock::now();
        for (int i = 0; i < count; ++i) work();
        cudaDeviceSynchronize();
        double const each = since(begin) / count;
        best = each < best ? each : best;
    }
    std::printf("%-36s %9.2f\n", what, best);
}

int main() {
    auto const begin = Clock::now();
    empty<<<1, 32>>>();
    cudaDeviceSynchronize();
    std::printf("%-36s %9.2f\n", "first kernel", since(begin));
    int *p, value;
    cudaMalloc(&p, 4096);
    tell("launch and wait", 2000, [] {
        empty<<<1, 32>>>();
        cudaDeviceSynchronize();
    });
    tell("launches in a row, each", 2000, [] { empty<<<1, 32>>>(); });
    tell("one block of 256 threads", 2000, [&] { add<<<1, 256>>>(p); });
    tell("64 blocks of 256 threads", 500, [&] { add<<<64, 256>>>(p); });
    tell("4 bytes to the host", 2000, [&] { cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost); });
    tell("4 KiB to the device, in a stream", 2000, [&] { cudaMemsetAsync(p, 0, 4096); });
    return 0;
}
