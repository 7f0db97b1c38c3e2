#include "runtime/cuda/runtime_api/copies.hpp"

#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/registration.hpp"
#include "runtime/cuda/textures/arrays.hpp"

#include <algorithm>

using namespace warpsim::cuda;

namespace {

Box box(void const* pointer, std::size_t row, std::size_t slice = 0) { return {address(pointer), row, slice}; }

cudaError_t copy_1d(void* to, void const* from, std::size_t bytes, int kind, cudaStream_t s, bool async) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        copy(process, to, from, bytes, static_cast<Direction>(kind), *stream, async);
    });
}

cudaError_t copy_2d(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch, std::size_t width,
                    std::size_t height, int kind, cudaStream_t s, bool async) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        if (to_pitch < width || from_pitch < width) throw Failure(Result::invalid_pitch);
        copy(process, box(to, to_pitch), box(from, from_pitch), {width, height, 1}, static_cast<Direction>(kind),
             *stream, async);
    });
}

Box box_of(cudaPitchedPtr const& p, cudaPos const& at) {
    std::size_t const slice = p.pitch * p.ysize;
    return {address(p.ptr) + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice};
}

cudaError_t copy_3d(cudaMemcpy3DParms const* p, cudaStream_t s, bool async) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        if (p == nullptr) throw Failure(Result::invalid_value);
        copy(process, work_of_copy(process, *p), *stream, async);
    });
}

cudaError_t copy_1d_between(void* to, int to_device, void const* from, int from_device, std::size_t n,
                            cudaStream_t s, bool async) {
    return call([&](Process& process) {
        copy_between(process, {box(to, n, n), box(from, n, n), {n, 1, 1}, Direction::device_to_device},
                     process.gpu(to_device), process.gpu(from_device), *process.stream(s), async);
    });
}

cudaError_t copy_3d_between(cudaMemcpy3DPeerParms const* p, cudaStream_t s, bool async) {
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        Gpu &to = process.gpu(p->dstDevice), &from = process.gpu(p->srcDevice);
        cudaMemcpy3DParms const plain{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                      p->dstPos,   p->dstPtr, p->extent, device_to_device};
        copy_between(process, work_of_copy(process, plain), to, from, *process.stream(s), async);
    });
}

void* part(Process& process, void const* symbol, std::size_t bytes, std::size_t offset, Stream const& stream) {
    return Registrations::get().part(process, symbol, bytes, offset, stream.gpu);
}

cudaError_t to_symbol(void const* symbol, void const* from, std::size_t bytes, std::size_t offset, int kind,
                      cudaStream_t s, bool async) {
    return call([&](Process& process) {
        if (kind != host_to_device && kind != device_to_device && kind != by_address) {
            throw Failure(Result::invalid_copy_direction);
        }
        auto const stream = process.stream(s);
        copy(process, part(process, symbol, bytes, offset, *stream), from, bytes, static_cast<Direction>(kind),
             *stream, async);
    });
}

cudaError_t from_symbol(void* to, void const* symbol, std::size_t bytes, std::size_t offset, int kind,
                        cudaStream_t s, bool async) {
    return call([&](Process& process) {
        if (kind != device_to_host && kind != device_to_device && kind != by_address) {
            throw Failure(Result::invalid_copy_direction);
        }
        auto const stream = process.stream(s);
        copy(process, to, part(process, symbol, bytes, offset, *stream), bytes, static_cast<Direction>(kind),
             *stream, async);
    });
}

cudaError_t set(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t s,
                bool asynchronous) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        fill(process, box(to, pitch), {width, height, 1}, static_cast<unsigned char>(value), 1, *stream,
             asynchronous);
    });
}

cudaError_t set_3d(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t s, bool asynchronous) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        fill(process, box_of(p, {0, 0, 0}), {e.width, e.height, e.depth}, static_cast<unsigned char>(value), 1,
             *stream, asynchronous);
    });
}

}  // namespace

