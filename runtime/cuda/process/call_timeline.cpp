#include "runtime/cuda/process/call_timeline.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

namespace warpsim::cuda {

/// Each device has a clock for what the host does with it: the latest of them is what it has come to.
std::uint64_t CallTimeline::now() const {
    std::uint64_t latest = 0;
    for (auto const& gpu : gpus_) latest = std::max(latest, gpu->host_ps());
    return latest;
}

std::uint64_t CallTimeline::begins() {
    timeline::Timeline::begin_call();
    return now();
}

void CallTimeline::called(char const* function, std::string const& arguments, std::uint64_t from) {
    static std::atomic<std::uint64_t> threads{0};
    thread_local std::uint64_t const thread = threads++;
    // As programs spell what nvcc makes __cudaLaunchKernel of.
    std::string_view name = function;
    name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
    timeline_.call(thread, name, arguments, from, now());
}

}  // namespace warpsim::cuda
