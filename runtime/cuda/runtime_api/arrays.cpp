// Arrays, and copies to, from and between them.
#include "runtime/cuda/textures/arrays.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/formats.hpp"

using namespace warpsim::cuda;

namespace {

using ArrayHandle = void*;

/// The device on which the calling thread creates objects.
Gpu& sound_gpu(Process& process) {
    Gpu& gpu = process.current();
    gpu.check();
    return gpu;
}

ArrayShape shape_of(cudaChannelFormatDesc const* description, cudaExtent const& e, unsigned flags) {
    if (description == nullptr) throw Failure(Result::invalid_value);
    return {format_of(*description), e.width, e.height, e.depth, flags};
}

cudaError_t make_array(ArrayHandle* out, cudaChannelFormatDesc const* description, cudaExtent extent,
                       unsigned flags) {
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = process.arrays.add(sound_gpu(process), shape_of(description, extent, flags));
    });
}

/// For a copy between an array and memory: `kind` must say that the memory is on the right side.
Direction checked(int kind, Direction one_way) {
    auto const direction = static_cast<Direction>(kind);
    if (direction != one_way && direction != Direction::device_to_device && direction != Direction::by_address) {
        throw Failure(Result::invalid_copy_direction);
    }
    return direction;
}
Direction to_array(int kind) { return checked(kind, Direction::host_to_device); }
Direction from_array(int kind) { return checked(kind, Direction::device_to_host); }

cudaError_t copy_to(ArrayHandle to, std::size_t x, std::size_t y, void const* from, std::size_t pitch,
                    std::size_t width, std::size_t height, int kind, cudaStream_t s, bool async) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        Extent const extent{width, height, 1};
        if (height > 1 && pitch < width) throw Failure(Result::invalid_pitch);
        copy(process, process.arrays.get(to)->box(x, y, 0, extent), {address(from), pitch, pitch * height}, extent,
             to_array(kind), *stream, async);
    });
}
cudaError_t copy_from(void* to, std::size_t pitch, ArrayHandle from, std::size_t x, std::size_t y,
                      std::size_t width, std::size_t height, int kind, cudaStream_t s, bool async) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        Extent const extent{width, height, 1};
        if (height > 1 && pitch < width) throw Failure(Result::invalid_pitch);
        copy(process, {address(to), pitch, pitch * height}, process.arrays.get(from)->box(x, y, 0, extent), extent,
             from_array(kind), *stream, async);
    });
}
cudaError_t copy_between(ArrayHandle to, std::size_t to_x, std::size_t to_y, ArrayHandle from, std::size_t from_x,
                         std::size_t from_y, std::size_t width, std::size_t height) {
    return call([&](Process& process) {
        auto const stream = process.stream(nullptr);
        Extent const extent{width, height, 1};
        copy(process, process.arrays.get(to)->box(to_x, to_y, 0, extent),
             process.arrays.get(from)->box(from_x, from_y, 0, extent), extent, Direction::device_to_device,
             *stream, false);
    });
}

/// A part of an array, row by row.
cudaError_t copy_line_to(ArrayHandle to, std::size_t x, std::size_t y, void const* from, std::size_t n, int kind,
                         cudaStream_t s, bool async) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        copy(process, {process.arrays.get(to), x, y}, address(from), n, to_array(kind), *stream, async);
    });
}
cudaError_t copy_line_from(void* to, ArrayHandle from, std::size_t x, std::size_t y, std::size_t n, int kind,
                           cudaStream_t s, bool async) {
    return call([&](Process& process) {
        auto const stream = process.stream(s);
        copy(process, address(to), {process.arrays.get(from), x, y}, n, from_array(kind), *stream, async);
    });
}

/// For queries about kinds of arrays that do not exist here.
cudaError_t refuse_array(ArrayHandle array) {
    return call([&](Process& process) {
        process.arrays.get(array);
        throw Failure(Result::invalid_value);
    });
}
cudaError_t refuse_mipmapped_array(void* array) {
    return call([&](Process& process) {
        process.arrays.get_mipmapped(array);
        throw Failure(Result::invalid_value);
    });
}

}  // namespace