namespace warpsim::cuda {

CopyWork work_of_copy(Process& process, cudaMemcpy3DParms const& p) {
    bool const is_whole = (p.srcArray == nullptr) != (p.srcPtr.ptr == nullptr) &&
                          (p.dstArray == nullptr) != (p.dstPtr.ptr == nullptr);
    if (!is_whole) throw Failure(Result::invalid_value);
    auto const source = p.srcArray != nullptr ? process.arrays.get(p.srcArray) : nullptr;
    auto const target = p.dstArray != nullptr ? process.arrays.get(p.dstArray) : nullptr;
    // If an array takes part, the extent counts its elements; positions count elements in arrays and bytes
    // elsewhere.
    std::uint64_t const element = source   ? source->shape.format.bytes()
                                  : target ? target->shape.format.bytes()
                                           : 1;
    if (target && target->shape.format.bytes() != element) throw Failure(Result::invalid_value);
    Extent const extent{p.extent.width * element, p.extent.height, p.extent.depth};
    auto const side = [&](std::shared_ptr<Array> const& array, cudaPitchedPtr const& pointer, cudaPos const& at) {
        return array ? array->box(at.x * element, at.y, at.z, extent) : box_of(pointer, at);
    };
    return {side(target, p.dstPtr, p.dstPos), side(source, p.srcPtr, p.srcPos), extent,
            static_cast<Direction>(p.kind)};
}

cudaMemcpy3DParms description_of(CopyWork const& w) {
    auto const describe = [&](Box const& box, cudaArray_t& array, cudaPos& at, cudaPitchedPtr& pointer) {
        array = box.place.array;
        if (array != nullptr) {
            at = {box.place.x, box.place.y, box.place.z};
        } else {
            pointer = {reinterpret_cast<void*>(box.address), box.row_distance, w.extent.width,
                       box.row_distance != 0 ? box.slice_distance / box.row_distance : 0};
        }
    };
    cudaMemcpy3DParms p{};
    describe(w.from, p.srcArray, p.srcPos, p.srcPtr);
    describe(w.to, p.dstArray, p.dstPos, p.dstPtr);
    std::uint64_t const element = std::max(w.from.place.element_bytes, w.to.place.element_bytes);
    p.extent = {w.extent.width / element, w.extent.height, w.extent.depth};
    p.kind = static_cast<cudaMemcpyKind>(w.direction);
    return p;
}

}  // namespace warpsim::cuda

