#include "runtime/cuda/runtime_api/call.hpp"

using namespace warpsim::cuda;

namespace {

constexpr unsigned non_blocking = 1;

cudaError_t create(cudaStream_t* out, unsigned flags, int priority) {
    return call([&] {
        if (out == nullptr || (flags & ~non_blocking) != 0) throw Failure(Result::invalid_value);
        Process& process = Process::get();
        process.current().check();
        auto stream = std::make_shared<Stream>();
        stream->device = Thread::current().device;
        stream->flags = flags;
        stream->priority = std::min(0, std::max(-5, priority));
        stream->lane.is_blocking = (flags & non_blocking) == 0;
        stream->id = process.new_stream_id();
        *out = process.streams.add(std::move(stream));
    });
}

/// A default stream has no handle to destroy.
bool is_default(cudaStream_t stream) { return address(stream) <= 2; }

cudaError_t synchronize(cudaStream_t handle, bool own) {
    return call([&] {
        auto const stream = Process::get().stream(handle, own);
        Process::get().gpu_of(*stream).wait(*stream);
    });
}

cudaError_t query(cudaStream_t handle, bool own) {
    return call([&] {
        auto const stream = Process::get().stream(handle, own);
        Gpu& gpu = Process::get().gpu_of(*stream);
        gpu.check();
        if (!gpu.queue.is_done(stream->lane)) throw Failure(Result::not_ready);
    });
}

cudaError_t wait_event(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags, bool own) {
    return call([&] {
        if (flags > 1) throw Failure(Result::invalid_value);
        auto const stream = Process::get().stream(handle, own);
        auto const event = Process::get().events.get(event_handle);
        std::uint64_t const wanted = event->recorded;
        if (event->completed >= wanted) return;
        Process::get().gpu_of(*stream).submit(*stream, [] {}, [event, wanted] { return event->completed >= wanted; });
    });
}

cudaError_t host_function(cudaStream_t handle, cudaHostFn_t function, void* data, bool own) {
    return call([&] {
        if (function == nullptr) throw Failure(Result::invalid_value);
        auto const stream = Process::get().stream(handle, own);
        Process::get().gpu_of(*stream).submit(*stream, [=] { function(data); });
    });
}

cudaError_t callback(cudaStream_t handle, cudaStreamCallback_t function, void* data, unsigned flags, bool own) {
    return call([&] {
        if (function == nullptr || flags != 0) throw Failure(Result::invalid_value);
        auto const stream = Process::get().stream(handle, own);
        Gpu& gpu = Process::get().gpu_of(*stream);
        // Callbacks, unlike host functions, are called after a failure too, and told of it.
        gpu.queue.submit(stream->lane, [=, &gpu] {
            cudaError_t status = 0;
            try {
                gpu.check();
            } catch (Failure const& failure) {
                status = static_cast<cudaError_t>(failure.result());
            }
            function(handle, status, data);
        });
    });
}

template <class F>
cudaError_t ask(cudaStream_t handle, bool own, F&& answer) {
    return call([&] { answer(*Process::get().stream(handle, own)); });
}

}  // namespace

WARPSIM_API cudaError_t cudaStreamCreate(cudaStream_t* out) { return create(out, 0, 0); }
WARPSIM_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) { return create(out, flags, 0); }
WARPSIM_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
    return create(out, flags, priority);
}

WARPSIM_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return call([&] {
        if (is_default(handle)) throw Failure(Result::invalid_handle);
        auto stream = Process::get().streams.remove(handle);
        // Its work is done all the same; the last task keeps it until then.
        Gpu& gpu = Process::get().gpu_of(*stream);
        Lane& lane = stream->lane;
        gpu.queue.submit(lane, [stream = std::move(stream)] {});
    });
}

WARPSIM_API cudaError_t cudaStreamSynchronize(cudaStream_t s) { return synchronize(s, false); }
WARPSIM_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t s) { return synchronize(s, true); }
WARPSIM_API cudaError_t cudaStreamQuery(cudaStream_t s) { return query(s, false); }
WARPSIM_API cudaError_t cudaStreamQuery_ptsz(cudaStream_t s) { return query(s, true); }
WARPSIM_API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    return wait_event(s, e, flags, false);
}
WARPSIM_API cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    return wait_event(s, e, flags, true);
}
WARPSIM_API cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data) { return host_function(s, f, data, false); }
WARPSIM_API cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t s, cudaHostFn_t f, void* data) {
    return host_function(s, f, data, true);
}
WARPSIM_API cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned flags) {
    return callback(s, f, data, flags, false);
}
WARPSIM_API cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned flags) {
    return callback(s, f, data, flags, true);
}

WARPSIM_API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned* out) {
    return ask(s, false, [&](Stream const& stream) { give(out, stream.flags); });
}
WARPSIM_API cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t s, unsigned* out) {
    return ask(s, true, [&](Stream const& stream) { give(out, stream.flags); });
}
WARPSIM_API cudaError_t cudaStreamGetPriority(cudaStream_t s, int* out) {
    return ask(s, false, [&](Stream const& stream) { give(out, stream.priority); });
}
WARPSIM_API cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t s, int* out) {
    return ask(s, true, [&](Stream const& stream) { give(out, stream.priority); });
}
WARPSIM_API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long* out) {
    return ask(s, false, [&](Stream const& stream) { give(out, stream.id); });
}
WARPSIM_API cudaError_t cudaStreamGetId_ptsz(cudaStream_t s, unsigned long long* out) {
    return ask(s, true, [&](Stream const& stream) { give(out, stream.id); });
}
WARPSIM_API cudaError_t cudaStreamGetDevice(cudaStream_t s, int* out) {
    return ask(s, false, [&](Stream const& stream) { give(out, stream.device); });
}
WARPSIM_API cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t s, int* out) {
    return ask(s, true, [&](Stream const& stream) { give(out, stream.device); });
}
WARPSIM_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void*, std::size_t, unsigned) {
    return ask(s, false, [](Stream const&) {});
}
WARPSIM_API cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t s, void*, std::size_t, unsigned) {
    return ask(s, true, [](Stream const&) {});
}
WARPSIM_API cudaError_t cudaStreamIsCapturing(cudaStream_t s, int* out) {
    return ask(s, false, [&](Stream const&) { give(out, 0); });
}
WARPSIM_API cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t s, int* out) {
    return ask(s, true, [&](Stream const&) { give(out, 0); });
}