WARPSIM_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f) {
    Arguments const said(x, y, z, w, f);
    return {x, y, z, w, f};
}

WARPSIM_API cudaError_t cudaMallocArray(ArrayHandle* out, cudaChannelFormatDesc const* d, std::size_t width,
                                        std::size_t height, unsigned flags) {
    Arguments const said(out, d, width, height, flags);
    return make_array(out, d, {width, height, 0}, flags);
}
WARPSIM_API cudaError_t cudaMalloc3DArray(ArrayHandle* out, cudaChannelFormatDesc const* d, cudaExtent extent,
                                          unsigned flags) {
    Arguments const said(out, d, extent, flags);
    return make_array(out, d, extent, flags);
}
WARPSIM_API cudaError_t cudaFreeArray(ArrayHandle array) {
    Arguments const said(array);
    return in_context([&](Process& process) {
        if (array != nullptr) process.arrays.destroy(array);
    });
}
WARPSIM_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* d, cudaExtent* extent, unsigned* flags,
                                         ArrayHandle array) {
    Arguments const said(d, extent, flags, array);
    return call([&](Process& process) {
        ArrayShape const& s = process.arrays.get(array)->shape;
        if (d != nullptr) *d = description_of(s.format);
        if (extent != nullptr) *extent = {s.width, s.height, s.depth};
        if (flags != nullptr) *flags = s.flags;
    });
}
WARPSIM_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* d, ArrayHandle array) {
    Arguments const said(d, array);
    return call([&](Process& process) { give(d, description_of(process.arrays.get(array)->shape.format)); });
}

WARPSIM_API cudaError_t cudaMallocMipmappedArray(void** out, cudaChannelFormatDesc const* d, cudaExtent e,
                                                 unsigned levels, unsigned flags) {
    Arguments const said(out, d, e, levels, flags);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = process.arrays.add_mipmapped(sound_gpu(process), shape_of(d, e, flags), levels);
    });
}
WARPSIM_API cudaError_t cudaGetMipmappedArrayLevel(ArrayHandle* out, void* mipmapped, unsigned level) {
    Arguments const said(out, mipmapped, level);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = process.arrays.level_of(mipmapped, level);
    });
}
WARPSIM_API cudaError_t cudaFreeMipmappedArray(void* mipmapped) {
    Arguments const said(mipmapped);
    return call([&](Process& process) {
        if (mipmapped != nullptr) process.arrays.destroy_mipmapped(mipmapped);
    });
}

// Planes, sparse arrays, and arrays whose memory is mapped later.
WARPSIM_API cudaError_t cudaArrayGetPlane(ArrayHandle*, ArrayHandle array, unsigned) {
    Arguments const said(array);
    return refuse_array(array);
}
WARPSIM_API cudaError_t cudaArrayGetSparseProperties(void*, ArrayHandle array) { return refuse_array(array); }
WARPSIM_API cudaError_t cudaArrayGetMemoryRequirements(void*, ArrayHandle array, int) {
    Arguments const said(array);
    return refuse_array(array);
}
WARPSIM_API cudaError_t cudaMipmappedArrayGetSparseProperties(void*, void* array) {
    Arguments const said(array);
    return refuse_mipmapped_array(array);
}
WARPSIM_API cudaError_t cudaMipmappedArrayGetMemoryRequirements(void*, void* array, int) {
    Arguments const said(array);
    return refuse_mipmapped_array(array);
}

