// Texture and surface objects: how kernels would read arrays and memory.
#pragma once

#include "runtime/cuda/textures/arrays.hpp"

#include <array>
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

struct Texture {
    Resource resource;
    Sampling sampling;
    std::optional<ResourceView> view;
    std::shared_ptr<void> keeps = nullptr;  // the array that it refers to
};

struct Surface {
    Resource resource;
    std::shared_ptr<void> keeps = nullptr;
};

/// The widest texture of linear memory, in elements.
inline constexpr std::uint64_t most_linear_elements = std::uint64_t{1} << 28;

using ObjectHandle = unsigned long long;

/// The texture and surface objects of a process.
class Textures {
public:
    Textures(HandleTable& handles, Arrays const& arrays, Memory const& memory);

    /// The format of a resource's elements. Throws Failure(invalid_handle), Failure(invalid_channel_descriptor).
    ChannelFormat format_of(Resource const& resource) const;
    /// Throws Failure(invalid_value) for a resource that cannot be sampled like this, and what format_of() throws.
    void check(Resource const& resource, Sampling const& sampling, ResourceView const* view) const;
    /// Throw what check() throws.
    ObjectHandle add(Resource const& resource, Sampling const& sampling, ResourceView const* view);
    ObjectHandle add_surface(Resource const& resource);
    /// Throw Failure(invalid_value) for an unknown object.
    std::shared_ptr<Texture> get(ObjectHandle object) const;
    std::shared_ptr<Surface> get_surface(ObjectHandle object) const;
    /// Throws Failure(invalid_value) when it has none.
    ResourceView view_of(ObjectHandle texture) const;
    /// 0 is ignored. Throw Failure(invalid_handle).
    void destroy(ObjectHandle object);
    void destroy_surface(ObjectHandle object);

private:
    std::shared_ptr<void> kept_by(Resource const& resource) const;
    void check_memory(Resource const& resource, ChannelFormat const& format) const;
    void check_view(ResourceView const& view, Resource const& resource, ChannelFormat const& format) const;

    Arrays const& arrays_;
    Memory const& memory_;
    Handles<Texture> textures_;
    Handles<Surface> surfaces_;
};

}  // namespace warpsim::cuda
