#include "runtime/cuda/streams/streams.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/values.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult create(CUstream* out, unsigned flags, int priority) {
    return in_context([&](Gpu&) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_stream(flags, priority);
    });
}

CUresult destroy(CUstream handle) {
    return in_context([&](Gpu&) { destroy_stream(handle); });
}

CUcontext context_of(Stream const& stream) {
    return stream.context != nullptr ? stream.context : Thread::current().context();
}

/// The numbers of CUstreamBatchMemOpType.
enum Operation : unsigned { wait_32 = 1, write_32 = 2, flush = 3, wait_64 = 4, write_64 = 5, barrier = 6 };

ValueOperation operation(unsigned type, CUdeviceptr address, std::uint64_t value, unsigned flags) {
    using Kind = ValueOperation::Kind;
    constexpr unsigned comparison = 3, flush_flag = 1u << 30, no_barrier_flag = 1;
    ValueOperation o;
    o.code = type;
    o.flags = flags;
    o.address = address;
    o.value = value;
    switch (type) {
        case wait_32: o.kind = Kind::wait_32; break;
        case wait_64: o.kind = Kind::wait_64; break;
        case write_32: o.kind = Kind::write_32; break;
        case write_64: o.kind = Kind::write_64; break;
        case flush:
        case barrier: return o;
        default: throw Failure(Result::invalid_value);
    }
    if ((flags & ~(o.is_wait() ? comparison | flush_flag : no_barrier_flag)) != 0)
        throw Failure(Result::invalid_value);
    if (o.is_wait()) o.comparison = static_cast<ValueOperation::Comparison>(flags & comparison);
    if (!o.is_wide()) o.value &= 0xffffffffu;
    return o;
}

CUresult operate(CUstream s, unsigned type, CUdeviceptr address, std::uint64_t value, unsigned flags) {
    return in_stream(
        s, [&](Stream& stream) { operate_on_values(stream, {{operation(type, address, value, flags)}}); });
}

CUresult operate_on_many(CUstream s, unsigned count, CUstreamBatchMemOpParams const* list, unsigned flags) {
    return in_stream(s, [&](Stream& stream) { operate_on_values(stream, operations(list, count, flags)); });
}

}  // namespace

namespace warpsim::cuda::driver {

ValueWork operations(CUstreamBatchMemOpParams const* list, unsigned count, unsigned flags) {
    constexpr unsigned most = 256;
    if (flags != 0 || count > most || (count != 0 && list == nullptr)) throw Failure(Result::invalid_value);
    ValueWork work;
    for (unsigned i = 0; i < count; ++i) {
        auto const& v = list[i].value;
        work.operations.push_back(operation(v.operation, v.address, v.value, v.flags));
    }
    return work;
}

CUstreamBatchMemOpParams description_of(ValueOperation const& o) {
    CUstreamBatchMemOpParams p{};
    p.value = {o.code, o.address, o.value, o.flags, 0};
    return p;
}

}  // namespace warpsim::cuda::driver

WARPSIM_API CUresult cuStreamCreate(CUstream* out, unsigned flags) { return create(out, flags, 0); }
WARPSIM_API CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
    return create(out, flags, priority);
}
WARPSIM_API CUresult cuStreamDestroy(CUstream handle) { return destroy(handle); }
WARPSIM_API CUresult cuStreamDestroy_v2(CUstream handle) { return destroy(handle); }

WARPSIM_API CUresult cuStreamSynchronize(CUstream s) {
    return in_stream(s, [](Stream& stream) { synchronize(stream); });
}
WARPSIM_PER_THREAD(cuStreamSynchronize, _ptsz)
WARPSIM_API CUresult cuStreamQuery(CUstream s) {
    return in_stream(s, [](Stream& stream) { query(stream); });
}
WARPSIM_PER_THREAD(cuStreamQuery, _ptsz)
WARPSIM_API CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags) {
    return in_stream(s, [&](Stream& stream) { wait_for_event(stream, event, flags); });
}
WARPSIM_PER_THREAD(cuStreamWaitEvent, _ptsz)
WARPSIM_API CUresult cuStreamAddCallback(CUstream s, CUstreamCallback function, void* data, unsigned flags) {
    return in_stream(s, [&](Stream& stream) { call_back(stream, s, function, data, flags); });
}
WARPSIM_PER_THREAD(cuStreamAddCallback, _ptsz)
WARPSIM_API CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr address, std::size_t bytes, unsigned flags) {
    return in_stream(s, [&](Stream&) {
        auto const range = Process::get().memory.find(address);
        bool const is_whole = range && (bytes == 0 || (range->begin == address && range->size == bytes));
        if (!is_whole || (flags != 1 && flags != 2 && flags != 4)) throw Failure(Result::invalid_value);
    });
}
WARPSIM_PER_THREAD(cuStreamAttachMemAsync, _ptsz)