WARPSIM_API cudaError_t cudaMemcpy2DToArray(ArrayHandle to, std::size_t x, std::size_t y, void const* from,
                                            std::size_t pitch, std::size_t w, std::size_t h, int kind) {
    Arguments const said(to, x, y, from, pitch, w, h, kind);
    return copy_to(to, x, y, from, pitch, w, h, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds)
WARPSIM_API cudaError_t cudaMemcpy2DToArrayAsync(ArrayHandle to, std::size_t x, std::size_t y, void const* from,
                                                 std::size_t pitch, std::size_t w, std::size_t h, int kind,
                                                 cudaStream_t s) {
    Arguments const said(to, x, y, from, pitch, w, h, kind, s);
    return copy_to(to, x, y, from, pitch, w, h, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz)
WARPSIM_API cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, ArrayHandle from, std::size_t x,
                                              std::size_t y, std::size_t w, std::size_t h, int kind) {
    Arguments const said(to, pitch, from, x, y, w, h, kind);
    return copy_from(to, pitch, from, x, y, w, h, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds)
WARPSIM_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, ArrayHandle from, std::size_t x,
                                                   std::size_t y, std::size_t w, std::size_t h, int kind,
                                                   cudaStream_t s) {
    Arguments const said(to, pitch, from, x, y, w, h, kind, s);
    return copy_from(to, pitch, from, x, y, w, h, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz)
WARPSIM_API cudaError_t cudaMemcpy2DArrayToArray(ArrayHandle to, std::size_t to_x, std::size_t to_y,
                                                 ArrayHandle from, std::size_t from_x, std::size_t from_y,
                                                 std::size_t w, std::size_t h, int) {
    Arguments const said(to, to_x, to_y, from, from_x, from_y, w, h);
    return copy_between(to, to_x, to_y, from, from_x, from_y, w, h);
}
WARPSIM_PER_THREAD(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds)

WARPSIM_API cudaError_t cudaMemcpyToArray(ArrayHandle to, std::size_t x, std::size_t y, void const* from,
                                          std::size_t n, int kind) {
    Arguments const said(to, x, y, from, n, kind);
    return copy_line_to(to, x, y, from, n, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpyToArray, cudaMemcpyToArray_ptds)
WARPSIM_API cudaError_t cudaMemcpyToArrayAsync(ArrayHandle to, std::size_t x, std::size_t y, void const* from,
                                               std::size_t n, int kind, cudaStream_t s) {
    Arguments const said(to, x, y, from, n, kind, s);
    return copy_line_to(to, x, y, from, n, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpyToArrayAsync, cudaMemcpyToArrayAsync_ptsz)
WARPSIM_API cudaError_t cudaMemcpyFromArray(void* to, ArrayHandle from, std::size_t x, std::size_t y,
                                            std::size_t n, int kind) {
    Arguments const said(to, from, x, y, n, kind);
    return copy_line_from(to, from, x, y, n, kind, nullptr, false);
}
WARPSIM_PER_THREAD(cudaMemcpyFromArray, cudaMemcpyFromArray_ptds)
WARPSIM_API cudaError_t cudaMemcpyFromArrayAsync(void* to, ArrayHandle from, std::size_t x, std::size_t y,
                                                 std::size_t n, int kind, cudaStream_t s) {
    Arguments const said(to, from, x, y, n, kind, s);
    return copy_line_from(to, from, x, y, n, kind, s, true);
}
WARPSIM_PER_THREAD(cudaMemcpyFromArrayAsync, cudaMemcpyFromArrayAsync_ptsz)
WARPSIM_API cudaError_t cudaMemcpyArrayToArray(ArrayHandle to, std::size_t to_x, std::size_t to_y,
                                               ArrayHandle from, std::size_t from_x, std::size_t from_y,
                                               std::size_t n, int) {
    Arguments const said(to, to_x, to_y, from, from_x, from_y, n);
    return call([&](Process& process) {
        auto const stream = process.stream(nullptr);
        copy(process, {process.arrays.get(to), to_x, to_y}, {process.arrays.get(from), from_x, from_y}, n,
             *stream);
    });
}
WARPSIM_PER_THREAD(cudaMemcpyArrayToArray, cudaMemcpyArrayToArray_ptds)
