#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/newest_names.hpp"
#include "runtime/cuda/streams/streams.hpp"

using namespace warpsim::cuda;

namespace {

cudaError_t create(cudaEvent_t* out, unsigned flags) {
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_event(process, flags);
    });
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    return call([&](Process& process) { record_event(process, handle, *process.stream(stream), flags); });
}

}  // namespace

WARPSIM_API cudaError_t cudaEventCreate(cudaEvent_t* out) {
    Arguments const said(out);
    return create(out, 0);
}
WARPSIM_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
    Arguments const said(out, flags);
    return create(out, flags);
}

WARPSIM_API cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    Arguments const said(handle);
    return call([&](Process& process) { destroy_event(process, handle); });
}

WARPSIM_API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
    Arguments const said(e, s);
    return record(e, s, 0);
}
WARPSIM_PER_THREAD(cudaEventRecord, cudaEventRecord_ptsz)
WARPSIM_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned f) {
    Arguments const said(e, s, f);
    return record(e, s, f);
}
WARPSIM_PER_THREAD(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz)

WARPSIM_API cudaError_t cudaEventQuery(cudaEvent_t handle) {
    Arguments const said(handle);
    return call([&](Process& process) { query_event(process, handle); });
}

WARPSIM_API cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    Arguments const said(handle);
    return in_context([&](Process& process) { synchronize_event(process, handle); });
}

WARPSIM_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    Arguments const said(milliseconds, from, to);
    return call([&](Process& process) { give(milliseconds, elapsed_milliseconds(process, from, to)); });
}
