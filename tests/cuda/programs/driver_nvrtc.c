// needs: libnvrtc.so
// compile: -lnvrtc
// A kernel compiled at run time, loaded as PTX and launched.
#include "check_driver.h"

// As nvrtc.h declares them.
typedef struct Program* Program;
int nvrtcCreateProgram(Program*, const char* source, const char* name, int headers, const char* const*, const char* const*);
int nvrtcCompileProgram(Program, int count, const char* const* options);
int nvrtcGetPTXSize(Program, size_t*);
int nvrtcGetPTX(Program, char*);

static const char source[] =
    "template <typename T> __device__ T square(T x) { return x * x; }\n"
    "extern \"C\" __global__ void squares(double* out, int n) {\n"
    "    int const i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) out[i] = square<double>(i) + sqrt((double)i);\n"
    "}\n";

int main(void) {
    enum { n = 100 };
    Program program;
    size_t size = 0;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    double values[n];
    int count = n;
    const char* options[] = {"--gpu-architecture=compute_75"};
    CHECK(nvrtcCreateProgram(&program, source, "squares.cu", 0, NULL, NULL) == 0);
    CHECK(nvrtcCompileProgram(program, 1, options) == 0);
    CHECK(nvrtcGetPTXSize(program, &size) == 0);
    char* ptx = malloc(size);
    CHECK(nvrtcGetPTX(program, ptx) == 0);
    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, "squares"));
    OK(cuMemAlloc(&out, sizeof values));
    void* arguments[] = {&out, &count};
    OK(cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(values, out, sizeof values));
    CHECK(values[0] == 0 && values[4] == 18 && values[81] == 6570 && values[64] == 4104);
    OK(cuCtxDestroy(context));
    free(ptx);
    return result();
}
