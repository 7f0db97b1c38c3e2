// Texture and surface objects: what a program asked for, and what the device's table gets for it.
#pragma once

#include "runtime/cuda/textures/arrays.hpp"

#include "sim/texture/table.hpp"

#include <array>
#include <map>
#include <mutex>
#include <optional>

namespace warpsim::cuda {

/// What a texture or surface refers to. The numbers are those of both interfaces.
struct Resource {
    enum class Kind : int { array = 0, mipmapped = 1, linear = 2, pitched = 3 };
    Kind kind = Kind::array;
    void* array = nullptr;  // the handle, of an array of either kind
    // For memory:
    std::uint64_t address = 0;
    ChannelFormat format{};
    std::uint64_t bytes = 0;                         // linear
    std::uint64_t width = 0, height = 0, pitch = 0;  // pitched: elements, rows, bytes
};

/// How it is sampled.
struct Sampling {
    std::array<int, 3> address_modes{};  // 0 wrap, 1 clamp, 2 mirror, 3 border
    int filter = 0, level_filter = 0;    // 0 point, 1 linear
    bool promotes_integers = false;      // those of 8 and 16 bits, to [0, 1] or [-1, 1]
    bool has_normalized_coordinates = false;
    bool is_srgb = false;
    bool has_no_trilinear_optimization = false;
    bool is_seamless_cubemap = false;
    unsigned anisotropy = 0;
    float level_bias = 0, least_level = 0, most_level = 0;
    std::array<float, 4> border{};
};

/// The part of an array that is used, and its format: laid out as in both interfaces.
struct ResourceView {
    int format = 0;  // 0: the array's own
    std::size_t width = 0, height = 0, depth = 0;
    unsigned first_level = 0, last_level = 0, first_layer = 0, last_layer = 0;
    unsigned reserved[16] = {};
};
static_assert(sizeof(ResourceView) == 112);

/// As the program described it.
struct Texture {
    Resource resource;
    Sampling sampling;
    std::optional<ResourceView> view;
    int device = 0;
    void const* context = nullptr;  // in which it was made
};

struct Surface {
    Resource resource;
    int device = 0;
    void const* context = nullptr;
};

/// The widest texture of linear memory, in elements.
inline constexpr std::uint64_t most_linear_elements = std::uint64_t{1} << 28;

using ObjectHandle = unsigned long long;

/// The texture and surface objects of a process. An object's number is its handle in the table of its device, which
/// kernels find it by. It does not keep its array or memory: a kernel that looks at what was freed faults.
class Textures {
public:
    Textures(Arrays const& arrays, Memory const& memory, Gpus const& gpus);

    /// The format of a resource's elements. Throws Failure(invalid_handle), Failure(invalid_channel_descriptor).
    ChannelFormat format_of(Resource const& resource) const;
    /// Throws Failure(invalid_value) for a resource that cannot be sampled like this, and what format_of() throws.
    void check(Resource const& resource, Sampling const& sampling, ResourceView const* view) const;
    /// What a device samples. Throws Failure(invalid_value) for an array of another device, and what check() throws.
    sim::texture::Texture sampled(Gpu const& gpu, Resource const& resource, Sampling const& sampling,
                                  ResourceView const* view) const;
    /// What a surface accesses. Throws Failure(invalid_value) for an array that was not made for that.
    sim::texture::Surface accessed(Gpu const& gpu, Resource const& resource) const;
    /// Throw what these throw.
    ObjectHandle add(Gpu const& gpu, Resource const& resource, Sampling const& sampling, ResourceView const* view);
    ObjectHandle add_surface(Gpu const& gpu, Resource const& resource);
    /// Throw Failure(invalid_value) for an unknown object.
    Texture get(ObjectHandle object) const;
    Surface get_surface(ObjectHandle object) const;
    /// Throws Failure(invalid_value) when it has none.
    ResourceView view_of(ObjectHandle texture) const;
    /// Wait for the device's work first; 0 is ignored. Throw Failure(invalid_handle).
    void destroy(ObjectHandle object);
    void destroy_surface(ObjectHandle object);
    /// Those of a context, whose device is idle.
    void destroy_all(void const* context);

private:
    sim::texture::Image image_of(Resource const& resource, int device) const;
    void check_memory(Resource const& resource, ChannelFormat const& format) const;
    void check_view(ResourceView const& view, Resource const& resource, ChannelFormat const& format) const;

    Arrays const& arrays_;
    Memory const& memory_;
    Gpus const& gpus_;
    mutable std::mutex mutex_;
    std::map<ObjectHandle, Texture> textures_;
    std::map<ObjectHandle, Surface> surfaces_;
};

}  // namespace warpsim::cuda
