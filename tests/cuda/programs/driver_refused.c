// error: function cudaDeviceSynchronize of the device runtime is not executed
// A kernel that cannot run: what is asked about it fails with a reason, and the reason is printed once.
#include "check_driver.h"

static const char ptx[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                          ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"
                          ".visible .entry waits() { .param .b32 e; call.uni (e), cudaDeviceSynchronize; ret; }\n"
                          ".visible .entry good() { ret; }\n";

int main(void) {
    CUmodule module;
    CUfunction waits, good;
    int value = 0;
    use_primary();
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&waits, module, "waits"));
    OK(cuModuleGetFunction(&good, module, "good"));
    for (int i = 0; i < 2; ++i) {
        IS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, waits), CUDA_ERROR_NOT_SUPPORTED);
        IS(cuLaunchKernel(waits, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    }
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, good));
    OK(cuLaunchKernel(good, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuCtxSynchronize());
    return result();
}
