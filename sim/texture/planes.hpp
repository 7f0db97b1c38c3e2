// Fetches of 32 lanes at once, with the vectors of the host: the same bits as sample(), many times as fast.
#pragma once

#include "frontend/isa/table.hpp"
#include "sim/texture/sample.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::sim::texture {

/// A level of an image, of one to three dimensions, and how it is read: what is the same for all lanes. Plain data: code for
/// a host must not share functions with other code.
struct Plane {
    std::byte const* texels = nullptr;
    std::uint8_t dimensions = 2;
    std::uint32_t width = 1, height = 1, depth = 1;
    std::int32_t row_bytes = 0;    // of a row of tiles
    std::int32_t slice_bytes = 0;  // from one layer, face or plane of the depth to the next
    std::int32_t pitch = 0;
    bool is_blocked = true;
    Channel channel = Channel::f32;
    std::uint8_t channels = 1;
    std::uint8_t texel_bytes = 4;
    float const* linear_of_srgb = nullptr;  // of all bytes
    // Wrap and mirror with normalised coordinates only.
    Address address_x = Address::clamp, address_y = Address::clamp, address_z = Address::clamp;
    bool is_zero_outside = false;  // instead of the border's colour
    bool is_normalized = false;
    bool is_linear = false;
    bool counts_texels = false;
    bool gathers = false;  // instead of filtering
    std::uint8_t component = 0;
    bool compares = false;
    Compare compare = Compare::always;
};
/// The addresses of the texels that each lane has read, in the order of sample().
struct TexelsOfLanes {
    std::uint64_t at[32][16];
    std::uint32_t count[32] = {};
};
/// 32 coordinates each, and the columns of the results: four channels, as sample() gives them.
struct PlaneFetch {
    void const* at[3] = {};                // f32, or s32 where texels are counted
    std::int32_t const* offset[3] = {};    // -8 to 7 texels; null: none
    std::int32_t const* slice = nullptr;   // one that there is, of lanes without a part in it, too
    std::int32_t const* second = nullptr;  // the weight of the second of two levels, in 256ths
    float const* reference = nullptr;      // compared with
    std::uint32_t mask = 0;
    std::uint32_t* results[4] = {};
    TexelsOfLanes* read = nullptr;  // added to, for those who want to know
};

/// Where directions meet a cube, as face_point() has it.
struct alignas(64) Faces {
    float at[2][32];
    std::int32_t face[32];
};

struct PlaneFunctions {
    /// The lanes that are left, with nothing done: those that need the border's colour.
    std::uint32_t (*fetch)(Plane const&, PlaneFetch const&);
    /// From two levels. All lanes of volumes with linear filters are left.
    std::uint32_t (*fetch_between)(Plane const& first, Plane const& second, PlaneFetch const&);
    void (*find_faces)(Faces&, float const* const (&directions)[3]);
};
PlaneFunctions const& plane_functions(isa::HostIsa host);

/// The operands of a fetch and its results, in columns of 32 lanes. Results may be the columns of operands.
struct FetchColumns {
    void const* at[3] = {};              // f32, or s32 where texels are counted
    std::int32_t const* offset[3] = {};  // -8 to 7; null where there are none
    std::uint32_t const* layer = nullptr;
    void const* level = nullptr;  // f32, or s32 where texels are counted
    float const* dx[3] = {};
    float const* dy[3] = {};
    float const* reference = nullptr;
    std::uint32_t* results[4] = {};
    TexelsOfLanes* read = nullptr;  // null where nobody wants to know
};
/// Fetches what it can of the lanes in `mask`, and returns those that are left for sample(): all of them if the image has 2 GiB or
/// is wider than 2^17 or multisampled, or clamps as OpenGL does; those that need the border's colour, reach over the edge of a
/// seamless cube's face, take several samples, or are filtered in two levels of a volume.
std::uint32_t fetch_planes(PlaneFunctions const& functions, Image const& image, Sampler const& sampler,
                           FetchKind const& kind, FetchColumns const& columns, std::uint32_t mask);

}  // namespace warpsim::sim::texture
