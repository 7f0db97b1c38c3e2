#include "runtime/cuda/driver_api/copies.hpp"

#include "runtime/cuda/driver_api/call.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult copy_1d(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, Direction direction, CUstream s, bool async) {
    return in_stream(s, [&](Stream& stream) { copy(pointer(to), pointer(from), bytes, direction, stream, async); });
}

/// Where one side of a copy begins. `slice` is in rows.
Box side(CUmemorytype type, void const* host, CUdeviceptr device, std::size_t x, std::size_t y, std::size_t z,
         std::size_t pitch, std::size_t slice, std::size_t width) {
    std::uint64_t base = 0;
    switch (type) {
    case host_memory: base = number(host); break;
    case device_memory:
    case unified_memory: base = device; break;
    case array_memory: throw Failure(Result::not_supported);
    default: throw Failure(Result::invalid_value);
    }
    bool const must_be_known = type == device_memory;
    if (base == 0 || (must_be_known && !Process::get().memory.find(base))) throw Failure(Result::invalid_value);
    std::size_t const row = pitch != 0 ? pitch : x + width;
    if (row < x + width) throw Failure(Result::invalid_value);
    return {base + z * slice * row + y * row + x, row, slice * row};
}

void copy(CopyWork const& w, Stream& stream, bool async) {
    warpsim::cuda::copy(w.to, w.from, w.extent, w.direction, stream, async);
}

CUresult copy_2d(CUDA_MEMCPY2D const* c, CUstream s, bool async) {
    return in_stream(s, [&](Stream& stream) {
        if (c == nullptr) throw Failure(Result::invalid_value);
        copy(work_of_copy(*c), stream, async);
    });
}

CUresult copy_3d(CUDA_MEMCPY3D const* c, CUstream s, bool async, bool between_contexts = false) {
    return in_stream(s, [&](Stream& stream) {
        if (c == nullptr) throw Failure(Result::invalid_value);
        if (between_contexts) {
            Process::get().contexts.get(c->reserved0);
            Process::get().contexts.get(c->reserved1);
        }
        copy(work_of_copy(*c), stream, async);
    });
}

CUresult copy_between(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes,
                      CUstream s, bool async) {
    return in_stream(s, [&](Stream& stream) {
        Process::get().contexts.get(to_context);
        Process::get().contexts.get(from_context);
        copy(pointer(to), pointer(from), bytes, Direction::device_to_device, stream, async);
    });
}

CUresult copy_many(CUdeviceptr const* to, CUdeviceptr const* from, std::size_t const* sizes, std::size_t count,
                   std::size_t const* first_of, std::size_t attributes, std::size_t* failed, CUstream s) {
    return in_stream(s, [&](Stream& stream) {
        bool const is_whole = to != nullptr && from != nullptr && sizes != nullptr && count != 0 && attributes <= count;
        if (failed != nullptr) *failed = ~std::size_t{0};
        // The default streams are refused.
        if (!is_whole || (attributes != 0 && (first_of == nullptr || first_of[0] != 0)) || number(s) <= 2) {
            throw Failure(Result::invalid_value);
        }
        for (std::size_t i = 0; i < count; ++i) {
            try {
                copy(pointer(to[i]), pointer(from[i]), sizes[i], Direction::by_address, stream, true);
            } catch (Failure const&) {
                if (failed != nullptr) *failed = i;
                throw;
            }
        }
    });
}

}  // namespace

namespace warpsim::cuda::driver {

CopyWork work_of_copy(CUDA_MEMCPY2D const& c) {
    Box const to = side(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes, c.dstY, 0, c.dstPitch, 0, c.WidthInBytes);
    Box const from = side(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes, c.srcY, 0, c.srcPitch, 0, c.WidthInBytes);
    return {to, from, {c.WidthInBytes, c.Height, 1}, Direction::by_address};
}

CopyWork work_of_copy(CUDA_MEMCPY3D const& c) {
    std::size_t const to_rows = c.dstHeight != 0 ? c.dstHeight : c.dstY + c.Height;
    std::size_t const from_rows = c.srcHeight != 0 ? c.srcHeight : c.srcY + c.Height;
    Box const to = side(c.dstMemoryType, c.dstHost, c.dstDevice, c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch, to_rows, c.WidthInBytes);
    Box const from =
        side(c.srcMemoryType, c.srcHost, c.srcDevice, c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch, from_rows, c.WidthInBytes);
    return {to, from, {c.WidthInBytes, c.Height, c.Depth}, Direction::by_address};
}

CUDA_MEMCPY3D description_of(CopyWork const& w) {
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = c.dstMemoryType = unified_memory;
    c.srcDevice = w.from.address;
    c.dstDevice = w.to.address;
    c.srcPitch = w.from.row_distance;
    c.dstPitch = w.to.row_distance;
    c.srcHeight = w.from.row_distance != 0 ? w.from.slice_distance / w.from.row_distance : 0;
    c.dstHeight = w.to.row_distance != 0 ? w.to.slice_distance / w.to.row_distance : 0;
    c.WidthInBytes = w.extent.width;
    c.Height = w.extent.height;
    c.Depth = w.extent.depth;
    return c;
}

}  // namespace warpsim::cuda::driver

