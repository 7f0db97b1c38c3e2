#include "runtime/cuda/code/functions.hpp"
#include "runtime/cuda/code/jit.hpp"
#include "runtime/cuda/driver_api/call.hpp"

#include <algorithm>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

std::shared_ptr<Kernel> library_kernel(Process& process, CUkernel handle) { return process.kernels.get(handle); }

/// Libraries need no context: without a current one, they are read for the first device.
Gpu& any_gpu(Process& process) { return process.gpu(Thread::current().device); }

std::shared_ptr<Library> library_of(Process& process, void* handle) { return process.libraries.get(handle); }

void find_variable(Process& process, void** address, std::size_t* bytes, void* library, char const* name,
                   bool is_managed) {
    Library::Variable const v = library_of(process, library)->variable(any_gpu(process), name, is_managed);
    if (address != nullptr) *address = reinterpret_cast<void*>(v.address);
    if (bytes != nullptr) *bytes = v.size;
}

}  // namespace

WARPSIM_API CUresult cuLibraryLoadData(void** out, void const* image, int* jit, void** jit_values,
                                       unsigned jit_count, int* options, void** option_values,
                                       unsigned option_count) {
    Arguments const said(out, image, jit, jit_values, jit_count, options, option_values, option_count);
    return call([&](Process& process) {
        if (out == nullptr || image == nullptr) throw Failure(Result::invalid_value);
        JitOptions const parsed(jit_count, jit, jit_values);
        bool const preserved = is_preserved(option_count, options, option_values);
        *out = process.libraries.load(load_program(any_gpu(process), image, parsed, preserved), nullptr);
    });
}
WARPSIM_API CUresult cuLibraryLoadFromFile(void** out, char const* path, int* jit, void** jit_values,
                                           unsigned jit_count, int* options, void** option_values,
                                           unsigned option_count) {
    Arguments const said(out, path, jit, jit_values, jit_count, options, option_values, option_count);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        JitOptions const parsed(jit_count, jit, jit_values);
        is_preserved(option_count, options, option_values);
        std::string const image = read_image(path);
        *out = process.libraries.load(load_program(any_gpu(process), image.data(), parsed, false), nullptr);
    });
}
WARPSIM_API CUresult cuLibraryUnload(void* library) {
    Arguments const said(library);
    return call([&](Process& process) {
        if (library_of(process, library)->context != nullptr) throw Failure(Result::invalid_handle);
        for (int device = 0; device < process.devices(); ++device) process.gpu(device).queue.wait_all();
        process.libraries.remove(library);
    });
}
WARPSIM_API CUresult cuLibraryGetKernel(void** out, void* library, char const* name) {
    Arguments const said(out, library, name);
    return call(
        [&](Process& process) { give(out, library_of(process, library)->kernel(any_gpu(process), name)); });
}
WARPSIM_API CUresult cuLibraryGetKernelCount(unsigned* out, void* library) {
    Arguments const said(out, library);
    return call(
        [&](Process& process) { give(out, library_of(process, library)->kernels(any_gpu(process)).size()); });
}
WARPSIM_API CUresult cuLibraryEnumerateKernels(void** out, unsigned count, void* library) {
    Arguments const said(out, count, library);
    return call([&](Process& process) {
        std::vector<void*> const all = library_of(process, library)->kernels(any_gpu(process));
        if (out == nullptr || count == 0) throw Failure(Result::invalid_value);
        std::copy_n(all.begin(), std::min<std::size_t>(count, all.size()), out);
    });
}
WARPSIM_API CUresult cuLibraryGetGlobal(void** address, std::size_t* bytes, void* library, char const* name) {
    Arguments const said(address, bytes, library, name);
    return call([&](Process& process) { find_variable(process, address, bytes, library, name, false); });
}
WARPSIM_API CUresult cuLibraryGetManaged(void** address, std::size_t* bytes, void* library, char const* name) {
    Arguments const said(address, bytes, library, name);
    return call([&](Process& process) { find_variable(process, address, bytes, library, name, true); });
}

/// The handle of a library also serves as that of its module in every context.
WARPSIM_API CUresult cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
    Arguments const said(out, handle);
    return in_context([&](Process& process, Gpu&) {
        library_of(process, handle);
        give(out, handle);
    });
}

/// The handle of a kernel is also that of its function.
WARPSIM_API CUresult cuKernelGetFunction(CUfunction* out, CUkernel handle) {
    Arguments const said(out, handle);
    return in_context([&](Process& process, Gpu& gpu) {
        library_kernel(process, handle)->parameters(gpu);
        give(out, handle);
    });
}

WARPSIM_API CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel handle) {
    Arguments const said(out, handle);
    return call([&](Process& process) { give(out, library_kernel(process, handle)->library); });
}

WARPSIM_API CUresult cuKernelGetAttribute(int* out, int number, CUkernel handle, CUdevice device) {
    Arguments const said(out, number, handle, device);
    return call([&](Process& process) {
        give(out, function_attribute(process.gpu(device), *library_kernel(process, handle), number));
    });
}

WARPSIM_API CUresult cuKernelSetAttribute(int number, int value, CUkernel handle, CUdevice device) {
    Arguments const said(number, value, handle, device);
    return call([&](Process& process) {
        set_function_attribute(process.gpu(device), *library_kernel(process, handle), number, value);
    });
}

WARPSIM_API CUresult cuKernelSetCacheConfig(CUkernel handle, int preference, CUdevice device) {
    Arguments const said(handle, preference, device);
    return call([&](Process& process) {
        process.gpu(device);
        if (preference < 0 || preference > 3) throw Failure(Result::invalid_value);
        library_kernel(process, handle)->cache_preference = preference;
    });
}

WARPSIM_API CUresult cuKernelGetName(char const** out, CUkernel handle) {
    Arguments const said(out, handle);
    if (handle == nullptr) return number_of(Result::invalid_value);
    return call([&](Process& process) { give(out, library_kernel(process, handle)->name.c_str()); });
}

WARPSIM_API CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset,
                                          std::size_t* size) {
    Arguments const said(handle, index, offset, size);
    return in_context([&](Process& process, Gpu& gpu) {
        auto const& parameters = library_kernel(process, handle)->parameters(gpu);
        if (index >= parameters.size()) throw Failure(Result::invalid_value);
        give(offset, parameters[index].offset);
        if (size != nullptr) *size = parameters[index].size;
    });
}
