// ptx: driver_kernels_part.cu
// compile: -lpthread
// Eight host threads that load modules, allocate, launch and copy at once.
#include "check_driver.h"
#include <pthread.h>

static CUcontext context;
static const char* path;

static void* work(void* number) {
    enum { n = 64, rounds = 20 };
    int base = (int)(size_t)number, host[n], count = n;
    CUmodule module;
    CUfunction reverse;
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoad(&module, path));
    OK(cuModuleGetFunction(&reverse, module, "reverse"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int round = 0; round < rounds; ++round) {
        CUdeviceptr memory;
        OK(cuMemAlloc(&memory, sizeof host));
        for (int i = 0; i < n; ++i) host[i] = 1000 * base + i;
        OK(cuMemcpyHtoDAsync(memory, host, sizeof host, stream));
        void* arguments[] = {&memory, &count};
        OK(cuLaunchKernel(reverse, 1, 1, 1, n, 1, 1, sizeof host, stream, arguments, NULL));
        OK(cuMemcpyDtoHAsync(host, memory, sizeof host, stream));
        OK(cuStreamSynchronize(stream));
        for (int i = 0; i < n; ++i) CHECK(host[i] == 1000 * base + n - 1 - i);
        OK(cuMemFree(memory));
    }
    OK(cuStreamDestroy(stream));
    OK(cuModuleUnload(module));
    return NULL;
}

int main(int argc, char** argv) {
    pthread_t threads[8];
    if (argc < 2) return 2;
    path = argv[1];
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    for (size_t i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (size_t i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
    return result();
}
