// Texture and surface objects. A kernel that looks through one is refused when it is launched.
#include "runtime/cuda/driver_api/textures.hpp"

#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/formats.hpp"

#include <algorithm>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

using Kind = Resource::Kind;

Resource resource_of(CUDA_RESOURCE_DESC const& d) {
    if (d.flags != 0) throw Failure(Result::invalid_value);
    Resource r;
    r.kind = static_cast<Kind>(d.resType);
    if (r.kind == Kind::linear) {
        auto const& l = d.res.linear;
        r.address = l.devPtr;
        r.format = driver::format_of(l.format, l.numChannels);
        r.bytes = l.sizeInBytes;
    } else if (r.kind == Kind::pitched) {
        auto const& p = d.res.pitch2D;
        r.address = p.devPtr;
        r.format = driver::format_of(p.format, p.numChannels);
        r.width = p.width;
        r.height = p.height;
        r.pitch = p.pitchInBytes;
    } else {
        r.array = d.res.array;
    }
    return r;
}

CUDA_RESOURCE_DESC description_of(Resource const& r) {
    CUDA_RESOURCE_DESC d{};
    d.resType = static_cast<int>(r.kind);
    unsigned const format = driver::number_of(r.format), channels = r.format.channels();
    if (r.kind == Kind::linear) d.res.linear = {r.address, format, channels, r.bytes};
    else if (r.kind == Kind::pitched) d.res.pitch2D = {r.address, format, channels, r.width, r.height, r.pitch};
    else d.res.array = r.array;
    return d;
}

Sampling sampling_of(CUDA_TEXTURE_DESC const& d) {
    Sampling s;
    std::copy_n(d.addressMode, 3, s.address_modes.begin());
    std::copy_n(d.borderColor, 4, s.border.begin());
    s.filter = d.filterMode;
    set_flags(s, d.flags);
    s.anisotropy = d.maxAnisotropy;
    s.level_filter = d.mipmapFilterMode;
    s.level_bias = d.mipmapLevelBias;
    s.least_level = d.minMipmapLevelClamp;
    s.most_level = d.maxMipmapLevelClamp;
    return s;
}

CUDA_TEXTURE_DESC description_of(Sampling const& s) {
    CUDA_TEXTURE_DESC d{};
    std::copy_n(s.address_modes.begin(), 3, d.addressMode);
    std::copy_n(s.border.begin(), 4, d.borderColor);
    d.filterMode = s.filter;
    d.flags = flags_of(s);
    d.maxAnisotropy = s.anisotropy;
    d.mipmapFilterMode = s.level_filter;
    d.mipmapLevelBias = s.level_bias;
    d.minMipmapLevelClamp = s.least_level;
    d.maxMipmapLevelClamp = s.most_level;
    return d;
}

}  // namespace

namespace warpsim::cuda::driver {

void set_flags(Sampling& s, unsigned flags) {
    constexpr unsigned all = read_as_integer | normalized_coordinates | srgb | no_trilinear_optimization | seamless_cubemap;
    if ((flags & ~all) != 0) throw Failure(Result::invalid_value);
    s.promotes_integers = (flags & read_as_integer) == 0;
    s.has_normalized_coordinates = (flags & normalized_coordinates) != 0;
    s.is_srgb = (flags & srgb) != 0;
    s.has_no_trilinear_optimization = (flags & no_trilinear_optimization) != 0;
    s.is_seamless_cubemap = (flags & seamless_cubemap) != 0;
}

unsigned flags_of(Sampling const& s) {
    return (s.promotes_integers ? 0u : read_as_integer) | (s.has_normalized_coordinates ? normalized_coordinates : 0u) |
           (s.is_srgb ? srgb : 0u) | (s.has_no_trilinear_optimization ? no_trilinear_optimization : 0u) |
           (s.is_seamless_cubemap ? seamless_cubemap : 0u);
}

}  // namespace warpsim::cuda::driver

WARPSIM_API CUresult cuTexObjectCreate(ObjectHandle* out, CUDA_RESOURCE_DESC const* r, CUDA_TEXTURE_DESC const* t,
                                       ResourceView const* v) {
    return in_context([&](Gpu&) {
        if (out == nullptr || r == nullptr || t == nullptr) throw Failure(Result::invalid_value);
        *out = add_texture(resource_of(*r), sampling_of(*t), v);
    });
}
WARPSIM_API CUresult cuTexObjectDestroy(ObjectHandle object) {
    return in_context([&](Gpu&) { destroy_texture(object); });
}
WARPSIM_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, ObjectHandle object) {
    return in_context([&](Gpu&) { give(out, description_of(texture_of(object)->resource)); });
}
WARPSIM_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* out, ObjectHandle object) {
    return in_context([&](Gpu&) { give(out, description_of(texture_of(object)->sampling)); });
}
WARPSIM_API CUresult cuTexObjectGetResourceViewDesc(ResourceView* out, ObjectHandle object) {
    return in_context([&](Gpu&) {
        auto const texture = texture_of(object);
        if (!texture->view) throw Failure(Result::invalid_value);
        give(out, *texture->view);
    });
}

WARPSIM_API CUresult cuSurfObjectCreate(ObjectHandle* out, CUDA_RESOURCE_DESC const* r) {
    return in_context([&](Gpu&) {
        if (out == nullptr || r == nullptr) throw Failure(Result::invalid_value);
        *out = add_surface(resource_of(*r));
    });
}
WARPSIM_API CUresult cuSurfObjectDestroy(ObjectHandle object) {
    return in_context([&](Gpu&) { destroy_surface(object); });
}
WARPSIM_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, ObjectHandle object) {
    return in_context([&](Gpu&) { give(out, description_of(surface_of(object)->resource)); });
}

WARPSIM_API CUresult cuDeviceGetTexture1DLinearMaxWidth(std::size_t* out, unsigned format, unsigned channels, CUdevice device) {
    return call([&] {
        Process::get().gpu(device);
        if (!driver::format_of(format, channels).is_valid()) throw Failure(Result::invalid_value);
        give(out, most_linear_elements);
    });
}
