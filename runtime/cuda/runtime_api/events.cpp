#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/streams/streams.hpp"

using namespace warpsim::cuda;

namespace {

cudaError_t create(cudaEvent_t* out, unsigned flags) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_event(flags);
    });
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    return call([&] { record_event(handle, *Process::get().stream(stream), flags); });
}

}  // namespace

WARPSIM_API cudaError_t cudaEventCreate(cudaEvent_t* out) { return create(out, 0); }
WARPSIM_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) { return create(out, flags); }

WARPSIM_API cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return call([&] { destroy_event(handle); });
}

WARPSIM_API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return record(e, s, 0); }
WARPSIM_PER_THREAD(cudaEventRecord, _ptsz)
WARPSIM_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned f) {
    return record(e, s, f);
}
WARPSIM_PER_THREAD(cudaEventRecordWithFlags, _ptsz)

WARPSIM_API cudaError_t cudaEventQuery(cudaEvent_t handle) {
    return call([&] { query_event(handle); });
}

WARPSIM_API cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return call([&] { synchronize_event(handle); });
}

WARPSIM_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    return call([&] { give(milliseconds, elapsed_milliseconds(from, to)); });
}
