#include "runtime/cuda/driver_api/copies.hpp"
#include "runtime/cuda/streams/copy_batches.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/textures/arrays.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUresult copy_1d(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, Direction direction, CUstream s,
                 bool async) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        copy(process, pointer(to), pointer(from), bytes, direction, stream, async);
    });
}

/// One side of a copy in up to three dimensions, common to both descriptions.
struct Side {
    CUmemorytype type;
    void const* host;
    CUdeviceptr device;
    CUarray array;
    std::size_t x, y, z;  // x in bytes
    std::size_t pitch;    // 0: rows follow one another without a gap
    std::size_t rows;     // of a slice
};

Box box_of(Process& process, Side const& s, Extent const& extent) {
    if (s.type == array_memory) return process.arrays.get(s.array)->box(s.x, s.y, s.z, extent);
    bool const is_known_type = s.type == host_memory || s.type == device_memory || s.type == unified_memory;
    if (!is_known_type) throw Failure(Result::invalid_value);
    std::uint64_t const base = s.type == host_memory ? number(s.host) : s.device;
    Memory const& memory = process.memory;
    // Memory of a graph may be named before it exists.
    bool const is_there = s.type != device_memory || memory.find(base) || memory.is_suspended(base);
    if (base == 0 || !is_there) throw Failure(Result::invalid_value);
    std::size_t const row = s.pitch != 0 ? s.pitch : s.x + extent.width;
    if (row < s.x + extent.width) throw Failure(Result::invalid_value);
    std::size_t const slice = row * s.rows;
    return {base + s.z * slice + s.y * row + s.x, row, slice};
}

/// Copies between an array of one dimension and memory or another array.
CUresult copy_to_array(CUarray to, std::size_t at, std::uint64_t from, std::size_t bytes, Direction direction,
                       CUstream s, bool async) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        copy(process, {process.arrays.get(to), at, 0}, from, bytes, direction, stream, async);
    });
}
CUresult copy_from_array(std::uint64_t to, CUarray from, std::size_t at, std::size_t bytes, Direction direction,
                         CUstream s, bool async) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        copy(process, to, {process.arrays.get(from), at, 0}, bytes, direction, stream, async);
    });
}
CUresult copy_between_arrays(CUarray to, std::size_t to_at, CUarray from, std::size_t from_at, std::size_t bytes) {
    return in_stream(nullptr, [&](Process& process, Stream& stream) {
        std::uint64_t const element = process.arrays.get(from)->shape.format.bytes();
        if (process.arrays.get(to)->shape.format.bytes() != element || bytes % element != 0)
            throw Failure(Result::invalid_value);
        copy(process, {process.arrays.get(to), to_at, 0}, {process.arrays.get(from), from_at, 0}, bytes, stream);
    });
}

CUresult copy_2d(CUDA_MEMCPY2D const* c, CUstream s, bool async) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        if (c == nullptr) throw Failure(Result::invalid_value);
        copy(process, work_of_copy(process, *c), stream, async);
    });
}

CUresult copy_3d(CUDA_MEMCPY3D const* c, CUstream s, bool async) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        if (c == nullptr) throw Failure(Result::invalid_value);
        copy(process, work_of_copy(process, *c), stream, async);
    });
}

Gpu& gpu_of(Process& process, CUcontext context) { return process.gpu(process.contexts.get(context)->device); }

CUresult copy_1d_between(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                         std::size_t n, CUstream s, bool async) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        copy_between(process, {{to, n, n}, {from, n, n}, {n, 1, 1}, Direction::device_to_device},
                     gpu_of(process, to_context), gpu_of(process, from_context), stream, async);
    });
}

CUresult copy_3d_between(CUDA_MEMCPY3D const* c, CUstream s, bool async) {
    return in_stream(s, [&](Process& process, Stream& stream) {
        if (c == nullptr) throw Failure(Result::invalid_value);
        Gpu &to = gpu_of(process, c->reserved1), &from = gpu_of(process, c->reserved0);
        copy_between(process, work_of_copy(process, *c), to, from, stream, async);
    });
}

}  // namespace

