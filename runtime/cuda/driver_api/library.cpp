#include "runtime/cuda/code/functions.hpp"
#include "runtime/cuda/driver_api/call.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

std::shared_ptr<Kernel> kernel_of(CUkernel handle) { return Process::get().kernels.get(handle); }

/// Libraries need no context: one that none is current for is read for the first device.
Gpu& any_gpu() { return Process::get().gpu(Thread::current().device); }

}  // namespace

#include "runtime/cuda/interface/libraries.hpp"

/// A library's handle serves as its module's in every context.
WARPSIM_API CUresult cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
    return in_context([&](Gpu&) {
        library_of(handle);
        give(out, handle);
    });
}

/// A kernel's handle is its function's too.
WARPSIM_API CUresult cuKernelGetFunction(CUfunction* out, CUkernel handle) {
    return in_context([&](Gpu& gpu) {
        kernel_of(handle)->parameters(gpu);
        give(out, handle);
    });
}

WARPSIM_API CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel handle) {
    return call([&] { give(out, kernel_of(handle)->library); });
}

WARPSIM_API CUresult cuKernelGetAttribute(int* out, int number, CUkernel handle, CUdevice device) {
    return call([&] { give(out, function_attribute(Process::get().gpu(device), *kernel_of(handle), number)); });
}

WARPSIM_API CUresult cuKernelSetAttribute(int number, int value, CUkernel handle, CUdevice device) {
    return call([&] { set_function_attribute(Process::get().gpu(device), *kernel_of(handle), number, value); });
}

WARPSIM_API CUresult cuKernelSetCacheConfig(CUkernel handle, int preference, CUdevice device) {
    return call([&] {
        Process::get().gpu(device);
        if (preference < 0 || preference > 3) throw Failure(Result::invalid_value);
        kernel_of(handle)->cache_preference = preference;
    });
}

WARPSIM_API CUresult cuKernelGetName(char const** out, CUkernel handle) {
    return call([&] { give(out, kernel_of(handle)->name.c_str()); });
}

WARPSIM_API CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset,
                                          std::size_t* size) {
    return call([&] {
        auto const& parameters = kernel_of(handle)->parameters(any_gpu());
        if (index >= parameters.size()) throw Failure(Result::invalid_value);
        give(offset, parameters[index].offset);
        if (size != nullptr) *size = parameters[index].size;
    });
}
