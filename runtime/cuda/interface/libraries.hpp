// The functions for libraries that both interfaces spell alike but for the beginning of their names. Included once
// in each library, behind the definition of COMMON_FUNCTION(name), call(), give(), and any_gpu(), which is the
// device that a library is read for first.
#include "runtime/cuda/code/jit.hpp"
#include "runtime/cuda/process/process.hpp"

#include <algorithm>

using namespace warpsim::cuda;

namespace {

std::shared_ptr<Library> library_of(void* handle) { return Process::get().libraries.get(handle); }

bool is_preserved(unsigned count, int const* numbers, void* const* values) {
    constexpr int binary_is_preserved = 1;
    if (count != 0 && (numbers == nullptr || values == nullptr)) throw Failure(Result::invalid_value);
    bool preserved = false;
    for (unsigned i = 0; i < count; ++i) {
        if (numbers[i] < 0 || numbers[i] > binary_is_preserved) throw Failure(Result::invalid_value);
        preserved = preserved || (numbers[i] == binary_is_preserved && values[i] != nullptr);
    }
    return preserved;
}

void find_variable(void** address, std::size_t* bytes, void* library, char const* name, bool is_managed) {
    Library::Variable const v = library_of(library)->variable(any_gpu(), name, is_managed);
    if (address != nullptr) *address = reinterpret_cast<void*>(v.address);
    if (bytes != nullptr) *bytes = v.size;
}

}  // namespace

COMMON_FUNCTION(LibraryLoadData)
(void** out, void const* image, int* jit, void** jit_values, unsigned jit_count, int* options,
 void** option_values, unsigned option_count) {
    return call([&] {
        if (out == nullptr || image == nullptr) throw Failure(Result::invalid_value);
        JitOptions const parsed(jit_count, jit, jit_values);
        bool const preserved = is_preserved(option_count, options, option_values);
        *out = add_library(load_program(any_gpu(), image, parsed, preserved), nullptr);
    });
}
COMMON_FUNCTION(LibraryLoadFromFile)
(void** out, char const* path, int* jit, void** jit_values, unsigned jit_count, int* options, void** option_values,
 unsigned option_count) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        JitOptions const parsed(jit_count, jit, jit_values);
        is_preserved(option_count, options, option_values);
        std::string const image = read_image(path);
        *out = add_library(load_program(any_gpu(), image.data(), parsed, false), nullptr);
    });
}
COMMON_FUNCTION(LibraryUnload)(void* library) {
    return call([&] {
        if (library_of(library)->context != nullptr) throw Failure(Result::invalid_handle);
        for (int device = 0; device < Process::get().devices(); ++device)
            Process::get().gpu(device).queue.wait_all();
        Process::get().libraries.remove(library);
    });
}
COMMON_FUNCTION(LibraryGetKernel)(void** out, void* library, char const* name) {
    return call([&] { give(out, library_of(library)->kernel(any_gpu(), name)); });
}
COMMON_FUNCTION(LibraryGetKernelCount)(unsigned* out, void* library) {
    return call([&] { give(out, library_of(library)->kernels(any_gpu()).size()); });
}
COMMON_FUNCTION(LibraryEnumerateKernels)(void** out, unsigned count, void* library) {
    return call([&] {
        std::vector<void*> const all = library_of(library)->kernels(any_gpu());
        if (out == nullptr || count == 0) throw Failure(Result::invalid_value);
        std::copy_n(all.begin(), std::min<std::size_t>(count, all.size()), out);
    });
}
COMMON_FUNCTION(LibraryGetGlobal)(void** address, std::size_t* bytes, void* library, char const* name) {
    return call([&] { find_variable(address, bytes, library, name, false); });
}
COMMON_FUNCTION(LibraryGetManaged)(void** address, std::size_t* bytes, void* library, char const* name) {
    return call([&] { find_variable(address, bytes, library, name, true); });
}
