// Texture and surface objects.
#include "runtime/cuda/textures/textures.hpp"
#include "runtime/cuda/runtime_api/version.hpp"

#include "runtime/cuda/interface/textures.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/formats.hpp"

#include <cstring>
#include <optional>

using namespace warpsim::cuda;

extern "C" {

struct cudaTextureDesc {
    int addressMode[3];
    int filterMode;
    int readMode;  // 0 as they are, 1 integers as normalised floats
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap;
};

}  // extern "C"

static_assert(sizeof(cudaTextureDesc) == 72);

namespace {

Resource resource_of(cudaResourceDesc const& d) {
    return described_resource(d, [](auto const& memory) { return format_of(memory.desc); });
}

/// The rest of it is reserved.
std::optional<ResourceView> view_from(void const* description) {
    if (description == nullptr) return std::nullopt;
    ResourceView view;
    std::memcpy(static_cast<void*>(&view), description, resource_view_bytes);
    return view;
}

cudaResourceDesc description_of(Resource const& r) {
    return describe<cudaResourceDesc>(
        r, [](auto& memory, ChannelFormat const& format) { memory.desc = description_of(format); });
}

Sampling sampling_of(cudaTextureDesc const& d, ChannelFormat const& format) {
    if (d.readMode < 0 || d.readMode > 1) throw Failure(Result::invalid_value);
    // Unlike in the driver's interface, it is an error to ask that 32-bit integers become floats.
    if (d.readMode == 1 && format.is_integer() && format.bits[0] == 32) throw Failure(Result::invalid_value);
    Sampling s = described_sampling(d);
    s.promotes_integers = d.readMode == 1;
    s.is_srgb = d.sRGB != 0;
    s.has_normalized_coordinates = d.normalizedCoords != 0;
    s.has_no_trilinear_optimization = d.disableTrilinearOptimization != 0;
    s.is_seamless_cubemap = d.seamlessCubemap != 0;
    return s;
}

cudaTextureDesc description_of(Sampling const& s) {
    auto d = describe<cudaTextureDesc>(s);
    d.readMode = s.promotes_integers;
    d.sRGB = s.is_srgb;
    d.normalizedCoords = s.has_normalized_coordinates;
    d.disableTrilinearOptimization = s.has_no_trilinear_optimization;
    d.seamlessCubemap = s.is_seamless_cubemap;
    return d;
}

}  // namespace

WARPSIM_API cudaError_t cudaCreateTextureObject(ObjectHandle* out, cudaResourceDesc const* r,
                                                cudaTextureDesc const* t, void const* v) {
    Arguments const said(out, r, v);
    return call([&](Process& process) {
        if (out == nullptr || r == nullptr || t == nullptr) throw Failure(Result::invalid_value);
        Resource const resource = resource_of(*r);
        std::optional<ResourceView> const view = view_from(v);
        *out =
            process.textures.add(process.current(), resource,
                                 sampling_of(*t, process.textures.format_of(resource)), view ? &*view : nullptr);
    });
}
WARPSIM_API cudaError_t cudaDestroyTextureObject(ObjectHandle object) {
    Arguments const said(object);
    return call([&](Process& process) { process.textures.destroy(object); });
}
WARPSIM_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, ObjectHandle object) {
    Arguments const said(out, object);
    return call([&](Process& process) { give(out, description_of(process.textures.get(object).resource)); });
}
WARPSIM_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, ObjectHandle object) {
    Arguments const said(out, object);
    return call([&](Process& process) { give(out, description_of(process.textures.get(object).sampling)); });
}
WARPSIM_API cudaError_t cudaGetTextureObjectResourceViewDesc(void* out, ObjectHandle object) {
    Arguments const said(out, object);
    return call([&](Process& process) {
        ResourceView const view = process.textures.view_of(object);
        if (out == nullptr) throw Failure(Result::invalid_value);
        std::memcpy(out, &view, resource_view_bytes);
    });
}

WARPSIM_API cudaError_t cudaCreateSurfaceObject(ObjectHandle* out, cudaResourceDesc const* r) {
    Arguments const said(out, r);
    return call([&](Process& process) {
        if (out == nullptr || r == nullptr) throw Failure(Result::invalid_value);
        *out = process.textures.add_surface(process.current(), resource_of(*r));
    });
}
WARPSIM_API cudaError_t cudaDestroySurfaceObject(ObjectHandle object) {
    Arguments const said(object);
    return call([&](Process& process) { process.textures.destroy_surface(object); });
}
WARPSIM_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* out, ObjectHandle object) {
    Arguments const said(out, object);
    return call(
        [&](Process& process) { give(out, description_of(process.textures.get_surface(object).resource)); });
}

WARPSIM_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* out, cudaChannelFormatDesc const* d,
                                                             int device) {
    Arguments const said(out, d, device);
    return call([&](Process& process) {
        process.gpu(device);
        if (d == nullptr || !format_of(*d).is_valid()) throw Failure(Result::invalid_value);
        give(out, most_linear_elements);
    });
}
