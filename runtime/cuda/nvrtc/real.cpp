#include "runtime/cuda/nvrtc/real.hpp"

#include "runtime/cuda/compilers/replaced.hpp"
#include "runtime/log.hpp"

#include <dlfcn.h>

#include <string>

namespace warpsim::nvrtc {

namespace {

constexpr char const* library_name = WARPSIM_NVRTC_NAME;

void* open() {
    cuda::ReplacedLibrary const library =
        cuda::open_replaced(library_name, reinterpret_cast<void const*>(&real_function));
    if (library.handle == nullptr)
        log::error(std::string("the program compiles by NVRTC, and NVIDIA's ") + library_name + " is " +
                   (library.path.empty() ? "nowhere to be found; PyPI has it as nvidia-cuda-nvrtc"
                                         : "no library: " + library.path));
    return library.handle;
}

}  // namespace

void* real_function(char const* name) {
    static void* const handle = open();
    return handle != nullptr ? dlsym(handle, name) : nullptr;
}

}  // namespace warpsim::nvrtc
