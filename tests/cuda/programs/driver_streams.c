// ptx: driver_kernels_part.cu
// Streams from the driver's interface: order, events, host functions, values in memory, per-thread forms, attributes.
#include "check_driver.h"

static void bump(void* p) { ++*(int*)p; }
static void told(CUstream stream, CUresult status, void* p) {
    (void)stream;
    *(int*)p = status == CUDA_SUCCESS ? 100 : -1;
}

typedef CUresult (*MemsetAsync)(CUdeviceptr, unsigned, size_t, CUstream);
typedef CUresult (*Copy)(CUdeviceptr, const void*, size_t);

int main(int argc, char** argv) {
    CUstream first, second, wrong = (CUstream)0x77777;
    CUevent begin, end, never;
    CUdeviceptr words, managed;
    unsigned flags = 0, host[4] = {1, 2, 3, 4};
    int priority = 1, calls = 0, status = 0, device = -1;
    unsigned long long id = 0, other_id = 0;
    float ms = -1;
    if (argc < 2) return 2;
    use_primary();
    IS(cuStreamCreate(&first, 99), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreateWithPriority(&second, CU_STREAM_DEFAULT, -100));
    OK(cuStreamGetFlags(first, &flags));
    CHECK(flags == CU_STREAM_NON_BLOCKING);
    OK(cuStreamGetPriority(second, &priority));
    CHECK(priority == -5);
    OK(cuStreamGetId(first, &id));
    OK(cuStreamGetId(second, &other_id));
    CHECK(id != other_id);
    OK(cuStreamGetDevice(first, &device));
    CHECK(device == 0);
    IS(cuStreamSynchronize(wrong), CUDA_ERROR_INVALID_HANDLE);
    IS(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    IS(cuEventCreate(&never, 0x100), CUDA_ERROR_INVALID_VALUE);
    OK(cuEventCreate(&never, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
    IS(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventQuery(begin));

    OK(cuMemAlloc(&words, sizeof host));
    OK(cuEventRecord(begin, first));
    OK(cuMemsetD32Async(words, 5, 4, first));
    OK(cuLaunchHostFunc(first, bump, &calls));
    OK(cuStreamAddCallback(first, told, &status, 0));
    OK(cuEventRecord(end, first));
    OK(cuStreamWaitEvent(second, end, 0));
    OK(cuMemcpyDtoHAsync(host, words, sizeof host, second));
    OK(cuStreamSynchronize(second));
    CHECK(calls == 1 && status == 100 && host[3] == 5);
    OK(cuEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0);
    IS(cuEventElapsedTime(&ms, begin, never), CUDA_ERROR_INVALID_HANDLE);
    IS(cuLaunchHostFunc(first, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamWaitEvent(first, (CUevent)0x55, 0), CUDA_ERROR_INVALID_HANDLE);

    // A stream waits for what the host, or another stream, writes.
    OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    volatile unsigned* const shared = (volatile unsigned*)managed;
    shared[0] = shared[1] = 0;
    OK(cuStreamWaitValue32(first, managed, 3, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWriteValue32(first, managed + 4, 8, CU_STREAM_WRITE_VALUE_DEFAULT));
    IS(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
    OK(cuStreamWriteValue32(second, managed, 4, 0));
    OK(cuStreamSynchronize(first));
    CHECK(shared[1] == 8);
    OK(cuStreamWaitValue64(first, managed + 64, 0xf0, CU_STREAM_WAIT_VALUE_AND));
    IS(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
    *(volatile unsigned long long*)(managed + 64) = 0x10;
    OK(cuStreamSynchronize(first));
    CUstreamBatchMemOpParams list[3];
    memset(list, 0, sizeof list);
    list[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    list[0].writeValue.address = managed + 8;
    list[0].writeValue.value = 21;
    list[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    list[1].waitValue.address = managed + 8;
    list[1].waitValue.value = 21;
    list[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    list[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    list[2].writeValue.address = managed + 16;
    list[2].writeValue.value64 = 1ull << 40;
    OK(cuStreamBatchMemOp(first, 3, list, 0));
    OK(cuStreamSynchronize(first));
    CHECK(shared[2] == 21 && shared[5] == 1u << 8);
    IS(cuStreamWaitValue32(first, 12, 1, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamWaitValue32(first, managed + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamWriteValue32(first, managed, 1, 8), CUDA_ERROR_INVALID_VALUE);
    list[0].operation = (CUstreamBatchMemOpType)77;
    IS(cuStreamBatchMemOp(first, 1, list, 0), CUDA_ERROR_INVALID_VALUE);

    // The forms for per-thread default streams: not held up by the default stream's own work.
    MemsetAsync own_memset = NULL;
    CUdriverProcAddressQueryResult found;
    OK(cuGetProcAddress("cuMemsetD32Async", (void**)&own_memset, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
    shared[0] = 0;
    OK(cuStreamWaitValue32(first, managed, 9, CU_STREAM_WAIT_VALUE_EQ));
    OK(own_memset(managed + 128, 33, 1, NULL));
    CUresult (*own_synchronize)(CUstream) = NULL;
    OK(cuGetProcAddress("cuStreamSynchronize", (void**)&own_synchronize, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
    OK(own_synchronize(NULL));
    CHECK(shared[32] == 33);
    shared[0] = 9;
    OK(cuStreamSynchronize(first));
    OK(cuMemsetD32Async(managed + 128, 44, 1, CU_STREAM_PER_THREAD));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    CHECK(shared[32] == 44);

    // Attributes; advice about managed memory.
    CUstreamAttrValue value;
    memset(&value, 0, sizeof value);
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    OK(cuStreamSetAttribute(first, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(cuStreamCopyAttributes(second, first));
    memset(&value, 0, sizeof value);
    OK(cuStreamGetAttribute(second, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    CHECK(value.syncPolicy == CU_SYNC_POLICY_YIELD);
    IS(cuStreamGetAttribute(second, (CUstreamAttrID)99, &value), CUDA_ERROR_INVALID_VALUE);
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, nowhere = {CU_MEM_LOCATION_TYPE_DEVICE, 7};
    int answer = -9;
    OK(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    OK(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
    OK(cuMemRangeGetAttribute(&answer, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed, 4096));
    CHECK(answer == 1);
    OK(cuMemRangeGetAttribute(&answer, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, managed, 4096));
    CHECK(answer == 0);
    OK(cuMemRangeGetAttribute(&answer, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, 4096));
    CHECK(answer == CU_DEVICE_INVALID);
    OK(cuMemPrefetchAsync(managed, 4096, here, 0, first));
    OK(cuMemRangeGetAttribute(&answer, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, 4096));
    CHECK(answer == 0);
    IS(cuMemPrefetchAsync(managed, 4096, nowhere, 0, first), CUDA_ERROR_INVALID_DEVICE);
    IS(cuMemPrefetchAsync(words, 16, here, 0, first), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemAdvise(words, 16, CU_MEM_ADVISE_SET_READ_MOSTLY, here), CUDA_ERROR_INVALID_VALUE);

    OK(cuStreamDestroy(first));
    IS(cuStreamDestroy(first), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(begin));
    IS(cuEventRecord(begin, second), CUDA_ERROR_INVALID_HANDLE);
    return result();
}
