// Texture and surface objects.
#include "runtime/cuda/driver_api/textures.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/formats.hpp"
#include "runtime/cuda/interface/textures.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

Resource resource_of(CUDA_RESOURCE_DESC const& d) {
    return described_resource(
        d, [](auto const& memory) { return driver::format_of(memory.format, memory.numChannels); });
}

CUDA_RESOURCE_DESC texture_description(Resource const& r) {
    return describe<CUDA_RESOURCE_DESC>(r, [](auto& memory, ChannelFormat const& format) {
        memory.format = driver::number_of(format);
        memory.numChannels = format.channels();
    });
}

Sampling sampling_of(CUDA_TEXTURE_DESC const& d) {
    Sampling s = described_sampling(d);
    set_flags(s, d.flags);
    return s;
}

CUDA_TEXTURE_DESC texture_description(Sampling const& s) {
    auto d = describe<CUDA_TEXTURE_DESC>(s);
    d.flags = flags_of(s);
    return d;
}

}  // namespace

namespace warpsim::cuda::driver {

void set_flags(Sampling& s, unsigned flags) {
    constexpr unsigned all =
        read_as_integer | normalized_coordinates | srgb | no_trilinear_optimization | seamless_cubemap;
    if ((flags & ~all) != 0) throw Failure(Result::invalid_value);
    s.promotes_integers = (flags & read_as_integer) == 0;
    s.has_normalized_coordinates = (flags & normalized_coordinates) != 0;
    s.is_srgb = (flags & srgb) != 0;
    s.has_no_trilinear_optimization = (flags & no_trilinear_optimization) != 0;
    s.is_seamless_cubemap = (flags & seamless_cubemap) != 0;
}

unsigned flags_of(Sampling const& s) {
    return (s.promotes_integers ? 0u : read_as_integer) |
           (s.has_normalized_coordinates ? normalized_coordinates : 0u) | (s.is_srgb ? srgb : 0u) |
           (s.has_no_trilinear_optimization ? no_trilinear_optimization : 0u) |
           (s.is_seamless_cubemap ? seamless_cubemap : 0u);
}

}  // namespace warpsim::cuda::driver

WARPSIM_API CUresult cuTexObjectCreate(ObjectHandle* out, CUDA_RESOURCE_DESC const* r, CUDA_TEXTURE_DESC const* t,
                                       ResourceView const* v) {
    Arguments const said(out, r, v);
    return in_context([&](Process& process, Gpu& gpu) {
        if (out == nullptr || r == nullptr || t == nullptr) throw Failure(Result::invalid_value);
        *out = process.textures.add(gpu, resource_of(*r), sampling_of(*t), v);
    });
}
WARPSIM_API CUresult cuTexObjectDestroy(ObjectHandle object) {
    Arguments const said(object);
    return in_context([&](Process& process, Gpu&) { process.textures.destroy(object); });
}
WARPSIM_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, ObjectHandle object) {
    Arguments const said(out, object);
    return in_context(
        [&](Process& process, Gpu&) { give(out, texture_description(process.textures.get(object).resource)); });
}
WARPSIM_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* out, ObjectHandle object) {
    Arguments const said(out, object);
    return in_context(
        [&](Process& process, Gpu&) { give(out, texture_description(process.textures.get(object).sampling)); });
}
WARPSIM_API CUresult cuTexObjectGetResourceViewDesc(ResourceView* out, ObjectHandle object) {
    Arguments const said(out, object);
    return in_context([&](Process& process, Gpu&) { give(out, process.textures.view_of(object)); });
}

WARPSIM_API CUresult cuSurfObjectCreate(ObjectHandle* out, CUDA_RESOURCE_DESC const* r) {
    Arguments const said(out, r);
    return in_context([&](Process& process, Gpu& gpu) {
        if (out == nullptr || r == nullptr) throw Failure(Result::invalid_value);
        *out = process.textures.add_surface(gpu, resource_of(*r));
    });
}
WARPSIM_API CUresult cuSurfObjectDestroy(ObjectHandle object) {
    Arguments const said(object);
    return in_context([&](Process& process, Gpu&) { process.textures.destroy_surface(object); });
}
WARPSIM_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, ObjectHandle object) {
    Arguments const said(out, object);
    return in_context([&](Process& process, Gpu&) {
        give(out, texture_description(process.textures.get_surface(object).resource));
    });
}

WARPSIM_API CUresult cuDeviceGetTexture1DLinearMaxWidth(std::size_t* out, unsigned format, unsigned channels,
                                                        CUdevice device) {
    Arguments const said(out, format, channels, device);
    return call([&](Process& process) {
        process.gpu(device);
        if (!driver::format_of(format, channels).is_valid()) throw Failure(Result::invalid_value);
        give(out, most_linear_elements);
    });
}
