// Work in streams: order within one, events between them, host functions.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <atomic>
__global__ void append(int* log, int* at, int value) { log[(*at)++] = value; }
int main() {
    int *log, *at;
    OK(cudaMallocManaged(&log, 100 * sizeof(int)));
    OK(cudaMallocManaged(&at, sizeof(int)));
    *at = 0;
    cudaStream_t first, second;
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaEvent_t done, begin, end;
    OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin, first));
    for (int i = 0; i < 10; ++i) append<<<1, 1, 0, first>>>(log, at, i);
    OK(cudaEventRecord(done, first));
    OK(cudaStreamWaitEvent(second, done, 0));
    append<<<1, 1, 0, second>>>(log, at, 100);
    OK(cudaStreamSynchronize(second));
    CHECK(*at == 11);
    for (int i = 0; i < 10; ++i) CHECK(log[i] == i);
    CHECK(log[10] == 100);
    OK(cudaEventRecord(end, first));
    OK(cudaEventSynchronize(end));
    OK(cudaEventQuery(end));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms > 0);
    IS(cudaEventElapsedTime(&ms, done, end), cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    static std::atomic<int> seen{0};
    OK(cudaLaunchHostFunc(first, [](void* p) { seen = *static_cast<int*>(p); }, at));
    // It may not wait for the device that waits for it.
    OK(cudaLaunchHostFunc(first, [](void*) {
        IS(cudaDeviceSynchronize(), cudaErrorNotPermitted);
        IS(cudaFree(nullptr), cudaErrorNotPermitted);
    }, nullptr));
    OK(cudaStreamAddCallback(first, [](cudaStream_t, cudaError_t status, void*) { seen += status == cudaSuccess ? 1000 : 0; },
                             nullptr, 0));
    OK(cudaStreamSynchronize(first));
    CHECK(seen == 1011);
    OK(cudaStreamQuery(first));
    OK(cudaStreamDestroy(first));
    IS(cudaStreamSynchronize(first), cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    append<<<1, 1, 0, cudaStreamPerThread>>>(log, at, 5);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(*at == 12);
    OK(cudaStreamDestroy(second));
    OK(cudaEventDestroy(done));
    return result();
}
