#include "runtime/cuda/library.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/functions.hpp"
#include "runtime/cuda/jit.hpp"

#include <algorithm>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

std::shared_ptr<Library> library_of(CUlibrary handle) { return Process::get().libraries.get(handle); }
std::shared_ptr<Kernel> kernel_of(CUkernel handle) { return Process::get().kernels.get(handle); }

/// Libraries need no context: one that none is current for is read for the first device.
Gpu& any_gpu() { return Process::get().gpu(Thread::current().device); }

bool is_preserved(unsigned count, int const* numbers, void* const* values) {
    constexpr int binary_is_preserved = 1;
    if (count != 0 && (numbers == nullptr || values == nullptr)) throw Failure(Result::invalid_value);
    for (unsigned i = 0; i < count; ++i) {
        if (numbers[i] < 0 || numbers[i] > binary_is_preserved) throw Failure(Result::invalid_value);
        if (numbers[i] == binary_is_preserved && values[i] != nullptr) return true;
    }
    return false;
}

CUresult load(CUlibrary* out, void const* image, JitOptions const& options, bool preserved) {
    return call([&] {
        if (out == nullptr || image == nullptr) throw Failure(Result::invalid_value);
        *out = add_library(load_program(any_gpu(), image, options, preserved), nullptr);
    });
}

CUresult find_variable(CUdeviceptr* address, std::size_t* bytes, CUlibrary handle, char const* name, bool is_managed) {
    return call([&] {
        auto const library = library_of(handle);
        Library::Variable const v = library->variable(is_managed ? any_gpu() : current_gpu(), name, is_managed);
        if (address != nullptr) *address = v.address;
        if (bytes != nullptr) *bytes = v.size;
    });
}

}  // namespace

WARPSIM_API CUresult cuLibraryLoadData(CUlibrary* out, void const* image, int* jit, void** jit_values, unsigned jit_count,
                                       int* options, void** option_values, unsigned option_count) {
    return call([&] {
        JitOptions const parsed(jit_count, jit, jit_values);
        CUresult const status = load(out, image, parsed, is_preserved(option_count, options, option_values));
        if (status != 0) throw Failure(static_cast<Result>(status));
    });
}

WARPSIM_API CUresult cuLibraryLoadFromFile(CUlibrary* out, char const* path, int* jit, void** jit_values, unsigned jit_count,
                                           int* options, void** option_values, unsigned option_count) {
    return call([&] {
        JitOptions const parsed(jit_count, jit, jit_values);
        is_preserved(option_count, options, option_values);
        std::string const image = read_image(path);
        CUresult const status = load(out, image.data(), parsed, false);
        if (status != 0) throw Failure(static_cast<Result>(status));
    });
}

WARPSIM_API CUresult cuLibraryUnload(CUlibrary handle) {
    return call([&] {
        if (library_of(handle)->context != nullptr) throw Failure(Result::invalid_handle);
        for (int device = 0; device < Process::get().devices(); ++device) Process::get().gpu(device).queue.wait_all();
        Process::get().libraries.remove(handle);
    });
}

WARPSIM_API CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary handle, char const* name) {
    return call([&] { give(out, library_of(handle)->kernel(any_gpu(), name)); });
}

WARPSIM_API CUresult cuLibraryGetKernelCount(unsigned* out, CUlibrary handle) {
    return call([&] { give(out, library_of(handle)->kernels(any_gpu()).size()); });
}

WARPSIM_API CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned count, CUlibrary handle) {
    return call([&] {
        std::vector<void*> const all = library_of(handle)->kernels(any_gpu());
        if (out == nullptr || count == 0) throw Failure(Result::invalid_value);
        std::copy_n(all.begin(), std::min<std::size_t>(count, all.size()), out);
    });
}

/// A library's handle serves as its module's in every context.
WARPSIM_API CUresult cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
    return in_context([&](Gpu&) {
        library_of(handle);
        give(out, handle);
    });
}

WARPSIM_API CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary handle, char const* name) {
    return find_variable(address, bytes, handle, name, false);
}
WARPSIM_API CUresult cuLibraryGetManaged(CUdeviceptr* address, std::size_t* bytes, CUlibrary handle, char const* name) {
    return find_variable(address, bytes, handle, name, true);
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

WARPSIM_API CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset, std::size_t* size) {
    return call([&] {
        auto const& parameters = kernel_of(handle)->parameters(any_gpu());
        if (index >= parameters.size()) throw Failure(Result::invalid_value);
        give(offset, parameters[index].offset);
        if (size != nullptr) *size = parameters[index].size;
    });
}