namespace warpsim::cuda::driver {

CopyWork work_of_copy(Process& process, CUDA_MEMCPY2D const& c) {
    Extent const extent{c.WidthInBytes, c.Height, 1};
    Side const to{c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, 0, c.dstPitch, 0};
    Side const from{c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, 0, c.srcPitch, 0};
    return {box_of(process, to, extent), box_of(process, from, extent), extent, Direction::by_address};
}

CopyWork work_of_copy(Process& process, CUDA_MEMCPY3D const& c) {
    if (c.srcLOD != 0 || c.dstLOD != 0) throw Failure(Result::invalid_value);
    Extent const extent{c.WidthInBytes, c.Height, c.Depth};
    Side const to{c.dstMemoryType, c.dstHost,     c.dstDevice,
                  c.dstArray,      c.dstXInBytes, c.dstY,
                  c.dstZ,          c.dstPitch,    c.dstHeight != 0 ? c.dstHeight : c.dstY + c.Height};
    Side const from{c.srcMemoryType, c.srcHost,     c.srcDevice,
                    c.srcArray,      c.srcXInBytes, c.srcY,
                    c.srcZ,          c.srcPitch,    c.srcHeight != 0 ? c.srcHeight : c.srcY + c.Height};
    return {box_of(process, to, extent), box_of(process, from, extent), extent, Direction::by_address};
}

CUDA_MEMCPY3D description_of(CopyWork const& w) {
    auto const rows = [](Box const& b) { return b.row_distance != 0 ? b.slice_distance / b.row_distance : 0; };
    CUDA_MEMCPY3D c{};
    if (ArrayPlace const& at = w.from.place; at.array != nullptr) {
        c.srcMemoryType = array_memory;
        c.srcArray = at.array;
        c.srcXInBytes = at.x * at.element_bytes;
        c.srcY = at.y;
        c.srcZ = at.z;
    } else {
        c.srcMemoryType = unified_memory;
        c.srcDevice = w.from.address;
        c.srcPitch = w.from.row_distance;
        c.srcHeight = rows(w.from);
    }
    if (ArrayPlace const& at = w.to.place; at.array != nullptr) {
        c.dstMemoryType = array_memory;
        c.dstArray = at.array;
        c.dstXInBytes = at.x * at.element_bytes;
        c.dstY = at.y;
        c.dstZ = at.z;
    } else {
        c.dstMemoryType = unified_memory;
        c.dstDevice = w.to.address;
        c.dstPitch = w.to.row_distance;
        c.dstHeight = rows(w.to);
    }
    c.WidthInBytes = w.extent.width;
    c.Height = w.extent.height;
    c.Depth = w.extent.depth;
    return c;
}

}  // namespace warpsim::cuda::driver

