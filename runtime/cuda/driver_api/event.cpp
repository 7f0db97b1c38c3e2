#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/streams.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult destroy_event(CUevent handle) {
    return in_context([&](Process& process, Gpu&) { destroy_event(process, handle); });
}

CUresult elapsed(float* out, CUevent from, CUevent to) {
    return in_context([&](Process& process, Gpu&) { give(out, elapsed_milliseconds(process, from, to)); });
}

}  // namespace

WARPSIM_API CUresult cuEventCreate(CUevent* out, unsigned flags) {
    Arguments const said(out, flags);
    return in_context([&](Process& process, Gpu&) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_event(process, flags);
    });
}
WARPSIM_API CUresult cuEventDestroy(CUevent handle) {
    Arguments const said(handle);
    return destroy_event(handle);
}
WARPSIM_API CUresult cuEventDestroy_v2(CUevent handle) {
    Arguments const said(handle);
    return destroy_event(handle);
}

WARPSIM_API CUresult cuEventRecord(CUevent handle, CUstream s) {
    Arguments const said(handle, s);
    return in_stream(s, [&](Process& process, Stream& stream) { record_event(process, handle, stream, 0); });
}
WARPSIM_PER_THREAD(cuEventRecord, cuEventRecord_ptsz)
WARPSIM_API CUresult cuEventRecordWithFlags(CUevent handle, CUstream s, unsigned flags) {
    Arguments const said(handle, s, flags);
    return in_stream(s, [&](Process& process, Stream& stream) { record_event(process, handle, stream, flags); });
}
WARPSIM_PER_THREAD(cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz)

WARPSIM_API CUresult cuEventQuery(CUevent handle) {
    Arguments const said(handle);
    return in_context([&](Process& process, Gpu&) { query_event(process, handle); });
}
WARPSIM_API CUresult cuEventSynchronize(CUevent handle) {
    Arguments const said(handle);
    return in_context([&](Process& process, Gpu&) { synchronize_event(process, handle); });
}
WARPSIM_API CUresult cuEventElapsedTime(float* out, CUevent from, CUevent to) {
    Arguments const said(out, from, to);
    return elapsed(out, from, to);
}
WARPSIM_API CUresult cuEventElapsedTime_v2(float* out, CUevent from, CUevent to) {
    Arguments const said(out, from, to);
    return elapsed(out, from, to);
}
