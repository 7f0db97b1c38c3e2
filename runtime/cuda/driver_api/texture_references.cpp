// The functions of texture and surface references.
#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/formats.hpp"
#include "runtime/cuda/driver_api/textures.hpp"

#include <algorithm>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// For functions that ask a texture reference: work(reference).
template <class F> CUresult in_texture(CUtexref handle, F&& work) {
    return in_context(
        [&](Process& process, Gpu&) { work_with(process, work, *process.references.textures.get(handle)); });
}
/// For functions that change it.
template <class F> CUresult of_texture(CUtexref handle, F&& work) {
    return in_context([&](Process& process, Gpu&) {
        auto const reference = process.references.textures.get(handle);
        work_with(process, work, *reference);
        process.references.bind(*reference);
    });
}

CUresult of_module(void** out, CUmodule module, char const* name, bool is_surface) {
    return in_context([&](Process& process, Gpu& gpu) {
        if (out == nullptr || name == nullptr) throw Failure(Result::invalid_value);
        *out = process.references.of_module(process.libraries.get(module), gpu, name, is_surface);
    });
}

void look_at_array(Process& process, Reference& r, Resource::Kind kind, void* array, unsigned flags) {
    constexpr unsigned takes_its_format = 1;
    Resource resource;
    resource.kind = kind;
    resource.array = array;
    if ((flags & ~takes_its_format) != 0) throw Failure(Result::invalid_value);
    r.format = process.textures.format_of(resource);
    r.resource = resource;
}

Resource const& looked_at(Reference const& r, bool is_of_kind) {
    if (!r.resource || !is_of_kind) throw Failure(Result::invalid_value);
    return *r.resource;
}

bool is(Reference const& r, Resource::Kind kind) { return r.resource && r.resource->kind == kind; }

CUresult set_plane(CUtexref handle, CUDA_ARRAY_DESCRIPTOR const* d, CUdeviceptr address, std::size_t pitch) {
    return of_texture(handle, [&](Process& process, Reference& r) {
        if (d == nullptr) throw Failure(Result::invalid_value);
        Resource plane;
        plane.kind = Resource::Kind::pitched;
        plane.address = address;
        plane.format = driver::format_of(d->Format, d->NumChannels);
        plane.width = d->Width;
        plane.height = d->Height;
        plane.pitch = pitch;
        process.textures.check(plane, {}, nullptr);
        r.format = plane.format;
        r.resource = plane;
    });
}

}  // namespace

WARPSIM_API CUresult cuTexRefCreate(CUtexref* out) {
    Arguments const said(out);
    return in_context([&](Process& process, Gpu&) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = process.references.textures.add(std::make_shared<Reference>());
    });
}
WARPSIM_API CUresult cuTexRefDestroy(CUtexref handle) {
    Arguments const said(handle);
    return in_context([&](Process& process, Gpu&) { process.references.textures.remove(handle); });
}
WARPSIM_API CUresult cuModuleGetTexRef(CUtexref* out, CUmodule module, char const* name) {
    Arguments const said(out, module, name);
    return of_module(out, module, name, false);
}
WARPSIM_API CUresult cuModuleGetSurfRef(CUsurfref* out, CUmodule module, char const* name) {
    Arguments const said(out, module, name);
    return of_module(out, module, name, true);
}

WARPSIM_API CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned flags) {
    Arguments const said(handle, array, flags);
    return of_texture(handle, [&](Process& process, Reference& r) {
        look_at_array(process, r, Resource::Kind::array, array, flags);
    });
}
WARPSIM_API CUresult cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray array, unsigned flags) {
    Arguments const said(handle, array, flags);
    return of_texture(handle, [&](Process& process, Reference& r) {
        look_at_array(process, r, Resource::Kind::mipmapped, array, flags);
    });
}
WARPSIM_API CUresult cuTexRefSetAddress_v2(std::size_t* offset, CUtexref handle, CUdeviceptr address,
                                           std::size_t bytes) {
    Arguments const said(offset, handle, address, bytes);
    constexpr std::uint64_t alignment = 512;
    return of_texture(handle, [&](Process& process, Reference& r) {
        std::uint64_t const behind = address % alignment;
        if (behind != 0 && offset == nullptr) throw Failure(Result::invalid_value);
        Resource line;
        line.kind = Resource::Kind::linear;
        line.address = address - behind;
        line.format = r.format;
        line.bytes = bytes + behind;
        process.textures.check(line, {}, nullptr);
        if (offset != nullptr) *offset = behind;
        r.resource = line;
    });
}
WARPSIM_API CUresult cuTexRefSetAddress2D_v2(CUtexref handle, CUDA_ARRAY_DESCRIPTOR const* d, CUdeviceptr address,
                                             std::size_t pitch) {
    Arguments const said(handle, d, address, pitch);
    return set_plane(handle, d, address, pitch);
}
WARPSIM_API CUresult cuTexRefSetAddress2D_v3(CUtexref handle, CUDA_ARRAY_DESCRIPTOR const* d, CUdeviceptr address,
                                             std::size_t pitch) {
    Arguments const said(handle, d, address, pitch);
    return set_plane(handle, d, address, pitch);
}
WARPSIM_API CUresult cuTexRefSetFormat(CUtexref handle, unsigned format, int channels) {
    Arguments const said(handle, format, channels);
    return of_texture(handle, [&](Reference& r) {
        ChannelFormat const wanted = driver::format_of(format, static_cast<unsigned>(channels));
        if (!wanted.is_valid()) throw Failure(Result::invalid_value);
        r.format = wanted;
        if (r.resource && r.resource->kind == Resource::Kind::linear) r.resource->format = wanted;
    });
}
WARPSIM_API CUresult cuTexRefGetAddress_v2(CUdeviceptr* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) {
        give(out, looked_at(r, is(r, Resource::Kind::linear) || is(r, Resource::Kind::pitched)).address);
    });
}
WARPSIM_API CUresult cuTexRefGetArray(CUarray* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) { give(out, looked_at(r, is(r, Resource::Kind::array)).array); });
}
WARPSIM_API CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle,
                      [&](Reference& r) { give(out, looked_at(r, is(r, Resource::Kind::mipmapped)).array); });
}
WARPSIM_API CUresult cuTexRefGetFormat(unsigned* format, int* channels, CUtexref handle) {
    Arguments const said(format, channels, handle);
    return in_texture(handle, [&](Reference& r) {
        if (format != nullptr) *format = driver::number_of(r.format);
        if (channels != nullptr) *channels = static_cast<int>(r.format.channels());
    });
}