WARPSIM_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t n) {
    Arguments const said(to, from, n);
    return copy_1d(to, from, n, Direction::by_address, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpy, cuMemcpy_ptds)
WARPSIM_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream s) {
    Arguments const said(to, from, n, s);
    return copy_1d(to, from, n, Direction::by_address, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyAsync, cuMemcpyAsync_ptsz)
WARPSIM_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, void const* from, std::size_t n) {
    Arguments const said(to, from, n);
    return copy_1d(to, number(from), n, Direction::host_to_device, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds)
WARPSIM_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, void const* from, std::size_t n, CUstream s) {
    Arguments const said(to, from, n, s);
    return copy_1d(to, number(from), n, Direction::host_to_device, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz)
WARPSIM_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t n) {
    Arguments const said(to, from, n);
    return copy_1d(number(to), from, n, Direction::device_to_host, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds)
WARPSIM_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t n, CUstream s) {
    Arguments const said(to, from, n, s);
    return copy_1d(number(to), from, n, Direction::device_to_host, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz)
WARPSIM_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n) {
    Arguments const said(to, from, n);
    return copy_1d(to, from, n, Direction::device_to_device, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds)
WARPSIM_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream s) {
    Arguments const said(to, from, n, s);
    return copy_1d(to, from, n, Direction::device_to_device, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz)

WARPSIM_API CUresult cuMemcpyHtoA_v2(CUarray to, std::size_t at, void const* from, std::size_t n) {
    Arguments const said(to, at, from, n);
    return copy_to_array(to, at, number(from), n, Direction::host_to_device, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds)
WARPSIM_API CUresult cuMemcpyHtoAAsync_v2(CUarray to, std::size_t at, void const* from, std::size_t n,
                                          CUstream s) {
    Arguments const said(to, at, from, n, s);
    return copy_to_array(to, at, number(from), n, Direction::host_to_device, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz)
WARPSIM_API CUresult cuMemcpyAtoH_v2(void* to, CUarray from, std::size_t at, std::size_t n) {
    Arguments const said(to, from, at, n);
    return copy_from_array(number(to), from, at, n, Direction::device_to_host, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds)
WARPSIM_API CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, std::size_t at, std::size_t n, CUstream s) {
    Arguments const said(to, from, at, n, s);
    return copy_from_array(number(to), from, at, n, Direction::device_to_host, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz)
WARPSIM_API CUresult cuMemcpyDtoA_v2(CUarray to, std::size_t at, CUdeviceptr from, std::size_t n) {
    Arguments const said(to, at, from, n);
    return copy_to_array(to, at, from, n, Direction::device_to_device, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds)
WARPSIM_API CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, std::size_t at, std::size_t n) {
    Arguments const said(to, from, at, n);
    return copy_from_array(to, from, at, n, Direction::device_to_device, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds)
WARPSIM_API CUresult cuMemcpyAtoA_v2(CUarray to, std::size_t to_at, CUarray from, std::size_t from_at,
                                     std::size_t n) {
    Arguments const said(to, to_at, from, from_at, n);
    return copy_between_arrays(to, to_at, from, from_at, n);
}
WARPSIM_PER_THREAD(cuMemcpyAtoA_v2, cuMemcpyAtoA_v2_ptds)

WARPSIM_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                  std::size_t n) {
    Arguments const said(to, to_context, from, from_context, n);
    return copy_1d_between(to, to_context, from, from_context, n, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpyPeer, cuMemcpyPeer_ptds)
WARPSIM_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                       CUcontext from_context, std::size_t n, CUstream s) {
    Arguments const said(to, to_context, from, from_context, n, s);
    return copy_1d_between(to, to_context, from, from_context, n, s, true);
}
WARPSIM_PER_THREAD(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz)

WARPSIM_API CUresult cuMemcpy2D_v2(CUDA_MEMCPY2D const* c) {
    Arguments const said(c);
    return copy_2d(c, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds)
WARPSIM_API CUresult cuMemcpy2DUnaligned_v2(CUDA_MEMCPY2D const* c) {
    Arguments const said(c);
    return copy_2d(c, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned_v2_ptds)
WARPSIM_API CUresult cuMemcpy2DAsync_v2(CUDA_MEMCPY2D const* c, CUstream s) {
    Arguments const said(c, s);
    return copy_2d(c, s, true);
}
WARPSIM_PER_THREAD(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz)
WARPSIM_API CUresult cuMemcpy3D_v2(CUDA_MEMCPY3D const* c) {
    Arguments const said(c);
    return copy_3d(c, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds)
WARPSIM_API CUresult cuMemcpy3DAsync_v2(CUDA_MEMCPY3D const* c, CUstream s) {
    Arguments const said(c, s);
    return copy_3d(c, s, true);
}
WARPSIM_PER_THREAD(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz)
WARPSIM_API CUresult cuMemcpy3DPeer(CUDA_MEMCPY3D const* c) {
    Arguments const said(c);
    return copy_3d_between(c, nullptr, false);
}
WARPSIM_PER_THREAD(cuMemcpy3DPeer, cuMemcpy3DPeer_ptds)
WARPSIM_API CUresult cuMemcpy3DPeerAsync(CUDA_MEMCPY3D const* c, CUstream s) {
    Arguments const said(c, s);
    return copy_3d_between(c, s, true);
}
WARPSIM_PER_THREAD(cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync_ptsz)

/// The fifth parameter, the attributes themselves, is not needed.
WARPSIM_API CUresult cuMemcpyBatchAsync_v2(void* const* to, void const* const* from, std::size_t const* sizes,
                                           std::size_t count, void const*, std::size_t const* first_of,
                                           std::size_t attributes, void* stream) {
    Arguments const said(to, from, sizes, count, first_of, attributes, stream);
    return call([&](Process& process) {
        copy_many(process, {to, from, sizes, count, first_of, attributes}, stream, nullptr);
    });
}
WARPSIM_PER_THREAD(cuMemcpyBatchAsync_v2, cuMemcpyBatchAsync_v2_ptsz)
WARPSIM_API CUresult cuMemcpy3DBatchAsync_v2(std::size_t count, BoxCopy const* list, unsigned long long flags,
                                             void* stream) {
    Arguments const said(count, list, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        copy_many(process, list, count, stream, nullptr);
    });
}
WARPSIM_PER_THREAD(cuMemcpy3DBatchAsync_v2, cuMemcpy3DBatchAsync_v2_ptsz)

// The forms that also report which copy failed.
WARPSIM_API CUresult cuMemcpyBatchAsync(void* const* to, void const* const* from, std::size_t const* sizes,
                                        std::size_t count, void const*, std::size_t const* first_of,
                                        std::size_t attributes, std::size_t* failed, CUstream s) {
    Arguments const said(to, from, sizes, count, first_of, attributes, failed, s);
    return call([&](Process& process) {
        copy_many(process, {to, from, sizes, count, first_of, attributes}, s, failed);
    });
}
WARPSIM_PER_THREAD(cuMemcpyBatchAsync, cuMemcpyBatchAsync_ptsz)
WARPSIM_API CUresult cuMemcpy3DBatchAsync(std::size_t count, BoxCopy const* list, std::size_t* failed,
                                          unsigned long long flags, CUstream s) {
    Arguments const said(count, list, failed, flags, s);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        copy_many(process, list, count, s, failed);
    });
}
WARPSIM_PER_THREAD(cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_ptsz)