WARPSIM_API CUresult cuStreamGetFlags(CUstream s, unsigned* out) {
    return in_stream(s, [&](Stream& stream) { give(out, stream.flags); });
}
WARPSIM_PER_THREAD(cuStreamGetFlags, _ptsz)
WARPSIM_API CUresult cuStreamGetPriority(CUstream s, int* out) {
    return in_stream(s, [&](Stream& stream) { give(out, stream.priority); });
}
WARPSIM_PER_THREAD(cuStreamGetPriority, _ptsz)
WARPSIM_API CUresult cuStreamGetId(CUstream s, unsigned long long* out) {
    return in_stream(s, [&](Stream& stream) { give(out, stream.id); });
}
WARPSIM_PER_THREAD(cuStreamGetId, _ptsz)
WARPSIM_API CUresult cuStreamGetDevice(CUstream s, CUdevice* out) {
    return in_stream(s, [&](Stream& stream) { give(out, stream.device); });
}
WARPSIM_PER_THREAD(cuStreamGetDevice, _ptsz)
WARPSIM_API CUresult cuStreamGetCtx(CUstream s, CUcontext* out) {
    return in_stream(s, [&](Stream& stream) { give(out, context_of(stream)); });
}
WARPSIM_PER_THREAD(cuStreamGetCtx, _ptsz)
WARPSIM_API CUresult cuStreamGetCtx_v2(CUstream s, CUcontext* out, void** green) {
    return in_stream(s, [&](Stream& stream) {
        give(out, context_of(stream));
        if (green != nullptr) *green = nullptr;
    });
}
WARPSIM_PER_THREAD(cuStreamGetCtx_v2, _ptsz)

WARPSIM_API CUresult cuStreamGetGreenCtx(CUstream s, void** green) {
    return in_stream(s, [&](Stream&) { give(green, nullptr); });
}

// The first forms of these and the second take the same parameters.
#define WARPSIM_VALUE_OPERATION(name, type, kind)                                            \
    WARPSIM_API CUresult name(CUstream s, CUdeviceptr address, type value, unsigned flags) { \
        return operate(s, kind, address, value, flags);                                      \
    }                                                                                        \
    WARPSIM_PER_THREAD(name, _ptsz)
#define WARPSIM_MANY_OPERATIONS(name)                                                                       \
    WARPSIM_API CUresult name(CUstream s, unsigned count, CUstreamBatchMemOpParams* list, unsigned flags) { \
        return operate_on_many(s, count, list, flags);                                                      \
    }                                                                                                       \
    WARPSIM_PER_THREAD(name, _ptsz)

WARPSIM_VALUE_OPERATION(cuStreamWaitValue32, std::uint32_t, wait_32)
WARPSIM_VALUE_OPERATION(cuStreamWaitValue32_v2, std::uint32_t, wait_32)
WARPSIM_VALUE_OPERATION(cuStreamWaitValue64, std::uint64_t, wait_64)
WARPSIM_VALUE_OPERATION(cuStreamWaitValue64_v2, std::uint64_t, wait_64)
WARPSIM_VALUE_OPERATION(cuStreamWriteValue32, std::uint32_t, write_32)
WARPSIM_VALUE_OPERATION(cuStreamWriteValue32_v2, std::uint32_t, write_32)
WARPSIM_VALUE_OPERATION(cuStreamWriteValue64, std::uint64_t, write_64)
WARPSIM_VALUE_OPERATION(cuStreamWriteValue64_v2, std::uint64_t, write_64)
WARPSIM_MANY_OPERATIONS(cuStreamBatchMemOp)
WARPSIM_MANY_OPERATIONS(cuStreamBatchMemOp_v2)

#include "runtime/cuda/interface/streams.hpp"
