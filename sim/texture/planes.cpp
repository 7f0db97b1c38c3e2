#include "sim/texture/planes.hpp"

#include "frontend/isa/by_host.hpp"
#include "sim/texture/addressing.hpp"
#include "sim/texture/cube.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpsim::sim::texture {

WARPSIM_BY_HOST(PlaneFunctions, plane_functions, functions)

namespace {

bool is_plain(Image const& image, Sampler const& sampler, FetchKind const& kind) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;
    // So that eight bits behind the point fit, too, or the margin of integers.
    std::uint32_t const widest = kind.counts_texels ? 1u << 30 : 1u << 17;
    Extent const size = image.level_extent(0);
    bool const is_small = image.bytes() < most_bytes && size.width <= widest && size.height <= widest;
    bool const is_clamped = kind.counts_texels || std::find(sampler.address.begin(), sampler.address.end(),
                                                            Address::clamp_ogl) == sampler.address.end();
    bool const has_component = !kind.gathers || kind.compares || kind.component < image.format.channels;
    bool const has_texels = image.arrangement != Arrangement::linear || kind.counts_texels;
    return has_texels && !is_multisample(kind.geometry) && is_small && is_clamped && has_component;
}

/// Integers count texels, which do not repeat.
Address address_mode(Address mode, bool is_normalized, FetchKind const& kind) {
    if (kind.counts_texels) return mode == Address::border ? Address::border : Address::clamp;
    return effective(mode, is_normalized);
}

Plane plane_of(Image const& image, Sampler const& sampler, FetchKind const& kind, std::uint32_t level) {
    bool const is_array = image.arrangement == Arrangement::blocked;
    Extent const size = image.level_extent(level);
    Plane p;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    p.texels = reinterpret_cast<std::byte const*>(image.byte(0, 0, 0, level));
    p.dimensions = static_cast<std::uint8_t>(dimensions(kind.geometry));
    p.width = size.width;
    p.height = size.height;
    p.depth = size.depth;
    if (is_array) {
        LevelLayout const& layout = image.layout.level(image.first_level + level);
        p.row_bytes = static_cast<std::int32_t>(layout.row_bytes);
        p.slice_bytes = static_cast<std::int32_t>(layout.slice_bytes);
    }
    p.pitch = static_cast<std::int32_t>(image.pitch);
    p.is_blocked = is_array && !image.layout.shape().is_line;
    p.channel = image.format.channel;
    p.channels = image.format.channels;
    p.texel_bytes = static_cast<std::uint8_t>(image.format.bytes());
    if (p.channel == Channel::srgb8) p.linear_of_srgb = linear_of_srgb().data();
    p.counts_texels = kind.counts_texels;
    p.gathers = kind.gathers;
    p.component = kind.component;
    p.compares = kind.compares;
    p.compare = sampler.compare;
    p.is_linear =
        kind.gathers || (sampler.filter == Filter::linear && !kind.counts_texels && !image.format.is_integer());
    p.is_normalized = sampler.is_normalized;
    p.address_x = address_mode(sampler.address[0], sampler.is_normalized, kind);
    p.address_y = address_mode(sampler.address[1], sampler.is_normalized, kind);
    p.address_z = address_mode(sampler.address[2], sampler.is_normalized, kind);
    if (image.arrangement == Arrangement::linear) {
        p.address_x = Address::border;
        p.is_zero_outside = !kind.compares;
    }
    if (is_cube(kind.geometry)) {
        p.is_normalized = true;
        // What reaches over an edge is left as if it was the border.
        p.address_x = p.address_y = sampler.is_seamless && p.is_linear ? Address::border : Address::clamp;
    }
    return p;
}

/// Where lanes are once their layers and faces are known.
struct alignas(64) Places {
    Faces faces;
    std::int32_t slices[32];
    std::int32_t const* slice;
    void const* at[3];
    std::int32_t const* offset[3];
};

void find_places(PlaneFunctions const& functions, Places& places, Image const& image, FetchKind const& kind,
                 FetchColumns const& columns) {
    alignas(64) static constexpr std::int32_t first_slices[32] = {};
    bool const is_of_cube = is_cube(kind.geometry), has_layers = is_layered(kind.geometry);
    for (std::size_t d = 0; d < 3; ++d) {
        places.at[d] = is_of_cube && d < 2 ? places.faces.at[d] : columns.at[d];
        places.offset[d] = is_of_cube ? nullptr : columns.offset[d];
    }
    places.slice = is_of_cube || has_layers ? places.slices : first_slices;
    std::uint32_t const layers = std::max(is_of_cube ? image.slices / 6 : image.slices, 1u);
    for (std::size_t lane = 0; lane < 32 && has_layers; ++lane)
        places.slices[lane] = static_cast<std::int32_t>(std::min(columns.layer[lane], layers - 1));
    if (!is_of_cube) return;
    auto const directions = [&](std::size_t d) { return static_cast<float const*>(columns.at[d]); };
    functions.find_faces(places.faces, {directions(0), directions(1), directions(2)});
    for (std::size_t lane = 0; lane < 32; ++lane)
        places.slices[lane] = places.faces.face[lane] + (has_layers ? 6 * places.slices[lane] : 0);
}