WARPSIM_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t n) {
    return copy_1d(to, from, n, Direction::by_address, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpy, _ptds)
WARPSIM_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream s) {
    return copy_1d(to, from, n, Direction::by_address, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyAsync, _ptsz)
WARPSIM_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, void const* from, std::size_t n) {
    return copy_1d(to, number(from), n, Direction::host_to_device, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyHtoD_v2, _ptds)
WARPSIM_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, void const* from, std::size_t n, CUstream s) {
    return copy_1d(to, number(from), n, Direction::host_to_device, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz)
WARPSIM_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t n) {
    return copy_1d(number(to), from, n, Direction::device_to_host, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyDtoH_v2, _ptds)
WARPSIM_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t n, CUstream s) {
    return copy_1d(number(to), from, n, Direction::device_to_host, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz)
WARPSIM_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n) {
    return copy_1d(to, from, n, Direction::device_to_device, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyDtoD_v2, _ptds)
WARPSIM_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream s) {
    return copy_1d(to, from, n, Direction::device_to_device, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz)

WARPSIM_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t n) {
    return copy_between(to, to_context, from, from_context, n, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyPeer, _ptds)
WARPSIM_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                       std::size_t n, CUstream s) {
    return copy_between(to, to_context, from, from_context, n, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyPeerAsync, _ptsz)

WARPSIM_API CUresult cuMemcpy2D_v2(CUDA_MEMCPY2D const* c) { return copy_2d(c, nullptr, false); }
WARPSIM_PER_THREAD(cuMemcpy2D_v2, _ptds)
WARPSIM_API CUresult cuMemcpy2DUnaligned_v2(CUDA_MEMCPY2D const* c) { return copy_2d(c, nullptr, false); }
WARPSIM_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds)
WARPSIM_API CUresult cuMemcpy2DAsync_v2(CUDA_MEMCPY2D const* c, CUstream s) { return copy_2d(c, s, true); }
WARPSIM_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz)
WARPSIM_API CUresult cuMemcpy3D_v2(CUDA_MEMCPY3D const* c) { return copy_3d(c, nullptr, false); }
WARPSIM_PER_THREAD(cuMemcpy3D_v2, _ptds)
WARPSIM_API CUresult cuMemcpy3DAsync_v2(CUDA_MEMCPY3D const* c, CUstream s) { return copy_3d(c, s, true); }
WARPSIM_PER_THREAD(cuMemcpy3DAsync_v2, _ptsz)
WARPSIM_API CUresult cuMemcpy3DPeer(CUDA_MEMCPY3D const* c) { return copy_3d(c, nullptr, false, true); }
WARPSIM_PER_THREAD(cuMemcpy3DPeer, _ptds)
WARPSIM_API CUresult cuMemcpy3DPeerAsync(CUDA_MEMCPY3D const* c, CUstream s) { return copy_3d(c, s, true, true); }
WARPSIM_PER_THREAD(cuMemcpy3DPeerAsync, _ptsz)

WARPSIM_API CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, std::size_t* sizes, std::size_t count, void*,
                                        std::size_t* first_of, std::size_t attributes, std::size_t* failed, CUstream s) {
    return copy_many(to, from, sizes, count, first_of, attributes, failed, s);
}
WARPSIM_PER_THREAD(cuMemcpyBatchAsync, _ptsz)
WARPSIM_API CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, std::size_t* sizes, std::size_t count, void*,
                                           std::size_t* first_of, std::size_t attributes, CUstream s) {
    return copy_many(to, from, sizes, count, first_of, attributes, nullptr, s);
}
WARPSIM_PER_THREAD(cuMemcpyBatchAsync_v2, _ptsz)
