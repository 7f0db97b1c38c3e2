// Arrays.
#include "runtime/cuda/textures/arrays.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/formats.hpp"

#include <algorithm>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// Those with a number of channels of their own are for that number only.
struct Format {
    unsigned number;
    int bits;
    ChannelKind kind;
    unsigned channels = 0;
};

constexpr Format formats[] = {
    {0x01, 8, ChannelKind::unsigned_integer},
    {0x02, 16, ChannelKind::unsigned_integer},
    {0x03, 32, ChannelKind::unsigned_integer},
    {0x08, 8, ChannelKind::signed_integer},
    {0x09, 16, ChannelKind::signed_integer},
    {0x0a, 32, ChannelKind::signed_integer},
    {0x10, 16, ChannelKind::floating},
    {0x20, 32, ChannelKind::floating},
    {0xc0, 8, ChannelKind::unsigned_normalized, 1},
    {0xc1, 8, ChannelKind::unsigned_normalized, 2},
    {0xc2, 8, ChannelKind::unsigned_normalized, 4},
    {0xc3, 16, ChannelKind::unsigned_normalized, 1},
    {0xc4, 16, ChannelKind::unsigned_normalized, 2},
    {0xc5, 16, ChannelKind::unsigned_normalized, 4},
    {0xc6, 8, ChannelKind::signed_normalized, 1},
    {0xc7, 8, ChannelKind::signed_normalized, 2},
    {0xc8, 8, ChannelKind::signed_normalized, 4},
    {0xc9, 16, ChannelKind::signed_normalized, 1},
    {0xca, 16, ChannelKind::signed_normalized, 2},
    {0xcb, 16, ChannelKind::signed_normalized, 4},
    {0x50, 10, ChannelKind::unsigned_normalized, 4},
};

ArrayShape shape_of(CUDA_ARRAY3D_DESCRIPTOR const* d) {
    if (d == nullptr) throw Failure(Result::invalid_value);
    return {format_of(d->Format, d->NumChannels), d->Width, d->Height, d->Depth, d->Flags};
}

CUDA_ARRAY3D_DESCRIPTOR array_description(ArrayShape const& s) {
    return {s.width, s.height, s.depth, warpsim::cuda::driver::number_of(s.format), s.format.channels(), s.flags};
}

CUresult create(CUarray* out, CUDA_ARRAY3D_DESCRIPTOR const& d) {
    return in_context([&](Process& process, Gpu& gpu) {
        gpu.check();
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = process.arrays.add(gpu, shape_of(&d));
    });
}

/// For queries about kinds of arrays that do not exist here.
CUresult refuse_array(CUarray array) {
    return in_context([&](Process& process, Gpu&) {
        process.arrays.get(array);
        throw Failure(Result::invalid_value);
    });
}
CUresult refuse_mipmapped_array(CUmipmappedArray array) {
    return in_context([&](Process& process, Gpu&) {
        process.arrays.get_mipmapped(array);
        throw Failure(Result::invalid_value);
    });
}

}  // namespace

namespace warpsim::cuda::driver {

ChannelFormat format_of(unsigned number, unsigned channels) {
    auto const* const at =
        std::find_if(std::begin(formats), std::end(formats), [&](Format const& f) { return f.number == number; });
    if (at == std::end(formats)) {
        // Compressed and planar formats.
        throw Failure(number >= 0x91 && number <= 0xb5 ? Result::not_supported : Result::invalid_value);
    }
    bool const is_its_number = at->channels == 0 || at->channels == channels;
    if (channels == 0 || channels > 4 || !is_its_number) throw Failure(Result::invalid_value);
    ChannelFormat format{{}, at->kind};
    std::fill_n(format.bits.begin(), channels, at->bits);
    if (at->bits == 10) format.bits[3] = 2;
    return format;
}

unsigned number_of(ChannelFormat const& format) {
    auto const* const at = std::find_if(std::begin(formats), std::end(formats), [&](Format const& f) {
        return f.kind == format.kind && f.bits == format.bits[0] &&
               (f.channels == 0 || f.channels == format.channels());
    });
    return at != std::end(formats) ? at->number : 0;
}

}  // namespace warpsim::cuda::driver

WARPSIM_API CUresult cuArrayCreate_v2(CUarray* out, CUDA_ARRAY_DESCRIPTOR const* d) {
    Arguments const said(out, d);
    if (d == nullptr) return driver::number_of(Result::invalid_value);
    return create(out, {d->Width, d->Height, 0, d->Format, d->NumChannels, 0});
}
WARPSIM_API CUresult cuArray3DCreate_v2(CUarray* out, CUDA_ARRAY3D_DESCRIPTOR const* d) {
    Arguments const said(out, d);
    if (d == nullptr) return driver::number_of(Result::invalid_value);
    return create(out, *d);
}
WARPSIM_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* out, CUarray array) {
    Arguments const said(out, array);
    return in_context([&](Process& process, Gpu&) {
        CUDA_ARRAY3D_DESCRIPTOR const d = array_description(process.arrays.get(array)->shape);
        give(out, CUDA_ARRAY_DESCRIPTOR{d.Width, d.Height, d.Format, d.NumChannels});
    });
}
WARPSIM_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* out, CUarray array) {
    Arguments const said(out, array);
    return in_context(
        [&](Process& process, Gpu&) { give(out, array_description(process.arrays.get(array)->shape)); });
}
WARPSIM_API CUresult cuArrayDestroy(CUarray array) {
    Arguments const said(array);
    return in_context([&](Process& process, Gpu&) { process.arrays.destroy(array); });
}

WARPSIM_API CUresult cuMipmappedArrayCreate(CUmipmappedArray* out, CUDA_ARRAY3D_DESCRIPTOR const* d,
                                            unsigned levels) {
    Arguments const said(out, d, levels);
    return in_context([&](Process& process, Gpu& gpu) {
        gpu.check();
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = process.arrays.add_mipmapped(gpu, shape_of(d), levels);
    });
}
WARPSIM_API CUresult cuMipmappedArrayGetLevel(CUarray* out, CUmipmappedArray array, unsigned level) {
    Arguments const said(out, array, level);
    return in_context([&](Process& process, Gpu&) { give(out, process.arrays.level_of(array, level)); });
}
WARPSIM_API CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
    Arguments const said(array);
    return in_context([&](Process& process, Gpu&) { process.arrays.destroy_mipmapped(array); });
}

// Planes, sparse arrays, and arrays whose memory is mapped later.
WARPSIM_API CUresult cuArrayGetPlane(CUarray*, CUarray array, unsigned) { return refuse_array(array); }
WARPSIM_API CUresult cuArrayGetSparseProperties(void*, CUarray array) { return refuse_array(array); }
WARPSIM_API CUresult cuArrayGetMemoryRequirements(void*, CUarray array, CUdevice) { return refuse_array(array); }
WARPSIM_API CUresult cuMipmappedArrayGetSparseProperties(void*, CUmipmappedArray array) {
    Arguments const said(array);
    return refuse_mipmapped_array(array);
}
WARPSIM_API CUresult cuMipmappedArrayGetMemoryRequirements(void*, CUmipmappedArray array, CUdevice) {
    Arguments const said(array);
    return refuse_mipmapped_array(array);
}
