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
    float face[2][32];
    std::int32_t slice[32] = {};
    void const* at[3];
    std::int32_t const* offset[3];
};

void find_places(Places& places, Image const& image, FetchKind const& kind, FetchColumns const& columns) {
    bool const is_of_cube = is_cube(kind.geometry);
    for (std::size_t d = 0; d < 3; ++d) {
        places.at[d] = is_of_cube && d < 2 ? places.face[d] : columns.at[d];
        places.offset[d] = is_of_cube ? nullptr : columns.offset[d];
    }
    if (!is_of_cube && !is_layered(kind.geometry)) return;
    std::uint32_t const layers = std::max(is_of_cube ? image.slices / 6 : image.slices, 1u);
    for (std::size_t lane = 0; lane < 32 && is_layered(kind.geometry); ++lane)
        places.slice[lane] = static_cast<std::int32_t>(std::min(columns.layer[lane], layers - 1));
    for (std::size_t lane = 0; lane < 32 && is_of_cube; ++lane) {
        auto const part = [&](std::size_t d) { return static_cast<float const*>(columns.at[d])[lane]; };
        FacePoint const point = face_point({part(0), part(1), part(2)});
        places.slice[lane] = 6 * places.slice[lane] + static_cast<std::int32_t>(point.face);
        places.face[0][lane] = point.at[0];
        places.face[1][lane] = point.at[1];
    }
}

/// The fetches of an instruction from the levels of an image.
class LevelsFetch {
public:
    LevelsFetch(PlaneFunctions const& functions, Image const& image, Sampler const& sampler, FetchKind const& kind,
                FetchColumns const& columns)
        : functions_(functions), image_(image), sampler_(sampler), kind_(kind), columns_(columns) {
        find_places(places_, image, kind, columns);
    }

    std::uint32_t in_level(std::uint32_t level, std::uint32_t mask, std::uint32_t* const (&results)[4]) const {
        PlaneFetch fetch;
        std::copy(std::begin(places_.at), std::end(places_.at), std::begin(fetch.at));
        std::copy(std::begin(places_.offset), std::end(places_.offset), std::begin(fetch.offset));
        fetch.slice = places_.slice;
        fetch.reference = columns_.reference;
        fetch.mask = mask;
        std::copy(std::begin(results), std::end(results), std::begin(fetch.results));
        fetch.read = columns_.read;
        return functions_.fetch(plane_of(image_, sampler_, kind_, level), fetch);
    }

    std::uint32_t in_levels(std::uint32_t mask) {
        std::uint32_t left = choose_levels(mask);
        for (std::uint32_t rest = mask & ~left; rest != 0;) {
            std::int32_t const level = level_[static_cast<std::size_t>(std::countr_zero(rest))];
            std::uint32_t here = 0, between = 0;
            for (std::size_t lane = 0; lane < 32; ++lane) {
                std::uint32_t const bit = level_[lane] == level ? rest & 1u << lane : 0;
                here |= bit;
                between |= second_[lane] != 0 ? bit : 0;
            }
            rest &= ~here;
            auto const number = static_cast<std::uint32_t>(level);
            left |= in_level(number, here, first_columns_);
            if (between != 0) left |= in_level(number + 1, between & ~left, second_columns_);
        }
        blend(mask & ~left);
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
            if (blends) second_[lane] = static_cast<float>(detail.level & 255) / 256;
        }
        return left;
    }

    void blend(std::uint32_t mask) const {
        for (std::size_t c = 0; c < 4; ++c) {
            for (std::size_t lane = 0; lane < 32; ++lane) {
                if ((mask >> lane & 1) == 0) continue;
                std::uint32_t value = first_[c][lane];
                if (second_[lane] != 0) {
                    float sum = 0;
                    sum += std::bit_cast<float>(value) * (1 - second_[lane]);
                    sum += std::bit_cast<float>(second_level_[c][lane]) * second_[lane];
                    value = std::bit_cast<std::uint32_t>(sum);
                }
                columns_.results[c][lane] = value;
            }
        }
    }

    PlaneFunctions const& functions_;
    Image const& image_;
    Sampler const& sampler_;
    FetchKind const& kind_;
    FetchColumns const& columns_;
    Places places_;
    std::int32_t level_[32];  // the first of the two
    float second_[32];        // the weight of the second
    alignas(64) std::uint32_t first_[4][32];
    alignas(64) std::uint32_t second_level_[4][32];
    std::uint32_t* const first_columns_[4] = {first_[0], first_[1], first_[2], first_[3]};
    std::uint32_t* const second_columns_[4] = {second_level_[0], second_level_[1], second_level_[2],
                                               second_level_[3]};
};

}  // namespace

std::uint32_t fetch_planes(PlaneFunctions const& functions, Image const& image, Sampler const& sampler,
                           FetchKind const& kind, FetchColumns const& columns, std::uint32_t mask) {
    if (!is_plain(image, sampler, kind)) return mask;
    LevelsFetch fetch(functions, image, sampler, kind, columns);
    if (kind.levels == LevelChoice::base) return fetch.in_level(0, mask, columns.results);
    return fetch.in_levels(mask);
}

}  // namespace warpsim::sim::texture
