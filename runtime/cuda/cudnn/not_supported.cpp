// What cuDNN exports and cudnn.cpp does not define. A source of its own, since it declares all functions in a way of its own.
#include "runtime/log.hpp"

#include <atomic>
#include <string>

namespace {

int not_supported(char const* name) {
    static std::atomic<bool> is_told{false};
    if (!is_told.exchange(true))
        warpsim::log::warning(std::string(name) +
                              ": cuDNN has no operations here, since its kernels are machine code");
    constexpr int cudnn_status_not_supported = 3000;
    return cudnn_status_not_supported;
}

}  // namespace

#define NAME(function) \
    extern "C" __attribute__((visibility("default"), weak)) int function() { return not_supported(#function); }
#include "runtime/cuda/cudnn/functions/not_supported.hpp"
