#include "runtime/cuda/streams/launch.hpp"

#include "runtime/cuda/streams/capture.hpp"
#include "runtime/cuda/streams/streams.hpp"

#include <cstring>

namespace warpsim::cuda {

void launch(Process& process, KernelWork work, Stream& stream) {
    Gpu& gpu = stream.gpu;
    if (gpu.ordinal != Thread::current().device) throw Failure(Result::invalid_handle);
    gpu.check();
    work.shape.non_portable_cluster = work.kernel->non_portable_cluster;
    check(gpu, work);
    submit(process, stream, std::move(work));
    if (process.launches_wait && !is_captured(stream)) gpu.wait(stream);
}

void launch(Process& process, KernelWork work, std::span<LaunchAttribute const> attributes, Stream& stream) {
    constexpr unsigned programmatic_event = 7, completion_event = 12;
    if (attributes.data() == nullptr && !attributes.empty()) throw Failure(Result::invalid_value);
    for (LaunchAttribute const& a : attributes) apply(a, work);
    launch(process, std::move(work), stream);
    // Both kinds of events are recorded at the latest point that is permitted.
    for (LaunchAttribute const& a : attributes) {
        if (a.id != programmatic_event && a.id != completion_event) continue;
        void* event = nullptr;
        std::memcpy(&event, a.value, sizeof event);
        record_event(process, event, stream, 0);
    }
}

}  // namespace warpsim::cuda
