// ptx: driver_kernels_part.cu
// The driver's interface from C: devices, a context, a module from a file, memory, launches.
#include "check_driver.h"

static void devices(void) {
    int version = 0, count = 0, value = 0, major = 0, minor = 0;
    CUdevice device;
    char name[64];
    size_t bytes = 0;
    CUuuid uuid;
    OK(cuDriverGetVersion(&version));
    CHECK(version >= 13000);
    IS(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 1);
    OK(cuDeviceGet(&device, 0));
    IS(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    IS(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strlen(name) > 3);
    OK(cuDeviceTotalMem(&bytes, 0));
    CHECK(bytes > 1u << 20);
    OK(cuDeviceGetUuid(&uuid, 0));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    CHECK(value == 32);
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    CHECK(major >= 7);
    IS(cuDeviceGetAttribute(&value, 100000, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceCanAccessPeer(&value, 0, 0));
    CHECK(value == 0);
    (void)minor;
}

static void names(void) {
    const char* text = NULL;
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    CHECK(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    CHECK(strcmp(text, "an illegal memory access was encountered") == 0);
    IS(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    CHECK(text == NULL);
}

static void entry_points(void) {
    void* found = NULL;
    void* other = NULL;
    CUdriverProcAddressQueryResult status;
    const void* table = &found;
    CUuuid id;
    memset(&id, 0, sizeof id);
    OK(cuGetProcAddress("cuMemAlloc", &found, 13000, 0, &status));
    CHECK(found == (void*)&cuMemAlloc && status == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress("cuStreamGetCaptureInfo", &found, 10010, 0, &status));
    OK(cuGetProcAddress("cuStreamGetCaptureInfo", &other, 12030, 0, &status));
    CHECK(found != other && found != NULL && other != NULL);
    OK(cuGetProcAddress("cuMemcpy", &found, 13000, 0, &status));
    OK(cuGetProcAddress("cuMemcpy", &other, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
    CHECK(found != other && other != NULL);
    OK(cuGetProcAddress("cuLibraryLoadData", &found, 11000, 0, &status));
    CHECK(found == NULL && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    OK(cuGetProcAddress("cuNothing", &found, 13000, 0, &status));
    CHECK(found == NULL && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    IS(cuGetProcAddress("cuNothing", &found, 13000, 0, NULL), CUDA_ERROR_NOT_FOUND);
    IS(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
    CHECK(table == NULL);
}

static void kernels(CUmodule module) {
    enum { n = 1000 };
    static float a[n], b[n], out[n];
    CUdeviceptr da, db, dout;
    CUfunction add, multiply, missing;
    int count = n, value = 0;
    for (int i = 0; i < n; ++i) {
        a[i] = (float)i;
        b[i] = 0.5f * (float)i;
    }
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuModuleGetFunction(&multiply, module, "multiply"));
    IS(cuModuleGetFunction(&missing, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    IS(cuModuleGetFunction(&missing, (CUmodule)a, "add"), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemAlloc(&da, sizeof a));
    OK(cuMemAlloc(&db, sizeof b));
    OK(cuMemAlloc(&dout, sizeof out));
    OK(cuMemcpyHtoD(da, a, sizeof a));
    OK(cuMemcpyHtoD(db, b, sizeof b));
    void* arguments[] = {&da, &db, &dout, &count};
    OK(cuLaunchKernel(add, (n + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(out, dout, sizeof out));
    for (int i = 0; i < n; ++i) CHECK(out[i] == 1.5f * (float)i);

    // The same with the arguments packed.
    struct {
        CUdeviceptr a, b, out;
        int n;
    } packed = {db, db, dout, n};
    size_t packed_bytes = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH(out, dout, sizeof out));
    for (int i = 0; i < n; ++i) CHECK(out[i] == (float)i);
    IS(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, extra), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(add, 0, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, (CUstream)0x1234, arguments, NULL), CUDA_ERROR_INVALID_HANDLE);
    IS(cuLaunchKernel((CUfunction)&packed, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_HANDLE);

    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
    CHECK(value >= 128 && value <= 1024);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
    CHECK(value > 0 && value < 256);
    IS(cuFuncGetAttribute(&value, (CUfunction_attribute)99, add), CUDA_ERROR_INVALID_VALUE);
    IS(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 3), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
    OK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 60000, NULL, arguments, NULL));
    IS(cuLaunchKernel(multiply, 8, 1, 1, 128, 1, 1, 60000, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetCacheConfig(add, CU_FUNC_CACHE_PREFER_L1));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, add, 128, 0));
    CHECK(value >= 1);
    int grid = 0, block = 0;
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, NULL, 0, 0));
    CHECK(block >= 32 && grid >= 1);
    size_t offset = 0, size = 0;
    OK(cuFuncGetParamInfo(add, 3, &offset, &size));
    CHECK(offset == 24 && size == 4);
    IS(cuFuncGetParamInfo(add, 4, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    const char* name = NULL;
    OK(cuFuncGetName(&name, add));
    IS(cuFuncGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK(strcmp(name, "add") == 0);
    CUmodule home = NULL;
    OK(cuFuncGetModule(&home, add));
    CHECK(home == module);
    OK(cuMemFree(da));
    OK(cuMemFree(db));
    OK(cuMemFree(dout));
    IS(cuMemFree(dout), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(0));
}

static void structures(CUmodule module) {
    struct {
        char c;
        double d;
    } pair = {7, 2.5};
    char c = -3;
    short s = 300;
    double out[4] = {0};
    CUdeviceptr dout;
    CUfunction unpack;
    OK(cuModuleGetFunction(&unpack, module, "unpack"));
    OK(cuMemAlloc(&dout, sizeof out));
    void* arguments[] = {&c, &pair, &s, &dout};
    OK(cuLaunchKernel(unpack, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(out, dout, sizeof out));
    CHECK(out[0] == -3 && out[1] == 7 && out[2] == 2.5 && out[3] == 300);
    OK(cuMemFree(dout));
}

static void variables(CUmodule module) {
    CUdeviceptr scale, total, count, values;
    size_t bytes = 0;
    int host[64], five = 5, n = 64, sum = -1;
    CUfunction multiply;
    OK(cuModuleGetGlobal(&scale, &bytes, module, "scale"));
    CHECK(bytes == 4);
    OK(cuModuleGetGlobal(&total, NULL, module, "total"));
    OK(cuModuleGetGlobal(&count, NULL, module, "shared_count"));
    IS(cuModuleGetGlobal(&count, NULL, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&multiply, module, "multiply"));
    OK(cuMemcpyHtoD(scale, &five, 4));
    OK(cuMemAlloc(&values, sizeof host));
    OK(cuMemsetD32(values, 11, 64));
    void* arguments[] = {&values, &n};
    OK(cuLaunchKernel(multiply, 2, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(host, values, sizeof host));
    for (int i = 0; i < 64; ++i) CHECK(host[i] == 55);
    OK(cuMemcpyDtoH(&sum, total, 4));
    CHECK(sum == 64);
    IS(cuMemcpyDtoH(host, scale, 8), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(values));
}

int main(int argc, char** argv) {
    CUcontext context;
    CUmodule module;
    unsigned count = 0;
    CUfunction functions[16];
    if (argc < 2) return 2;
    devices();
    names();
    entry_points();
    IS(cuModuleLoad(&module, argv[1]), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    IS(cuModuleLoad(&module, "/nowhere/nothing.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunctionCount(&count, module));
    CHECK(count == 4);
    OK(cuModuleEnumerateFunctions(functions, 16, module));
    kernels(module);
    structures(module);
    variables(module);
    OK(cuModuleUnload(module));
    IS(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    IS(cuModuleGetFunction(functions, module, "add"), CUDA_ERROR_INVALID_HANDLE);
    OK(cuDevicePrimaryCtxRelease(0));
    IS(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    return result();
}
