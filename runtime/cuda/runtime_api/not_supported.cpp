// The names that the runtime exports and that no file of this folder defines: calling one returns "not
// supported".
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/log.hpp"

#include <mutex>
#include <set>
#include <string>

namespace warpsim::cuda {

namespace {

cudaError_t not_supported(char const* name) {
    static std::mutex* const mutex = new std::mutex;
    static auto* const told = new std::set<std::string>;
    {
        std::lock_guard const lock(*mutex);
        if (told->insert(name).second) log::warning(std::string(name) + " is not supported by the simulator");
    }
    return remember(Result::not_supported);
}

}  // namespace

}  // namespace warpsim::cuda

// Weak symbols, so that one can see which of the library's functions are real.
#define NAME(function)                                                       \
    extern "C" __attribute__((visibility("default"), weak)) int function() { \
        return warpsim::cuda::not_supported(#function);                      \
    }
#include "runtime/cuda/runtime_api/functions/not_supported.hpp"
