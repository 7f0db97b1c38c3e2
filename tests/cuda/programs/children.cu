// Dynamic parallelism: kernels that launch kernels, in streams of their own, at once, and behind themselves.
// exec: --mode functional --threads 1
// exec: --threads 4
// exec: --mode timing --config v100 -q
// exec: --check=memory,race,init,sync --suppressions children.suppressions
// compile: -rdc=true
#include "check.hpp"
#include <cstring>
#include <vector>

struct Step {
    int factor;
    double term;
    char name;
};
__global__ void scale(int* p, Step step, char wanted, int n) {
    int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n && step.name == wanted) p[i] = p[i] * step.factor + static_cast<int>(step.term);
}

// In one stream: in order. (x * 3 + 1) * 5 + 2 is no sum of the two in another order.
__global__ void in_order(int* p, int n) {
    if (threadIdx.x != 0) return;
    scale<<<(n + 63) / 64, 64>>>(p, Step{3, 1.5, 'a'}, 'a', n);
    scale<<<(n + 63) / 64, 64>>>(p, Step{5, 2.25, 'b'}, 'b', n);
}

// A stream and an event of its own, a copy and a fill between kernels.
__global__ void with_stream(int* p, int n, int* status) {
    cudaStream_t stream, other;
    cudaEvent_t event;
    status[0] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    status[1] = cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    status[2] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    scale<<<1, 64, 0, stream>>>(p, Step{2, 0, 'c'}, 'c', n);
    status[3] = cudaMemcpyAsync(p + n, p, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    status[4] = cudaEventRecord(event, stream);
    status[5] = cudaStreamWaitEvent(other, event, 0);
    status[6] = cudaMemsetAsync(p, 1, n * sizeof(int), other);
    scale<<<1, 64, 0, other>>>(p, Step{1, 1, 'd'}, 'd', n);
    status[7] = cudaEventDestroy(event);
    status[8] = cudaStreamDestroy(stream);
    status[9] = cudaStreamDestroy(other);
    status[10] = cudaStreamDestroy(other);      // a second time
}

__global__ void write_flag(int* p, int value) { *p = *p * 10 + value; }

// What is launched into the tail comes after all else, with its own children; fire-and-forget ones come with the grid.
__global__ void branch(int* p) { write_flag<<<1, 1>>>(p, 2); }
__global__ void order_of_tail(int* p) {
    write_flag<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 3);
    write_flag<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 4);
    branch<<<1, 1, 0, cudaStreamFireAndForget>>>(p);
    *p = 1;
}

// A loop of the GPU's own: each grid launches the next.
__global__ void countdown(int* n, int* rounds) {
    ++*rounds;
    if (--*n > 0) countdown<<<1, 1, 0, cudaStreamTailLaunch>>>(n, rounds);
}

// A tree of grids, several levels deep: 1 + 2 + 4 + ... leaves add up.
__global__ void tree(int depth, unsigned* sum) {
    atomicAdd(sum, 1u);
    if (depth > 0) tree<<<2, 1>>>(depth - 1, sum);
}
__global__ void nest(int* deepest, int level) {
    atomicMax(deepest, level);
    nest<<<1, 1>>>(deepest, level + 1);
    *(deepest + 1) = cudaGetLastError();
}

// Launches that cannot be: the device says so, and the others go on.
__global__ void bad_launches(int* p, int* status) {
    scale<<<1, 2048>>>(p, Step{1, 1, 'a'}, 'a', 1);
    status[0] = cudaPeekAtLastError();
    status[1] = cudaGetLastError();
    status[2] = cudaGetLastError();
    scale<<<0, 32>>>(p, Step{1, 1, 'a'}, 'a', 1);
    status[3] = cudaGetLastError();
    scale<<<1, 32, 1 << 20>>>(p, Step{1, 1, 'a'}, 'a', 1);
    status[4] = cudaGetLastError();
    scale<<<1, 1>>>(p, Step{0, 7, 'a'}, 'a', 1);
    status[5] = cudaGetLastError();
    char const* const text = cudaGetErrorString(cudaErrorInvalidConfiguration);
    status[6] = text[0] == 'i' && text[1] == 'n' && text[2] == 'v';
    char const* const name = cudaGetErrorName(cudaErrorInvalidValue);
    status[7] = name[0] == 'c' && name[9] == 'I';
}

