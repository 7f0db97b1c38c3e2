#include "runtime/cuda/code/jit.hpp"
#include "runtime/cuda/runtime_api/call.hpp"

#include <algorithm>

using namespace warpsim::cuda;

namespace {

/// The device for which a library is read first.
Gpu& any_gpu(Process& process) { return process.current(); }

std::shared_ptr<Library> library_of(Process& process, void* handle) { return process.libraries.get(handle); }

void find_variable(Process& process, void** address, std::size_t* bytes, void* library, char const* name,
                   bool is_managed) {
    Library::Variable const v = library_of(process, library)->variable(any_gpu(process), name, is_managed);
    if (address != nullptr) *address = reinterpret_cast<void*>(v.address);
    if (bytes != nullptr) *bytes = v.size;
}

}  // namespace

WARPSIM_API cudaError_t cudaLibraryLoadData(void** out, void const* image, int* jit, void** jit_values,
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
WARPSIM_API cudaError_t cudaLibraryLoadFromFile(void** out, char const* path, int* jit, void** jit_values,
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
WARPSIM_API cudaError_t cudaLibraryUnload(void* library) {
    Arguments const said(library);
    return call([&](Process& process) {
        if (library_of(process, library)->context != nullptr) throw Failure(Result::invalid_handle);
        for (int device = 0; device < process.devices(); ++device) process.gpu(device).queue.wait_all();
        process.libraries.remove(library);
    });
}
WARPSIM_API cudaError_t cudaLibraryGetKernel(void** out, void* library, char const* name) {
    Arguments const said(out, library, name);
    return call(
        [&](Process& process) { give(out, library_of(process, library)->kernel(any_gpu(process), name)); });
}
WARPSIM_API cudaError_t cudaLibraryGetKernelCount(unsigned* out, void* library) {
    Arguments const said(out, library);
    return call(
        [&](Process& process) { give(out, library_of(process, library)->kernels(any_gpu(process)).size()); });
}
WARPSIM_API cudaError_t cudaLibraryEnumerateKernels(void** out, unsigned count, void* library) {
    Arguments const said(out, count, library);
    return call([&](Process& process) {
        std::vector<void*> const all = library_of(process, library)->kernels(any_gpu(process));
        if (out == nullptr || count == 0) throw Failure(Result::invalid_value);
        std::copy_n(all.begin(), std::min<std::size_t>(count, all.size()), out);
    });
}
WARPSIM_API cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* bytes, void* library, char const* name) {
    Arguments const said(address, bytes, library, name);
    return call([&](Process& process) { find_variable(process, address, bytes, library, name, false); });
}
WARPSIM_API cudaError_t cudaLibraryGetManaged(void** address, std::size_t* bytes, void* library,
                                              char const* name) {
    Arguments const said(address, bytes, library, name);
    return call([&](Process& process) { find_variable(process, address, bytes, library, name, true); });
}
