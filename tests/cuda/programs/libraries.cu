// Code loaded at run time by the runtime interface, and the driver's interface beside it.
#include "check.hpp"
#include <cstdint>
#include <cstring>

static char const text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 amount = 5;\n"
    ".visible .entry increase(.param .u64 values) {\n"
    "  .reg .b64 %rd<5>; .reg .b32 %r<4>;\n"
    "  ld.param.u64 %rd1, [values]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "  ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [amount]; add.u32 %r2, %r2, %r3;\n"
    "  st.global.u32 [%rd3], %r2; ret;\n}\n";

__global__ void twice(int* values) { values[threadIdx.x] *= 2; }

using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
using GetCurrent = int (*)(void**);
using GetGlobal = int (*)(void**, std::size_t*, void*, char const*);

int main() {
    cudaLibrary_t library;
    cudaKernel_t kernel, all[2];
    OK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "increase"));
    IS(cudaLibraryGetKernel(&kernel, library, "nothing"), cudaErrorSymbolNotFound);
    unsigned count = 0;
    OK(cudaLibraryGetKernelCount(&count, library));
    CHECK(count == 1);
    OK(cudaLibraryEnumerateKernels(all, 2, library));
    CHECK(all[0] == kernel);
    int* values;
    OK(cudaMallocManaged(&values, 32 * sizeof(int)));
    for (int i = 0; i < 32; ++i) values[i] = i;
    void* arguments[] = {&values};
    OK(cudaLaunchKernel(reinterpret_cast<void const*>(kernel), dim3(1), dim3(32), arguments, 0, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(values[i] == i + 5);
    void* amount = nullptr;
    std::size_t bytes = 0;
    OK(cudaLibraryGetGlobal(&amount, &bytes, library, "amount"));
    CHECK(bytes == 4);
    int const seven = 7;
    OK(cudaMemcpy(amount, &seven, 4, cudaMemcpyDefault));
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(kernel)));
    CHECK(attributes.maxThreadsPerBlock >= 32 && attributes.numRegs > 0);

    // The driver's functions on the same context, kernels and memory.
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &entry, 12000, cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess && entry != nullptr);
    CHECK(reinterpret_cast<Launch>(entry)(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(values[i] == i + 12);
    cudaFunction_t function;
    OK(cudaGetFuncBySymbol(&function, reinterpret_cast<void const*>(twice)));
    CHECK(reinterpret_cast<Launch>(entry)(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(values[i] == 2 * (i + 12));
    OK(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found));
    void* context = nullptr;
    CHECK(reinterpret_cast<GetCurrent>(entry)(&context) == 0 && context != nullptr);
    OK(cudaGetDriverEntryPointByVersion("cuLibraryGetGlobal", &entry, 11000, cudaEnableDefault, &found));
    CHECK(entry == nullptr && found == cudaDriverEntryPointVersionNotSufficent);
    OK(cudaGetDriverEntryPointByVersion("cuNothing", &entry, 12000, cudaEnableDefault, &found));
    CHECK(entry == nullptr && found == cudaDriverEntryPointSymbolNotFound);
    OK(cudaLibraryUnload(library));
    IS(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
    IS(cudaLaunchKernel(reinterpret_cast<void const*>(kernel), dim3(1), dim3(32), arguments, 0, nullptr),
       cudaErrorInvalidDeviceFunction);
    (void)cudaGetLastError();

    // After a reset all begins anew.
    OK(cudaDeviceReset());
    IS(cudaFree(values), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    OK(cudaMallocManaged(&values, 32 * sizeof(int)));
    std::memset(values, 1, 32 * sizeof(int));
    twice<<<1, 32>>>(values);
    OK(cudaDeviceSynchronize());
    CHECK(values[31] == 0x02020202);
    return result();
}
