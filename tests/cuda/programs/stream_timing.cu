// Streams in timing mode: what several of them were given overlaps in simulated time as it would on hardware, and takes
// the same time in every run.
// exec: --mode timing --config v100 --set sm.count=4 --threads 1
// exec: --mode timing --config v100 --set sm.count=4 --threads 2
// exec: --mode timing --config v100 --set sm.count=4 --threads 2
// same: output
#include "check.hpp"
#include <cstring>
#include <vector>

__global__ void chain(float* p, int n) {
    float x = p[threadIdx.x];
    for (int i = 0; i < n; ++i) x = x * 1.0001f + 0.5f;
    p[threadIdx.x] = x;
}

constexpr int length = 20000;             // a multiply-add takes 4 cycles
constexpr float one_ms = length * 4 / 1.53e6f;
float* p;
cudaStream_t a, b, c;
cudaEvent_t begin, end, done[3];

// Milliseconds from before the work of all three streams until after it.
template <class Submit> float elapsed(Submit&& submit) {
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(begin, a));
    OK(cudaStreamWaitEvent(b, begin, 0));
    OK(cudaStreamWaitEvent(c, begin, 0));
    submit();
    OK(cudaEventRecord(done[1], b));
    OK(cudaEventRecord(done[2], c));
    OK(cudaStreamWaitEvent(a, done[1], 0));
    OK(cudaStreamWaitEvent(a, done[2], 0));
    OK(cudaEventRecord(end, a));
    OK(cudaEventSynchronize(end));
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, begin, end));
    std::printf("%.6f\n", ms);
    return ms;
}

void kernels() {
    float const one = elapsed([] { chain<<<1, 32, 0, a>>>(p, length); });
    CHECK(one > one_ms && one < 2 * one_ms);  // a launch and the calls take their time too
    float const same_stream = elapsed([] {
        for (int i = 0; i < 3; ++i) chain<<<1, 32, 0, a>>>(p, length);
    });
    CHECK(same_stream > 2.5f * one && same_stream < 3.1f * one);
    float const three_streams = elapsed([] {
        chain<<<1, 32, 0, a>>>(p, length);
        chain<<<1, 32, 0, b>>>(p + 32, length);
        chain<<<1, 32, 0, c>>>(p + 64, length);
    });
    CHECK(three_streams < 1.2f * one);
    // The default stream waits for the blocking streams a and b, and they for it; c does not.
    float const around_default = elapsed([] {
        chain<<<1, 32, 0, a>>>(p, length);
        chain<<<1, 32, 0, c>>>(p + 64, 2 * length);
        chain<<<1, 32>>>(p + 96, length);
        chain<<<1, 32, 0, b>>>(p + 32, length);
    });
    CHECK(around_default > 2.5f * one && around_default < 3.2f * one);
}

// CTAs of a more important stream begin first where others end.
void priorities() {
    int least = 0, greatest = 0;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);
    cudaStream_t urgent;
    OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    auto const order = [](cudaStream_t last) {
        constexpr int ctas = 4 * 32;  // as many as have room
        OK(cudaDeviceSynchronize());
        chain<<<2 * ctas, 32, 0, a>>>(p, 2000);
        chain<<<2 * ctas, 32, 0, b>>>(p, 2000);
        OK(cudaEventRecord(done[1], b));
        chain<<<2 * ctas, 32, 0, last>>>(p, 2000);
        OK(cudaEventRecord(done[2], last));
        OK(cudaDeviceSynchronize());
        float ms = 0;
        OK(cudaEventElapsedTime(&ms, done[1], done[2]));
        std::printf("%.6f\n", ms);
        return ms;
    };
    CHECK(order(c) > 0);
    CHECK(order(urgent) < 0);
    OK(cudaStreamDestroy(urgent));
}

// Copies take time on engines of their own, one for each direction.
void copies() {
    constexpr std::size_t bytes = 1 << 20;
    char *to, *from, *locked, *locked_too;
    OK(cudaMalloc(&to, bytes));
    OK(cudaMalloc(&from, bytes));
    OK(cudaMallocHost(&locked, bytes));
    OK(cudaMallocHost(&locked_too, bytes));
    std::vector<char> pageable(bytes, 3);
    std::memset(locked, 5, bytes);
    float const up = elapsed([&] { OK(cudaMemcpyAsync(to, locked, bytes, cudaMemcpyHostToDevice, a)); });
    CHECK(up > 0.080f && up < 0.100f);  // 12 GB/s
    float const down = elapsed([&] { OK(cudaMemcpyAsync(locked_too, from, bytes, cudaMemcpyDeviceToHost, a)); });
    CHECK(down > 0.080f && down < 0.100f);
    float const slow = elapsed([&] { OK(cudaMemcpyAsync(to, pageable.data(), bytes, cudaMemcpyHostToDevice, a)); });
    CHECK(slow > 1.8f * up);
    float const inside = elapsed([&] { OK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, a)); });
    float const fill = elapsed([&] { OK(cudaMemsetAsync(to, 7, bytes, a)); });
    CHECK(fill <= inside && inside < up / 4);
    float const both_ways = elapsed([&] {
        OK(cudaMemcpyAsync(to, locked, bytes, cudaMemcpyHostToDevice, a));
        OK(cudaMemcpyAsync(locked_too, from, bytes, cudaMemcpyDeviceToHost, b));
    });
    CHECK(both_ways < 1.2f * up);
    float const one_way = elapsed([&] {
        OK(cudaMemcpyAsync(to, locked, bytes / 2, cudaMemcpyHostToDevice, a));
        OK(cudaMemcpyAsync(from, locked, bytes / 2, cudaMemcpyHostToDevice, b));
    });
    CHECK(one_way > 0.95f * up && one_way < 1.2f * up);
    float const beside_kernel = elapsed([&] {
        OK(cudaMemcpyAsync(to, locked, bytes, cudaMemcpyHostToDevice, a));
        chain<<<1, 32, 0, b>>>(p, length);
    });
    CHECK(beside_kernel < 1.2f * up);
    char seen = 0;
    OK(cudaMemcpy(&seen, to + bytes - 1, 1, cudaMemcpyDeviceToHost));
    CHECK(seen == 5);
}

// A host that asks until the work is done lets time pass by asking.
void asking() {
    OK(cudaDeviceSynchronize());
    chain<<<1, 32, 0, a>>>(p, length);
    int asked = 0;
    while (cudaStreamQuery(a) == cudaErrorNotReady) ++asked;
    CHECK(asked > 5 && asked < 100);
    std::printf("%d\n", asked);
}

int main() {
    OK(cudaMalloc(&p, 4 * 32 * sizeof(float)));
    OK(cudaMemset(p, 0, 4 * 32 * sizeof(float)));
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
    for (cudaEvent_t* e : {&begin, &end, &done[0], &done[1], &done[2]}) OK(cudaEventCreate(e));
    kernels();
    priorities();
    copies();
    asking();
    return result();
}