WARPSIM_API cudaError_t cudaMemcpy(void* to, void const* from, std::size_t n, int kind) {
    Arguments const said(to, from, n, kind);
    return copy_1d(to, from, n, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpy, cudaMemcpy_ptds)
WARPSIM_API cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t n, int kind, cudaStream_t s) {
    Arguments const said(to, from, n, kind, s);
    return copy_1d(to, from, n, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpyAsync, cudaMemcpyAsync_ptsz)

WARPSIM_API cudaError_t cudaMemcpyPeer(void* to, int to_device, void const* from, int from_device, std::size_t n) {
    Arguments const said(to, to_device, from, from_device, n);
    return copy_1d_between(to, to_device, from, from_device, n, nullptr, false);
}
WARPSIM_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, void const* from, int from_device,
                                            std::size_t n, cudaStream_t s) {
    Arguments const said(to, to_device, from, from_device, n, s);
    return copy_1d_between(to, to_device, from, from_device, n, s, true);
}
WARPSIM_API cudaError_t cudaMemcpy3DPeer(cudaMemcpy3DPeerParms const* p) {
    Arguments const said(p);
    return copy_3d_between(p, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpy3DPeer, cudaMemcpy3DPeer_ptds)
WARPSIM_API cudaError_t cudaMemcpy3DPeerAsync(cudaMemcpy3DPeerParms const* p, cudaStream_t s) {
    Arguments const said(p, s);
    return copy_3d_between(p, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpy3DPeerAsync, cudaMemcpy3DPeerAsync_ptsz)

WARPSIM_API cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                                     std::size_t w, std::size_t h, int kind) {
    Arguments const said(to, to_pitch, from, from_pitch, w, h, kind);
    return copy_2d(to, to_pitch, from, from_pitch, w, h, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpy2D, cudaMemcpy2D_ptds)
WARPSIM_API cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                                          std::size_t w, std::size_t h, int kind, cudaStream_t s) {
    Arguments const said(to, to_pitch, from, from_pitch, w, h, kind, s);
    return copy_2d(to, to_pitch, from, from_pitch, w, h, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz)

WARPSIM_API cudaError_t cudaMemcpy3D(cudaMemcpy3DParms const* p) {
    Arguments const said(p);
    return copy_3d(p, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpy3D, cudaMemcpy3D_ptds)
WARPSIM_API cudaError_t cudaMemcpy3DAsync(cudaMemcpy3DParms const* p, cudaStream_t s) {
    Arguments const said(p, s);
    return copy_3d(p, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz)

WARPSIM_API cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* from, std::size_t n, std::size_t offset,
                                           int kind) {
    Arguments const said(symbol, from, n, offset, kind);
    return to_symbol(symbol, from, n, offset, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds)
WARPSIM_API cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* from, std::size_t n,
                                                std::size_t offset, int kind, cudaStream_t s) {
    Arguments const said(symbol, from, n, offset, kind, s);
    return to_symbol(symbol, from, n, offset, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz)
WARPSIM_API cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, std::size_t n, std::size_t offset,
                                             int kind) {
    Arguments const said(to, symbol, n, offset, kind);
    return from_symbol(to, symbol, n, offset, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds)
WARPSIM_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, void const* symbol, std::size_t n, std::size_t offset,
                                                  int kind, cudaStream_t s) {
    Arguments const said(to, symbol, n, offset, kind, s);
    return from_symbol(to, symbol, n, offset, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz)

WARPSIM_API cudaError_t cudaGetSymbolAddress(void** out, void const* symbol) {
    Arguments const said(out, symbol);
    return call([&](Process& process) {
        give(out, reinterpret_cast<void*>(Registrations::get().place(process, symbol, process.current()).first));
    });
}
WARPSIM_API cudaError_t cudaGetSymbolSize(std::size_t* out, void const* symbol) {
    Arguments const said(out, symbol);
    return call([&] { give(out, Registrations::get().variable(symbol).size); });
}

WARPSIM_API cudaError_t cudaMemset(void* to, int value, std::size_t n) {
    Arguments const said(to, value, n);
    return set(to, n, value, n, 1, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemset, cudaMemset_ptds)
WARPSIM_API cudaError_t cudaMemsetAsync(void* to, int value, std::size_t n, cudaStream_t s) {
    Arguments const said(to, value, n, s);
    return set(to, n, value, n, 1, s, true);
}
WARPSIM_PER_THREAD(cudaMemsetAsync, cudaMemsetAsync_ptsz)
WARPSIM_API cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t w, std::size_t h) {
    Arguments const said(to, pitch, value, w, h);
    return set(to, pitch, value, w, h, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemset2D, cudaMemset2D_ptds)
WARPSIM_API cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t w, std::size_t h,
                                          cudaStream_t s) {
    Arguments const said(to, pitch, value, w, h, s);
    return set(to, pitch, value, w, h, s, true);
}
WARPSIM_PER_THREAD(cudaMemset2DAsync, cudaMemset2DAsync_ptsz)
WARPSIM_API cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent e) {
    Arguments const said(p, value, e);
    return set_3d(p, value, e, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemset3D, cudaMemset3D_ptds)
WARPSIM_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t s) {
    Arguments const said(p, value, e, s);
    return set_3d(p, value, e, s, true);
}
WARPSIM_PER_THREAD(cudaMemset3DAsync, cudaMemset3DAsync_ptsz)
