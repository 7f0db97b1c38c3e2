// Texture and surface objects. A kernel that looks through one is refused when it is launched.
#include "runtime/cuda/textures.hpp"

#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/formats.hpp"

#include <algorithm>

using namespace warpsim::cuda;

extern "C" {

struct cudaResourceDesc {
    int resType;                 // array, mipmapped array, linear, pitch 2D
    union {
        void* array;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            std::size_t sizeInBytes;
        } linear;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            std::size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};

struct cudaTextureDesc {
    int addressMode[3];
    int filterMode;
    int readMode;                // 0 as they are, 1 integers as normalised floats
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

static_assert(sizeof(cudaResourceDesc) == 144);
static_assert(sizeof(cudaTextureDesc) == 72);

namespace {

using Kind = Resource::Kind;

Resource resource_of(cudaResourceDesc const& d) {
    if (d.flags != 0) throw Failure(Result::invalid_value);
    Resource r;
    r.kind = static_cast<Kind>(d.resType);
    if (r.kind == Kind::linear) {
        r.address = address(d.res.linear.devPtr);
        r.format = format_of(d.res.linear.desc);
        r.bytes = d.res.linear.sizeInBytes;
    } else if (r.kind == Kind::pitched) {
        auto const& p = d.res.pitch2D;
        r.address = address(p.devPtr);
        r.format = format_of(p.desc);
        r.width = p.width;
        r.height = p.height;
        r.pitch = p.pitchInBytes;
    } else {
        r.array = d.res.array;
    }
    return r;
}

cudaResourceDesc description_of(Resource const& r) {
    cudaResourceDesc d{};
    d.resType = static_cast<int>(r.kind);
    auto* const memory = reinterpret_cast<void*>(r.address);
    if (r.kind == Kind::linear) d.res.linear = {memory, description_of(r.format), r.bytes};
    else if (r.kind == Kind::pitched) d.res.pitch2D = {memory, description_of(r.format), r.width, r.height, r.pitch};
    else d.res.array = r.array;
    return d;
}

Sampling sampling_of(cudaTextureDesc const& d, ChannelFormat const& format) {
    if (d.readMode < 0 || d.readMode > 1) throw Failure(Result::invalid_value);
    // Here, and not in the driver's interface, 32-bit integers cannot be asked to become floats.
    if (d.readMode == 1 && format.is_integer() && format.bits[0] == 32) throw Failure(Result::invalid_value);
    Sampling s;
    std::copy_n(d.addressMode, 3, s.address_modes.begin());
    std::copy_n(d.borderColor, 4, s.border.begin());
    s.filter = d.filterMode;
    s.promotes_integers = d.readMode == 1;
    s.is_srgb = d.sRGB != 0;
    s.has_normalized_coordinates = d.normalizedCoords != 0;
    s.anisotropy = d.maxAnisotropy;
    s.level_filter = d.mipmapFilterMode;
    s.level_bias = d.mipmapLevelBias;
    s.least_level = d.minMipmapLevelClamp;
    s.most_level = d.maxMipmapLevelClamp;
    s.has_no_trilinear_optimization = d.disableTrilinearOptimization != 0;
    s.is_seamless_cubemap = d.seamlessCubemap != 0;
    return s;
}

cudaTextureDesc description_of(Sampling const& s) {
    cudaTextureDesc d{};
    std::copy_n(s.address_modes.begin(), 3, d.addressMode);
    std::copy_n(s.border.begin(), 4, d.borderColor);
    d.filterMode = s.filter;
    d.readMode = s.promotes_integers;
    d.sRGB = s.is_srgb;
    d.normalizedCoords = s.has_normalized_coordinates;
    d.maxAnisotropy = s.anisotropy;
    d.mipmapFilterMode = s.level_filter;
    d.mipmapLevelBias = s.level_bias;
    d.minMipmapLevelClamp = s.least_level;
    d.maxMipmapLevelClamp = s.most_level;
    d.disableTrilinearOptimization = s.has_no_trilinear_optimization;
    d.seamlessCubemap = s.is_seamless_cubemap;
    return d;
}

}  // namespace

WARPSIM_API cudaError_t cudaCreateTextureObject(ObjectHandle* out, cudaResourceDesc const* r, cudaTextureDesc const* t,
                                                ResourceView const* v) {
    return call([&] {
        if (out == nullptr || r == nullptr || t == nullptr) throw Failure(Result::invalid_value);
        Resource const resource = resource_of(*r);
        *out = add_texture(resource, sampling_of(*t, format_of(resource)), v);
    });
}
WARPSIM_API cudaError_t cudaDestroyTextureObject(ObjectHandle object) {
    return call([&] { destroy_texture(object); });
}
WARPSIM_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, ObjectHandle object) {
    return call([&] { give(out, description_of(texture_of(object)->resource)); });
}
WARPSIM_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, ObjectHandle object) {
    return call([&] { give(out, description_of(texture_of(object)->sampling)); });
}
WARPSIM_API cudaError_t cudaGetTextureObjectResourceViewDesc(ResourceView* out, ObjectHandle object) {
    return call([&] {
        auto const texture = texture_of(object);
        if (!texture->view) throw Failure(Result::invalid_value);
        give(out, *texture->view);
    });
}

WARPSIM_API cudaError_t cudaCreateSurfaceObject(ObjectHandle* out, cudaResourceDesc const* r) {
    return call([&] {
        if (out == nullptr || r == nullptr) throw Failure(Result::invalid_value);
        *out = add_surface(resource_of(*r));
    });
}
WARPSIM_API cudaError_t cudaDestroySurfaceObject(ObjectHandle object) {
    return call([&] { destroy_surface(object); });
}
WARPSIM_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* out, ObjectHandle object) {
    return call([&] { give(out, description_of(surface_of(object)->resource)); });
}

WARPSIM_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* out, cudaChannelFormatDesc const* d, int device) {
    return call([&] {
        Process::get().gpu(device);
        if (d == nullptr || !format_of(*d).is_valid()) throw Failure(Result::invalid_value);
        give(out, most_linear_elements);
    });
}