/// The fetches of an instruction from the levels of an image.
class LevelsFetch {
public:
    LevelsFetch(PlaneFunctions const& functions, Image const& image, Sampler const& sampler, FetchKind const& kind,
                FetchColumns const& columns)
        : functions_(functions), image_(image), sampler_(sampler), kind_(kind), columns_(columns) {
        find_places(functions, places_, image, kind, columns);
    }

    std::uint32_t in_level(std::uint32_t level, std::uint32_t mask) const {
        return functions_.fetch(plane(level), fetch(mask));
    }

    std::uint32_t in_levels(std::uint32_t mask) {
        std::uint32_t left = choose_levels(mask);
        for (std::uint32_t rest = mask & ~left; rest != 0;) {
            std::int32_t const level = level_[static_cast<std::size_t>(std::countr_zero(rest))];
            std::uint32_t here = 0, between = 0;
            for (std::size_t lane = 0; lane < 32; ++lane) {
                std::uint32_t const bit = level_[lane] == level ? rest & 1u << lane : 0;
                (second_[lane] != 0 ? between : here) |= bit;
            }
            rest &= ~(here | between);
            auto const number = static_cast<std::uint32_t>(level);
            if (here != 0) left |= in_level(number, here);
            if (between != 0) left |= functions_.fetch_between(plane(number), plane(number + 1), fetch(between));
        }
        return left;
    }

private:
    /// The lanes that take several samples.
    std::uint32_t choose_levels(std::uint32_t mask) {
        bool const blends = sampler_.level_filter == Filter::linear && !image_.format.is_integer() &&
                            !kind_.gathers && !kind_.counts_texels;
        std::uint32_t left = 0;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            level_[lane] = 0;
            second_[lane] = 0;
            if ((mask >> lane & 1) == 0) continue;
            Fetch fetch;
            fetch.level = kind_.counts_texels
                              ? static_cast<float>(static_cast<std::int32_t const*>(columns_.level)[lane])
                              : static_cast<float const*>(columns_.level)[lane];
            for (std::size_t d = 0; d < 3 && kind_.levels == LevelChoice::gradients; ++d) {
                fetch.at[d] = static_cast<float const*>(columns_.at[d])[lane];
                fetch.dx[d] = columns_.dx[d][lane];
                fetch.dy[d] = columns_.dy[d][lane];
            }
            DetailOfFetch const detail = detail_of_fetch(image_, sampler_, kind_, fetch);
            bool const is_spread = detail.samples > 1 && !image_.format.is_integer() && !kind_.gathers;
            left |= is_spread ? 1u << lane : 0;
            level_[lane] = blends ? detail.level >> 8 : (detail.level + 128) >> 8;
            if (blends) second_[lane] = detail.level & 255;
        }
        return left;
    }

    Plane plane(std::uint32_t level) const { return plane_of(image_, sampler_, kind_, level); }
    PlaneFetch fetch(std::uint32_t mask) const {
        auto const& at = places_.at;
        auto const& offset = places_.offset;
        auto const& results = columns_.results;
        return {.at = {at[0], at[1], at[2]},
                .offset = {offset[0], offset[1], offset[2]},
                .slice = places_.slice,
                .second = second_,
                .reference = columns_.reference,
                .mask = mask,
                .results = {results[0], results[1], results[2], results[3]},
                .read = columns_.read};
    }

    PlaneFunctions const& functions_;
    Image const& image_;
    Sampler const& sampler_;
    FetchKind const& kind_;
    FetchColumns const& columns_;
    Places places_;
    std::int32_t level_[32];               // the first of the two
    alignas(64) std::int32_t second_[32];  // the weight of the second, in 256ths
};

}  // namespace

std::uint32_t fetch_planes(PlaneFunctions const& functions, Image const& image, Sampler const& sampler,
                           FetchKind const& kind, FetchColumns const& columns, std::uint32_t mask) {
    if (!is_plain(image, sampler, kind)) return mask;
    LevelsFetch fetch(functions, image, sampler, kind, columns);
    if (kind.levels == LevelChoice::base) return fetch.in_level(0, mask);
    return fetch.in_levels(mask);
}

}  // namespace warpsim::sim::texture
