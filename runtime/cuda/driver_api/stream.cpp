#include "runtime/cuda/streams/streams.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/values.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult create(CUstream* out, unsigned flags, int priority) {
    return in_context([&](Process& process, Gpu&) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = create_stream(process, flags, priority);
    });
}

CUresult destroy_stream(CUstream handle) {
    return in_context([&](Process& process, Gpu&) { destroy_stream(process, handle); });
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
    return in_stream(s, [&](Process& process, Stream& stream) {
        operate_on_values(process, stream, {{operation(type, address, value, flags)}});
    });
}

CUresult operate_on_many(CUstream s, unsigned count, CUstreamBatchMemOpParams const* list, unsigned flags) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        operate_on_values(process, stream, operations(list, count, flags));
    });
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

WARPSIM_API CUresult cuStreamCreate(CUstream* out, unsigned flags) {
    Arguments const said(out, flags);
    return create(out, flags, 0);
}
WARPSIM_API CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
    Arguments const said(out, flags, priority);
    return create(out, flags, priority);
}
WARPSIM_API CUresult cuStreamDestroy(CUstream handle) {
    Arguments const said(handle);
    return destroy_stream(handle);
}
WARPSIM_API CUresult cuStreamDestroy_v2(CUstream handle) {
    Arguments const said(handle);
    return destroy_stream(handle);
}

WARPSIM_API CUresult cuStreamSynchronize(CUstream s) {
    Arguments const said(s);
    return in_stream(s, [](Process& process, Stream& stream) { synchronize(process, stream); });
}
WARPSIM_PER_THREAD(cuStreamSynchronize, cuStreamSynchronize_ptsz)
WARPSIM_API CUresult cuStreamQuery(CUstream s) {
    Arguments const said(s);
    return in_stream(s, [](Process& process, Stream& stream) { query(process, stream); });
}
WARPSIM_PER_THREAD(cuStreamQuery, cuStreamQuery_ptsz)
WARPSIM_API CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags) {
    Arguments const said(s, event, flags);
    return in_stream(s, [&](Process& process, Stream& stream) { wait_for_event(process, stream, event, flags); });
}
WARPSIM_PER_THREAD(cuStreamWaitEvent, cuStreamWaitEvent_ptsz)
WARPSIM_API CUresult cuStreamAddCallback(CUstream s, CUstreamCallback function, void* data, unsigned flags) {
    Arguments const said(s, function, data, flags);
    return in_stream(
        s, [&](Process& process, Stream& stream) { call_back(process, stream, s, function, data, flags); });
}
WARPSIM_PER_THREAD(cuStreamAddCallback, cuStreamAddCallback_ptsz)
WARPSIM_API CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr address, std::size_t bytes, unsigned flags) {
    Arguments const said(s, address, bytes, flags);
    return in_stream(s, [&](Process& process, Stream&) {
        auto const range = process.memory.find(address);
        bool const is_whole = range && (bytes == 0 || (range->begin == address && range->size == bytes));
        if (!is_whole || (flags != 1 && flags != 2 && flags != 4)) throw Failure(Result::invalid_value);
    });
}
WARPSIM_PER_THREAD(cuStreamAttachMemAsync, cuStreamAttachMemAsync_ptsz)

WARPSIM_API CUresult cuStreamGetFlags(CUstream s, unsigned* out) {
    Arguments const said(s, out);
    return in_stream(s, [&](Stream& stream) { give(out, stream.flags); });
}
WARPSIM_PER_THREAD(cuStreamGetFlags, cuStreamGetFlags_ptsz)
WARPSIM_API CUresult cuStreamGetPriority(CUstream s, int* out) {
    Arguments const said(s, out);
    return in_stream(s, [&](Stream& stream) { give(out, stream.priority); });
}
WARPSIM_PER_THREAD(cuStreamGetPriority, cuStreamGetPriority_ptsz)
WARPSIM_API CUresult cuStreamGetId(CUstream s, unsigned long long* out) {
    Arguments const said(s, out);
    return in_stream(s, [&](Stream& stream) { give(out, stream.id); });
}
WARPSIM_PER_THREAD(cuStreamGetId, cuStreamGetId_ptsz)
WARPSIM_API CUresult cuStreamGetDevice(CUstream s, CUdevice* out) {
    Arguments const said(s, out);
    return in_stream(s, [&](Stream& stream) { give(out, stream.gpu.ordinal); });
}
WARPSIM_PER_THREAD(cuStreamGetDevice, cuStreamGetDevice_ptsz)
WARPSIM_API CUresult cuStreamGetCtx(CUstream s, CUcontext* out) {
    Arguments const said(s, out);
    return in_stream(s, [&](Stream& stream) { give(out, context_of(stream)); });
}
WARPSIM_PER_THREAD(cuStreamGetCtx, cuStreamGetCtx_ptsz)
WARPSIM_API CUresult cuStreamGetCtx_v2(CUstream s, CUcontext* out, void** green) {
    Arguments const said(s, out, green);
    return in_stream(s, [&](Stream& stream) {
        give(out, context_of(stream));
        if (green != nullptr) *green = nullptr;
    });
}
WARPSIM_PER_THREAD(cuStreamGetCtx_v2, cuStreamGetCtx_v2_ptsz)

