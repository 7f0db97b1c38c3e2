#include "runtime/cuda/runtime_api/call.hpp"

using namespace warpsim::cuda;

namespace {

cudaError_t create(cudaEvent_t* out, unsigned flags) {
    return call([&] {
        if (out == nullptr || (flags & ~7u) != 0) throw Failure(Result::invalid_value);
        Process::get().current().check();
        auto event = std::make_shared<Event>();
        event->flags = flags;
        *out = Process::get().events.add(std::move(event));
    });
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle, bool own) {
    return call([&] {
        auto const stream = Process::get().stream(stream_handle, own);
        auto const event = Process::get().events.get(handle);
        Gpu& gpu = Process::get().gpu_of(*stream);
        gpu.check();
        gpu.record(event, *stream);
    });
}

}  // namespace

WARPSIM_API cudaError_t cudaEventCreate(cudaEvent_t* out) { return create(out, 0); }
WARPSIM_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) { return create(out, flags); }

WARPSIM_API cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return call([&] { Process::get().events.remove(handle); });
}

WARPSIM_API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return record(e, s, false); }
WARPSIM_API cudaError_t cudaEventRecord_ptsz(cudaEvent_t e, cudaStream_t s) { return record(e, s, true); }
WARPSIM_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned) { return record(e, s, false); }
WARPSIM_API cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t e, cudaStream_t s, unsigned) { return record(e, s, true); }

WARPSIM_API cudaError_t cudaEventQuery(cudaEvent_t handle) {
    return call([&] {
        auto const event = Process::get().events.get(handle);
        if (event->device >= 0) Process::get().gpu(event->device).check();
        if (!event->is_complete()) throw Failure(Result::not_ready);
    });
}

WARPSIM_API cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return call([&] {
        auto const event = Process::get().events.get(handle);
        if (event->device >= 0) Process::get().gpu(event->device).wait_for(*event);
    });
}

WARPSIM_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from_handle, cudaEvent_t to_handle) {
    return call([&] {
        auto const from = Process::get().events.get(from_handle), to = Process::get().events.get(to_handle);
        if (!from->is_timed() || !to->is_timed() || from->recorded == 0 || to->recorded == 0) {
            throw Failure(Result::invalid_handle);
        }
        if (!from->is_complete() || !to->is_complete()) throw Failure(Result::not_ready);
        auto const ns = static_cast<std::int64_t>(to->time_ns - from->time_ns);
        give(milliseconds, static_cast<float>(static_cast<double>(ns) * 1e-6));
    });
}
