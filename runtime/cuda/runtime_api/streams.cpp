#include "runtime/cuda/streams/streams.hpp"
#include "runtime/cuda/runtime_api/call.hpp"

using namespace warpsim::cuda;

namespace {

cudaError_t create(cudaStream_t* out, unsigned flags, int priority) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_stream(flags, priority);
    });
}

template <class F> cudaError_t ask(cudaStream_t handle, F&& answer) {
    return call([&] { answer(*Process::get().stream(handle)); });
}

}  // namespace

WARPSIM_API cudaError_t cudaStreamCreate(cudaStream_t* out) { return create(out, 0, 0); }
WARPSIM_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
    return create(out, flags, 0);
}
WARPSIM_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
    return create(out, flags, priority);
}

WARPSIM_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return call([&] { destroy_stream(handle); });
}

WARPSIM_API cudaError_t cudaStreamSynchronize(cudaStream_t s) {
    return ask(s, [&](Stream& stream) { synchronize(stream); });
}
WARPSIM_PER_THREAD(cudaStreamSynchronize, _ptsz)
WARPSIM_API cudaError_t cudaStreamQuery(cudaStream_t s) {
    return ask(s, [&](Stream& stream) { query(stream); });
}
WARPSIM_PER_THREAD(cudaStreamQuery, _ptsz)
WARPSIM_API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    return ask(s, [&](Stream& stream) { wait_for_event(stream, e, flags); });
}
WARPSIM_PER_THREAD(cudaStreamWaitEvent, _ptsz)
WARPSIM_API cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data) {
    return ask(s, [&](Stream& stream) { call_host(stream, f, data); });
}
WARPSIM_PER_THREAD(cudaLaunchHostFunc, _ptsz)
WARPSIM_API cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned flags) {
    return ask(s, [&](Stream& stream) { call_back(stream, s, f, data, flags); });
}
WARPSIM_PER_THREAD(cudaStreamAddCallback, _ptsz)

WARPSIM_API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned* out) {
    return ask(s, [&](Stream const& stream) { give(out, stream.flags); });
}
WARPSIM_PER_THREAD(cudaStreamGetFlags, _ptsz)
WARPSIM_API cudaError_t cudaStreamGetPriority(cudaStream_t s, int* out) {
    return ask(s, [&](Stream const& stream) { give(out, stream.priority); });
}
WARPSIM_PER_THREAD(cudaStreamGetPriority, _ptsz)
WARPSIM_API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long* out) {
    return ask(s, [&](Stream const& stream) { give(out, stream.id); });
}
WARPSIM_PER_THREAD(cudaStreamGetId, _ptsz)
WARPSIM_API cudaError_t cudaStreamGetDevice(cudaStream_t s, int* out) {
    return ask(s, [&](Stream const& stream) { give(out, stream.device); });
}
WARPSIM_PER_THREAD(cudaStreamGetDevice, _ptsz)
WARPSIM_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void*, std::size_t, unsigned) {
    return ask(s, [](Stream const&) {});
}
WARPSIM_PER_THREAD(cudaStreamAttachMemAsync, _ptsz)

#include "runtime/cuda/interface/streams.hpp"
