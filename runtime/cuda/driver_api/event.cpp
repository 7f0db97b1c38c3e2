#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/streams.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult destroy(CUevent handle) {
    return in_context([&](Gpu&) { destroy_event(handle); });
}

CUresult elapsed(float* out, CUevent from, CUevent to) {
    return in_context([&](Gpu&) { give(out, elapsed_milliseconds(from, to)); });
}

}  // namespace

WARPSIM_API CUresult cuEventCreate(CUevent* out, unsigned flags) {
    return in_context([&](Gpu&) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_event(flags);
    });
}
WARPSIM_API CUresult cuEventDestroy(CUevent handle) { return destroy(handle); }
WARPSIM_API CUresult cuEventDestroy_v2(CUevent handle) { return destroy(handle); }

WARPSIM_API CUresult cuEventRecord(CUevent handle, CUstream s) {
    return in_stream(s, [&](Stream& stream) { record_event(handle, stream, 0); });
}
WARPSIM_PER_THREAD(cuEventRecord, _ptsz)
WARPSIM_API CUresult cuEventRecordWithFlags(CUevent handle, CUstream s, unsigned flags) {
    return in_stream(s, [&](Stream& stream) { record_event(handle, stream, flags); });
}
WARPSIM_PER_THREAD(cuEventRecordWithFlags, _ptsz)

WARPSIM_API CUresult cuEventQuery(CUevent handle) {
    return in_context([&](Gpu&) { query_event(handle); });
}
WARPSIM_API CUresult cuEventSynchronize(CUevent handle) {
    return in_context([&](Gpu&) { synchronize_event(handle); });
}
WARPSIM_API CUresult cuEventElapsedTime(float* out, CUevent from, CUevent to) { return elapsed(out, from, to); }
WARPSIM_API CUresult cuEventElapsedTime_v2(float* out, CUevent from, CUevent to) { return elapsed(out, from, to); }
