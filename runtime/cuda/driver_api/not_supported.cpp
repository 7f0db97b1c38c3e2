// Every name that CUDA 13's driver exports. What no other file of this folder defines says so when it is called.
#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/log.hpp"

#include <mutex>
#include <set>
#include <string>

namespace warpsim::cuda::driver {

namespace {

CUresult not_supported(char const* name) {
    static std::mutex* const mutex = new std::mutex;
    static auto* const told = new std::set<std::string>;
    std::lock_guard const lock(*mutex);
    if (told->insert(name).second) log::warning(std::string(name) + " is not supported by the simulator");
    return number_of(Result::not_supported);
}

}  // namespace

}  // namespace warpsim::cuda::driver

// Weak: a definition elsewhere takes their place when the library is linked.
#define NAME(function)                                                            \
    extern "C" __attribute__((visibility("default"), weak)) CUresult function() { \
        return warpsim::cuda::driver::not_supported(#function);                   \
    }
#include "runtime/cuda/driver_api/names.hpp"
