// ptx: driver_kernels_part.cu
// exec: --devices 2
// compile: -lpthread
// Contexts: primary ones, stacks, threads, and what ends with them.
#include "check_driver.h"
#include <pthread.h>

static CUcontext shared_context;
static CUdeviceptr shared_memory;

static void* in_thread(void* unused) {
    CUcontext current = (CUcontext)&failures;
    CUdeviceptr memory;
    (void)unused;
    OK(cuCtxGetCurrent(&current));
    CHECK(current == NULL);
    IS(cuMemAlloc(&memory, 100), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxSetCurrent(shared_context));
    OK(cuMemsetD8(shared_memory, 7, 100));
    OK(cuCtxSynchronize());
    return NULL;
}

int main(int argc, char** argv) {
    CUcontext primary, second, own, other, current, popped;
    CUdevice device = -1;
    CUdeviceptr memory, more;
    CUmodule module;
    CUfunction function;
    CUstream stream;
    CUevent event;
    unsigned flags = 99, version = 0;
    int active = -1, count = 0;
    unsigned char bytes[100];
    size_t limit = 0;
    if (argc < 2) return 2;
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 2);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 0 && flags == 0);
    IS(cuDevicePrimaryCtxSetFlags(0, 0x100), CUDA_ERROR_INVALID_VALUE);
    OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuDevicePrimaryCtxRetain(&other, 0));
    CHECK(primary == other && primary != NULL);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 1 && flags == CU_CTX_SCHED_YIELD);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == NULL);
    IS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxSetCurrent((CUcontext)&failures), CUDA_ERROR_INVALID_CONTEXT);

    // A stack: the primary one of each device and one of our own.
    OK(cuCtxPushCurrent(primary));
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuCtxPushCurrent(second));
    OK(cuCtxGetDevice(&device));
    CHECK(device == 1);
    OK(cuCtxCreate(&own, NULL, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == own);
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_BLOCKING_SYNC);
    OK(cuCtxGetApiVersion(own, &version));
    CHECK(version >= 3020);
    OK(cuCtxGetDevice(&device));
    CHECK(device == 0);
    // A client of CUDA 12 asks for what takes one argument, one of CUDA 13 for what also takes a context.
    {
        CUresult (*of_current)(CUdevice*) = NULL;
        CUresult (*of_any)(CUdevice*, CUcontext) = NULL;
        OK(cuGetProcAddress("cuCtxGetDevice", (void**)&of_current, 12000, 0, NULL));
        OK(cuGetProcAddress("cuCtxGetDevice", (void**)&of_any, 13000, 0, NULL));
        CHECK((void*)of_current != (void*)of_any);
        device = -1;
        OK(of_current(&device));
        CHECK(device == 0);
        OK(of_any(&device, second));
        CHECK(device == 1);
        OK(of_any(&device, NULL));
        CHECK(device == 0);
    }
    // No bytes are an error only where no stream orders them.
    {
        CUdeviceptr none = 1;
        OK(cuMemAllocAsync(&none, 0, NULL));
        CHECK(none == 0);
        OK(cuMemFreeAsync(none, NULL));
        IS(cuMemAlloc(&none, 0), CUDA_ERROR_INVALID_VALUE);
    }
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    CHECK(limit >= 4096);
    IS(cuCtxGetLimit(&limit, (CUlimit)77), CUDA_ERROR_UNSUPPORTED_LIMIT);
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
    CUfunc_cache preference;
    OK(cuCtxGetCacheConfig(&preference));
    CHECK(preference == CU_FUNC_CACHE_PREFER_SHARED);
    int least, greatest;
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);

    // What is made in a context ends with it.
    OK(cuMemAlloc(&memory, 100));
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&function, module, "add"));
    OK(cuStreamCreate(&stream, 0));
    OK(cuEventCreate(&event, 0));
    CUcontext of_stream;
    OK(cuStreamGetCtx(stream, &of_stream));
    CHECK(of_stream == own);
    void* context_of_memory = NULL;
    OK(cuPointerGetAttribute(&context_of_memory, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    CHECK(context_of_memory == own);
    CUdeviceptr of_pool;
    CUmemoryPool pool;
    cuuint64_t used = 0;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemAllocAsync(&of_pool, 1000, stream));
    OK(cuCtxDestroy(own));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == second);
    IS(cuCtxDestroy(own), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxPushCurrent(own), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxPopCurrent(&popped));
    CHECK(popped == second);
    IS(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    IS(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    IS(cuModuleGetFunction(&function, module, "add"), CUDA_ERROR_INVALID_HANDLE);
    IS(cuFuncGetAttribute(&count, CU_FUNC_ATTRIBUTE_NUM_REGS, function), CUDA_ERROR_INVALID_HANDLE);
    // Memory of a pool is the device's.
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 1000);
    OK(cuMemsetD8(of_pool, 1, 1000));
    OK(cuMemFreeAsync(of_pool, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0);

    // Threads have a current context of their own; memory is everyone's.
    OK(cuMemAlloc(&shared_memory, 100));
    shared_context = primary;
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    OK(cuMemcpyDtoH(bytes, shared_memory, 100));
    CHECK(bytes[99] == 7);

    // Devices do not reach each other's memory, but copies go between them.
    IS(cuCtxEnablePeerAccess(second, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    IS(cuCtxDisablePeerAccess(second), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cuCtxPushCurrent(second));
    OK(cuMemAlloc(&more, 100));
    OK(cuMemcpyPeer(more, second, shared_memory, primary, 100));
    memset(bytes, 0, sizeof bytes);
    OK(cuMemcpyDtoH(bytes, more, 100));
    CHECK(bytes[50] == 7);
    OK(cuCtxPopCurrent(NULL));
    CUipcMemHandle ipc;
    IS(cuIpcGetMemHandle(&ipc, shared_memory), CUDA_ERROR_NOT_SUPPORTED);

    // With the last release the primary context's memory ends; it can be taken again.
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxRetain(&other, 0));
    CHECK(other == primary);
    OK(cuCtxSetCurrent(other));
    IS(cuMemFree(shared_memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAlloc(&memory, 100));
    OK(cuDevicePrimaryCtxReset(0));
    IS(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == NULL);
    return result();
}
