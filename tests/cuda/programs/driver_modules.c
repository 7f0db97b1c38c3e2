// Modules from text, options and logs of the loader, libraries, and linking.
#include "check_driver.h"

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 17;\n"
    ".visible .entry twice(.param .u64 out, .param .u32 value) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
    "  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [value];\n"
    "  cvta.to.global.u64 %rd2, %rd1; add.u32 %r2, %r1, %r1;\n"
    "  st.global.u32 [%rd2], %r2; ret;\n}\n";
static const char wrong[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry bad() {\n  addd.s32 %r1, %r2, %r3;\n}\n";
static const char caller[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b32 r) helper(.param .b32 x);\n"
    ".visible .entry call_it(.param .u64 out) {\n"
    "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  { .param .b32 a; .param .b32 b; st.param.b32 [a], 20; call (b), helper, (a); ld.param.b32 %r1, [b]; }\n"
    "  st.global.u32 [%rd1], %r1; ret;\n}\n";
static const char helper[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .b32 r) helper(.param .b32 x) {\n"
    "  .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, 22; st.param.b32 [r], %r2; ret;\n}\n";

static int run(CUfunction function, int has_value, int value) {
    CUdeviceptr out;
    int got = -1;
    OK(cuMemAlloc(&out, 4));
    void* arguments[] = {&out, &value};
    (void)has_value;
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(&got, out, 4));
    OK(cuMemFree(out));
    return got;
}

static void logs(void) {
    CUmodule module;
    CUfunction function;
    char information[2048], errors[2048];
    memset(information, 'x', sizeof information);
    memset(errors, 'x', sizeof errors);
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL};
    void* values[] = {information, (void*)sizeof information, errors, (void*)sizeof errors, (void*)32, (void*)4};
    OK(cuModuleLoadDataEx(&module, text, 6, options, values));
    CHECK(strstr(information, "twice") != NULL && (size_t)values[1] == strlen(information));
    CHECK((size_t)values[3] == 0 && errors[0] == 0);
    OK(cuModuleGetFunction(&function, module, "twice"));
    CHECK(run(function, 1, 21) == 42);
    int registers = 0;
    OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    CHECK(registers > 0 && registers <= 32);
    OK(cuModuleUnload(module));
    values[1] = (void*)sizeof information;
    values[3] = (void*)sizeof errors;
    IS(cuModuleLoadDataEx(&module, wrong, 4, options, values), CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(errors, "addd.s32") != NULL && (size_t)values[3] == strlen(errors));
    // A small buffer is filled and ended.
    memset(errors, 'x', sizeof errors);
    values[3] = (void*)10;
    IS(cuModuleLoadDataEx(&module, wrong, 4, options, values), CUDA_ERROR_INVALID_PTX);
    CHECK(strlen(errors) == 9 && errors[10] == 'x' && (size_t)values[3] == 9);
    CUjit_option unknown = (CUjit_option)1234;
    IS(cuModuleLoadDataEx(&module, text, 1, &unknown, values), CUDA_ERROR_INVALID_VALUE);
    static const unsigned char rubbish[16] = {1, 2, 3, 4};
    IS(cuModuleLoadData(&module, rubbish), CUDA_ERROR_INVALID_IMAGE);
    static const unsigned char cubin[16] = {0x7f, 'E', 'L', 'F'};
    IS(cuModuleLoadData(&module, cubin), CUDA_ERROR_NO_BINARY_FOR_GPU);
    IS(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void libraries(void) {
    CUlibrary library, home;
    CUkernel kernel, all[4];
    CUfunction function;
    CUmodule module;
    CUdeviceptr counter;
    size_t bytes = 0;
    unsigned count = 0;
    int value = 0;
    char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    OK(cuLibraryLoadData(&library, copy, NULL, NULL, 0, NULL, NULL, 0));
    memset(copy, 0, sizeof copy);
    OK(cuLibraryGetKernel(&kernel, library, "twice"));
    IS(cuLibraryGetKernel(&kernel, library, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryGetKernelCount(&count, library));
    CHECK(count == 1);
    OK(cuLibraryEnumerateKernels(all, 4, library));
    CHECK(all[0] == kernel);
    OK(cuKernelGetLibrary(&home, kernel));
    CHECK(home == library);
    CHECK(run((CUfunction)kernel, 1, 4) == 8);
    OK(cuKernelGetFunction(&function, kernel));
    CHECK(run(function, 1, 5) == 10);
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    CHECK(value >= 32);
    IS(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 9), CUDA_ERROR_INVALID_DEVICE);
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 0));
    OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    const char* name = NULL;
    OK(cuKernelGetName(&name, kernel));
    IS(cuKernelGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK(strcmp(name, "twice") == 0);
    size_t offset = 0, size = 0;
    OK(cuKernelGetParamInfo(kernel, 1, &offset, &size));
    CHECK(offset == 8 && size == 4);
    CUcontext context;
    OK(cuCtxPopCurrent(&context));
    IS(cuKernelGetParamInfo(kernel, 1, &offset, &size), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxPushCurrent(context));
    OK(cuLibraryGetGlobal(&counter, &bytes, library, "counter"));
    OK(cuMemcpyDtoH(&value, counter, 4));
    CHECK(bytes == 4 && value == 17);
    IS(cuLibraryGetManaged(&counter, &bytes, library, "counter"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryGetModule(&module, library));
    OK(cuModuleGetFunction(&function, module, "twice"));
    CHECK(run(function, 1, 6) == 12);
    OK(cuLibraryUnload(library));
    IS(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
    IS(cuKernelGetFunction(&function, kernel), CUDA_ERROR_INVALID_HANDLE);
    IS(cuLibraryLoadFromFile(&library, "/nowhere/nothing", NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_FILE_NOT_FOUND);
}

static void linking(void) {
    CUlinkState state;
    void* image = NULL;
    size_t size = 0;
    char errors[1024];
    CUmodule module;
    CUfunction function;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {errors, (void*)sizeof errors};
    OK(cuLinkCreate(2, options, values, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)caller, sizeof caller, "caller.ptx", 0, NULL, NULL));
    IS(cuLinkComplete(state, &image, &size), CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(errors, "helper") != NULL);
    OK(cuLinkDestroy(state));
    IS(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
    OK(cuLinkCreate(0, NULL, NULL, &state));
    IS(cuLinkComplete(state, &image, &size), CUDA_ERROR_INVALID_VALUE);
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)caller, sizeof caller, "caller.ptx", 0, NULL, NULL));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)helper, sizeof helper, "helper.ptx", 0, NULL, NULL));
    IS(cuLinkAddData(state, CU_JIT_INPUT_PTX, NULL, 1, "x", 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere/nothing", 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuLinkComplete(state, &image, &size));
    CHECK(image != NULL && size > 0);
    char* kept = malloc(size);
    memcpy(kept, image, size);
    OK(cuLinkDestroy(state));
    OK(cuModuleLoadData(&module, kept));
    free(kept);
    OK(cuModuleGetFunction(&function, module, "call_it"));
    CHECK(run(function, 0, 0) == 42);
    OK(cuModuleUnload(module));
}

int main(void) {
    use_primary();
    logs();
    libraries();
    linking();
    return result();
}
