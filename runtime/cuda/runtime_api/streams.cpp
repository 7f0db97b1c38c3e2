#include "runtime/cuda/streams/streams.hpp"
#include "runtime/cuda/runtime_api/call.hpp"

using namespace warpsim::cuda;

namespace {

cudaError_t create(cudaStream_t* out, unsigned flags, int priority) {
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_stream(process, flags, priority);
    });
}

template <class F> cudaError_t ask(cudaStream_t handle, F&& answer) {
    return call([&](Process& process) { work_with(process, answer, *process.stream(handle)); });
}

}  // namespace

WARPSIM_API cudaError_t cudaStreamCreate(cudaStream_t* out) {
    Arguments const said(out);
    return create(out, 0, 0);
}
WARPSIM_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
    Arguments const said(out, flags);
    return create(out, flags, 0);
}
WARPSIM_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
    Arguments const said(out, flags, priority);
    return create(out, flags, priority);
}

WARPSIM_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    Arguments const said(handle);
    return call([&](Process& process) { destroy_stream(process, handle); });
}

WARPSIM_API cudaError_t cudaStreamSynchronize(cudaStream_t s) {
    Arguments const said(s);
    return ask(s, [&](Process& process, Stream& stream) { synchronize(process, stream); });
}
WARPSIM_PER_THREAD(cudaStreamSynchronize, cudaStreamSynchronize_ptsz)
WARPSIM_API cudaError_t cudaStreamQuery(cudaStream_t s) {
    Arguments const said(s);
    return ask(s, [&](Process& process, Stream& stream) { query(process, stream); });
}
WARPSIM_PER_THREAD(cudaStreamQuery, cudaStreamQuery_ptsz)
WARPSIM_API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    Arguments const said(s, e, flags);
    return ask(s, [&](Process& process, Stream& stream) { wait_for_event(process, stream, e, flags); });
}
WARPSIM_PER_THREAD(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz)
WARPSIM_API cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data) {
    Arguments const said(s, f, data);
    return ask(s, [&](Process& process, Stream& stream) { call_host(process, stream, f, data); });
}
WARPSIM_PER_THREAD(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz)
WARPSIM_API cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned flags) {
    Arguments const said(s, f, data, flags);
    return ask(s, [&](Process& process, Stream& stream) { call_back(process, stream, s, f, data, flags); });
}
WARPSIM_PER_THREAD(cudaStreamAddCallback, cudaStreamAddCallback_ptsz)

WARPSIM_API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned* out) {
    Arguments const said(s, out);
    return ask(s, [&](Stream const& stream) { give(out, stream.flags); });
}
WARPSIM_PER_THREAD(cudaStreamGetFlags, cudaStreamGetFlags_ptsz)
WARPSIM_API cudaError_t cudaStreamGetPriority(cudaStream_t s, int* out) {
    Arguments const said(s, out);
    return ask(s, [&](Stream const& stream) { give(out, stream.priority); });
}
WARPSIM_PER_THREAD(cudaStreamGetPriority, cudaStreamGetPriority_ptsz)
WARPSIM_API cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long* out) {
    Arguments const said(s, out);
    return ask(s, [&](Stream const& stream) { give(out, stream.id); });
}
WARPSIM_PER_THREAD(cudaStreamGetId, cudaStreamGetId_ptsz)
WARPSIM_API cudaError_t cudaStreamGetDevice(cudaStream_t s, int* out) {
    Arguments const said(s, out);
    return ask(s, [&](Stream const& stream) { give(out, stream.gpu.ordinal); });
}
WARPSIM_PER_THREAD(cudaStreamGetDevice, cudaStreamGetDevice_ptsz)
WARPSIM_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void*, std::size_t, unsigned) {
    Arguments const said(s);
    return ask(s, [](Stream const&) {});
}
WARPSIM_PER_THREAD(cudaStreamAttachMemAsync, cudaStreamAttachMemAsync_ptsz)

WARPSIM_API cudaError_t cudaStreamSetAttribute(void* stream, int attribute, void const* value) {
    Arguments const said(stream, attribute, value);
    return call([&](Process& process) { set_stream_attribute(*process.stream(stream), attribute, value); });
}
WARPSIM_PER_THREAD(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz)
WARPSIM_API cudaError_t cudaStreamGetAttribute(void* stream, int attribute, void* value) {
    Arguments const said(stream, attribute, value);
    return call([&](Process& process) { get_stream_attribute(*process.stream(stream), attribute, value); });
}
WARPSIM_PER_THREAD(cudaStreamGetAttribute, cudaStreamGetAttribute_ptsz)
WARPSIM_API cudaError_t cudaStreamCopyAttributes(void* to, void* from) {
    Arguments const said(to, from);
    return call([&](Process& process) { copy_stream_attributes(*process.stream(to), *process.stream(from)); });
}
WARPSIM_PER_THREAD(cudaStreamCopyAttributes, cudaStreamCopyAttributes_ptsz)