namespace {

void check_choice(int value, int last) {
    if (value < 0 || value > last) throw Failure(Result::invalid_value);
}
constexpr int last_address_mode = 3, last_filter = 1, last_dimension = 2;

}  // namespace

WARPSIM_API CUresult cuTexRefSetAddressMode(CUtexref handle, int dimension, int mode) {
    Arguments const said(handle, dimension, mode);
    return of_texture(handle, [&](Reference& r) {
        check_choice(dimension, last_dimension);
        check_choice(mode, last_address_mode);
        r.sampling.address_modes[static_cast<std::size_t>(dimension)] = mode;
    });
}
WARPSIM_API CUresult cuTexRefGetAddressMode(int* out, CUtexref handle, int dimension) {
    Arguments const said(out, handle, dimension);
    return in_texture(handle, [&](Reference& r) {
        check_choice(dimension, last_dimension);
        give(out, r.sampling.address_modes[static_cast<std::size_t>(dimension)]);
    });
}
WARPSIM_API CUresult cuTexRefSetFilterMode(CUtexref handle, int mode) {
    Arguments const said(handle, mode);
    return of_texture(handle, [&](Reference& r) {
        check_choice(mode, last_filter);
        r.sampling.filter = mode;
    });
}
WARPSIM_API CUresult cuTexRefSetMipmapFilterMode(CUtexref handle, int mode) {
    Arguments const said(handle, mode);
    return of_texture(handle, [&](Reference& r) {
        check_choice(mode, last_filter);
        r.sampling.level_filter = mode;
    });
}
WARPSIM_API CUresult cuTexRefSetFlags(CUtexref handle, unsigned flags) {
    Arguments const said(handle, flags);
    return of_texture(handle, [&](Reference& r) { set_flags(r.sampling, flags); });
}
WARPSIM_API CUresult cuTexRefGetFlags(unsigned* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) { give(out, flags_of(r.sampling)); });
}
WARPSIM_API CUresult cuTexRefSetMipmapLevelClamp(CUtexref handle, float least, float most) {
    Arguments const said(handle, least, most);
    return of_texture(handle, [&](Reference& r) {
        r.sampling.least_level = least;
        r.sampling.most_level = most;
    });
}
WARPSIM_API CUresult cuTexRefGetMipmapLevelClamp(float* least, float* most, CUtexref handle) {
    Arguments const said(least, most, handle);
    return in_texture(handle, [&](Reference& r) {
        give(least, r.sampling.least_level);
        give(most, r.sampling.most_level);
    });
}
WARPSIM_API CUresult cuTexRefSetBorderColor(CUtexref handle, float const* color) {
    Arguments const said(handle, color);
    return of_texture(handle, [&](Reference& r) {
        if (color == nullptr) throw Failure(Result::invalid_value);
        std::copy_n(color, 4, r.sampling.border.begin());
    });
}
WARPSIM_API CUresult cuTexRefGetBorderColor(float* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        std::copy_n(r.sampling.border.begin(), 4, out);
    });
}

WARPSIM_API CUresult cuTexRefSetMipmapLevelBias(CUtexref handle, float value) {
    Arguments const said(handle, value);
    return of_texture(handle, [&](Reference& r) { r.sampling.level_bias = value; });
}
WARPSIM_API CUresult cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned value) {
    Arguments const said(handle, value);
    return of_texture(handle, [&](Reference& r) { r.sampling.anisotropy = value; });
}
WARPSIM_API CUresult cuTexRefGetMipmapLevelBias(float* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) { give(out, r.sampling.level_bias); });
}
WARPSIM_API CUresult cuTexRefGetMaxAnisotropy(int* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) { give(out, r.sampling.anisotropy); });
}
WARPSIM_API CUresult cuTexRefGetFilterMode(int* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) { give(out, r.sampling.filter); });
}
WARPSIM_API CUresult cuTexRefGetMipmapFilterMode(int* out, CUtexref handle) {
    Arguments const said(out, handle);
    return in_texture(handle, [&](Reference& r) { give(out, r.sampling.level_filter); });
}

WARPSIM_API CUresult cuSurfRefSetArray(CUsurfref handle, CUarray array, unsigned flags) {
    Arguments const said(handle, array, flags);
    return in_context([&](Process& process, Gpu&) {
        auto const reference = process.references.surfaces.get(handle);
        bool const can_be_stored = process.arrays.get(array)->is_for_surfaces();
        if (flags != 0 || !can_be_stored) throw Failure(Result::invalid_value);
        look_at_array(process, *reference, Resource::Kind::array, array, 0);
        process.references.bind(*reference);
    });
}
WARPSIM_API CUresult cuSurfRefGetArray(CUarray* out, CUsurfref handle) {
    Arguments const said(out, handle);
    return in_context([&](Process& process, Gpu&) {
        auto const reference = process.references.surfaces.get(handle);
        give(out, looked_at(*reference, is(*reference, Resource::Kind::array)).array);
    });
}