__global__ void ask(int* out) {
    int value = 0;
    out[0] = cudaGetDevice(&value) == cudaSuccess && value == 0;
    out[1] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess && value == 32;
    cudaFuncAttributes attributes;
    out[2] = cudaFuncGetAttributes(&attributes, scale) == cudaSuccess ? attributes.maxThreadsPerBlock : 0;
    std::size_t limit = 0;
    out[3] = cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess && limit == std::size_t{8} << 20;
    out[4] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, scale, 256, 0) == cudaSuccess ? value : -1;
    out[5] = cudaRuntimeGetVersion(&value) == cudaSuccess ? value : -1;
    void* p = nullptr;
    out[6] = cudaMalloc(&p, 1000) == cudaSuccess && p != nullptr;
    *static_cast<int*>(p) = 77;
    out[7] = *static_cast<int*>(p);
    out[8] = cudaFree(p) == cudaSuccess;
}

int main() {
    int const n = 200;
    int* p = nullptr;
    OK(cudaMallocManaged(&p, 3 * n * sizeof(int)));
    for (int i = 0; i < n; ++i) p[i] = i;
    in_order<<<1, 32>>>(p, n);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(p[i] == (i * 3 + 1) * 5 + 2);

    int* status = nullptr;
    OK(cudaMallocManaged(&status, 64 * sizeof(int)));
    for (int i = 0; i < 64; ++i) p[i] = i;
    with_stream<<<1, 1>>>(p, 64, status);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 10; ++i) CHECK(status[i] == cudaSuccess);
    CHECK(status[10] == cudaErrorInvalidResourceHandle);
    for (int i = 0; i < 64; ++i) CHECK(p[64 + i] == 2 * i && p[i] == 0x01010102);

    *p = 0;
    order_of_tail<<<1, 1>>>(p);
    write_flag<<<1, 1>>>(p, 5);       // the host's next kernel comes after all of them
    OK(cudaDeviceSynchronize());
    CHECK(*p == 12345);

    p[0] = 500;
    p[1] = 0;
    countdown<<<1, 1>>>(p, p + 1);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 0 && p[1] == 500);

    unsigned* sum = nullptr;
    OK(cudaMallocManaged(&sum, 4));
    tree<<<1, 1>>>(6, sum);           // each of 2^k grids' two blocks launches one
    OK(cudaDeviceSynchronize());
    unsigned expected = 1, blocks = 1;
    for (int depth = 0; depth < 6; ++depth) expected += blocks *= 2;
    CHECK(*sum == expected);

    p[0] = p[1] = 0;
    nest<<<1, 1>>>(p, 0);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 24 && p[1] == cudaErrorLaunchMaxDepthExceeded);

    bad_launches<<<1, 1>>>(p, status);
    OK(cudaDeviceSynchronize());
    CHECK(status[0] == cudaErrorInvalidConfiguration && status[1] == cudaErrorInvalidConfiguration && status[2] == cudaSuccess);
    CHECK(status[3] == cudaErrorInvalidConfiguration && status[4] != cudaSuccess && status[5] == cudaSuccess);
    CHECK(status[6] == 1 && status[7] == 1 && p[0] == 7);

    ask<<<1, 1>>>(p);
    OK(cudaDeviceSynchronize());
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, scale));
    int occupancy = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occupancy, scale, 256, 0));
    CHECK(p[0] == 1 && p[1] == 1 && p[2] == attributes.maxThreadsPerBlock && p[3] == 1 && p[4] == occupancy);
    CHECK(p[5] == CUDART_VERSION && p[6] == 1 && p[7] == 77 && p[8] == 1);
    return result();
}