WARPSIM_API CUresult cuStreamGetGreenCtx(CUstream s, void** green) {
    Arguments const said(s, green);
    return in_stream(s, [&](Stream&) { give(green, nullptr); });
}

// The first and the second forms of these take the same parameters.
WARPSIM_API CUresult cuStreamWaitValue32(CUstream s, CUdeviceptr address, std::uint32_t value, unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, wait_32, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWaitValue32, cuStreamWaitValue32_ptsz)
WARPSIM_API CUresult cuStreamWaitValue32_v2(CUstream s, CUdeviceptr address, std::uint32_t value, unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, wait_32, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz)
WARPSIM_API CUresult cuStreamWaitValue64(CUstream s, CUdeviceptr address, std::uint64_t value, unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, wait_64, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWaitValue64, cuStreamWaitValue64_ptsz)
WARPSIM_API CUresult cuStreamWaitValue64_v2(CUstream s, CUdeviceptr address, std::uint64_t value, unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, wait_64, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWaitValue64_v2, cuStreamWaitValue64_v2_ptsz)
WARPSIM_API CUresult cuStreamWriteValue32(CUstream s, CUdeviceptr address, std::uint32_t value, unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, write_32, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWriteValue32, cuStreamWriteValue32_ptsz)
WARPSIM_API CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr address, std::uint32_t value,
                                             unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, write_32, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWriteValue32_v2, cuStreamWriteValue32_v2_ptsz)
WARPSIM_API CUresult cuStreamWriteValue64(CUstream s, CUdeviceptr address, std::uint64_t value, unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, write_64, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWriteValue64, cuStreamWriteValue64_ptsz)
WARPSIM_API CUresult cuStreamWriteValue64_v2(CUstream s, CUdeviceptr address, std::uint64_t value,
                                             unsigned flags) {
    Arguments const said(s, address, value, flags);
    return operate(s, write_64, address, value, flags);
}
WARPSIM_PER_THREAD(cuStreamWriteValue64_v2, cuStreamWriteValue64_v2_ptsz)
WARPSIM_API CUresult cuStreamBatchMemOp(CUstream s, unsigned count, CUstreamBatchMemOpParams* list,
                                        unsigned flags) {
    Arguments const said(s, count, list, flags);
    return operate_on_many(s, count, list, flags);
}
WARPSIM_PER_THREAD(cuStreamBatchMemOp, cuStreamBatchMemOp_ptsz)
WARPSIM_API CUresult cuStreamBatchMemOp_v2(CUstream s, unsigned count, CUstreamBatchMemOpParams* list,
                                           unsigned flags) {
    Arguments const said(s, count, list, flags);
    return operate_on_many(s, count, list, flags);
}
WARPSIM_PER_THREAD(cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz)

WARPSIM_API CUresult cuStreamSetAttribute(void* stream, int attribute, void const* value) {
    Arguments const said(stream, attribute, value);
    return call([&](Process& process) { set_stream_attribute(*process.stream(stream), attribute, value); });
}
WARPSIM_PER_THREAD(cuStreamSetAttribute, cuStreamSetAttribute_ptsz)
WARPSIM_API CUresult cuStreamGetAttribute(void* stream, int attribute, void* value) {
    Arguments const said(stream, attribute, value);
    return call([&](Process& process) { get_stream_attribute(*process.stream(stream), attribute, value); });
}
WARPSIM_PER_THREAD(cuStreamGetAttribute, cuStreamGetAttribute_ptsz)
WARPSIM_API CUresult cuStreamCopyAttributes(void* to, void* from) {
    Arguments const said(to, from);
    return call([&](Process& process) { copy_stream_attributes(*process.stream(to), *process.stream(from)); });
}
WARPSIM_PER_THREAD(cuStreamCopyAttributes, cuStreamCopyAttributes_ptsz)
