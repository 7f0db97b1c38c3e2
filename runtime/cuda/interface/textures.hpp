// Descriptions of what textures and surfaces refer to and how they are sampled: most members have the same names
// in both interfaces. Elements and flags differ, so each interface converts its own.
#pragma once

#include "runtime/cuda/textures/textures.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::cuda {

/// From an interface's CUDA_RESOURCE_DESC or cudaResourceDesc; format_in(its linear or its pitch2D) gives the
/// format of the elements.
template <class Description, class FormatIn>
Resource described_resource(Description const& d, FormatIn&& format_in) {
    if constexpr (requires { d.flags; })  // not in CUDA 12's runtime
        if (d.flags != 0) throw Failure(Result::invalid_value);
    Resource r;
    r.kind = static_cast<Resource::Kind>(d.resType);
    if (r.kind == Resource::Kind::linear) {
        auto const& l = d.res.linear;
        r.address = std::bit_cast<std::uint64_t>(l.devPtr);
        r.format = format_in(l);
        r.bytes = l.sizeInBytes;
    } else if (r.kind == Resource::Kind::pitched) {
        auto const& p = d.res.pitch2D;
        r.address = std::bit_cast<std::uint64_t>(p.devPtr);
        r.format = format_in(p);
        r.width = p.width;
        r.height = p.height;
        r.pitch = p.pitchInBytes;
    } else {
        r.array = d.res.array;
    }
    return r;
}

/// The reverse; put_format(its linear or its pitch2D, format) writes the format of the elements.
template <class Description, class PutFormat> Description describe(Resource const& r, PutFormat&& put_format) {
    Description d{};
    d.resType = static_cast<int>(r.kind);
    auto const put_place = [&](auto& at) {
        at.devPtr = std::bit_cast<decltype(at.devPtr)>(r.address);
        put_format(at, r.format);
    };
    if (r.kind == Resource::Kind::linear) {
        auto& l = d.res.linear;
        put_place(l);
        l.sizeInBytes = r.bytes;
    } else if (r.kind == Resource::Kind::pitched) {
        auto& p = d.res.pitch2D;
        put_place(p);
        p.width = r.width;
        p.height = r.height;
        p.pitchInBytes = r.pitch;
    } else {
        d.res.array = r.array;
    }
    return d;
}

/// From an interface's CUDA_TEXTURE_DESC or cudaTextureDesc, without what the driver expresses as flags.
template <class Description> Sampling described_sampling(Description const& d) {
    Sampling s;
    std::copy_n(d.addressMode, 3, s.address_modes.begin());
    std::copy_n(d.borderColor, 4, s.border.begin());
    s.filter = d.filterMode;
    s.anisotropy = d.maxAnisotropy;
    s.level_filter = d.mipmapFilterMode;
    s.level_bias = d.mipmapLevelBias;
    s.least_level = d.minMipmapLevelClamp;
    s.most_level = d.maxMipmapLevelClamp;
    return s;
}

template <class Description> Description describe(Sampling const& s) {
    Description d{};
    std::copy_n(s.address_modes.begin(), 3, d.addressMode);
    std::copy_n(s.border.begin(), 4, d.borderColor);
    d.filterMode = s.filter;
    d.maxAnisotropy = s.anisotropy;
    d.mipmapFilterMode = s.level_filter;
    d.mipmapLevelBias = s.level_bias;
    d.minMipmapLevelClamp = s.least_level;
    d.maxMipmapLevelClamp = s.most_level;
    return d;
}

}  // namespace warpsim::cuda
