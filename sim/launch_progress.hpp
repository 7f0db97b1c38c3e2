// How far a launch is, for those who wait for its end.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace warpsim::sim {

struct LaunchProgress {
    std::string_view kernel;
    std::uint64_t ctas = 0;       // of the launch
    std::uint64_t ended = 0;      // of these
    std::uint64_t resident = 0;   // have begun and not ended; 0 in functional mode
    std::uint64_t cycles = 0;     // since the launch; 0 in functional mode
    std::uint64_t micro_ops = 0;  // that its warps have executed; 0 in functional mode
    std::uint32_t sms = 0;        // that the GPU has
    std::uint32_t others = 0;     // launches on the GPU beside this one
};

/// Called now and then, one call at a time and from any host thread.
using ProgressHook = std::function<void(LaunchProgress const&)>;

}  // namespace warpsim::sim
