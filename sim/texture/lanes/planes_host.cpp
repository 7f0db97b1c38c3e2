// Compiled once per host instruction set (WARPSIM_HOST); see planes.hpp. As in frontend/isa, nothing here may be emitted as
// a weak symbol, so it is all static or inlined.
#include "sim/texture/planes.hpp"

#include "sim/texture/lanes/blend.hpp"
#include "sim/texture/lanes/corners.hpp"
#include "sim/texture/lanes/faces.hpp"

#include "frontend/isa/host_lanes.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {

extern PlaneFunctions const functions;

namespace {

struct alignas(64) Results {
    std::uint32_t channel[4][32];
};

template <std::size_t count>
WARPSIM_INLINE void read_all(TexelWords (&read)[8], Plane const& plane, Corners const& corners) {
    for (std::size_t tap = 0; tap < count; ++tap) read_texels(read[tap], plane, corners.offset[tap]);
}

/// One channel. Returns whether there are infinite numbers.
template <Channel channel, std::size_t planes, bool has_infinite, std::size_t count>
WARPSIM_INLINE bool filter_channel(TexelWords const (&read)[8], int c, Plane const& plane, Corners const& corners,
                                   std::uint32_t* results) {
    Ints is_infinite{};
    for (int lane = 0; lane < 32; lane += lanes) {
        Floats numbers[count], weights[count];
        Ints masks[count], is_this{};
        for (std::size_t tap = 0; tap < count; ++tap) {
            numbers[tap] = number_of<channel>(read[tap], c, lane, plane);
            weights[tap] = load<Floats>(corners.weight[tap] + lane);
            masks[tap] = load<Ints>(corners.exponents[tap] + lane);
        }
        Floats sum;
        if constexpr (is_normalized_integer(channel)) sum = sum_of_integers<channel>(numbers, weights);
        else if constexpr (channel == Channel::f16) sum = sum_of_halves<planes>(numbers, weights, masks, is_this);
        else if constexpr (channel == Channel::f32) sum = sum_of_singles<planes>(numbers, weights, masks, is_this);
        else sum = plain_sum(numbers, weights);
        is_infinite |= is_this;
        if constexpr (has_infinite) sum = is_this ? plain_sum(numbers, weights) : sum;
        store(results + lane, sum);
    }
    return any(is_infinite);
}

/// Does it a second time if infinite numbers were found.
template <Channel channel, std::size_t taps, std::size_t planes, bool has_infinite = false>
void filter(Plane const& plane, Corners const& corners, Results& results) {
    constexpr std::size_t count = taps * planes;
    TexelWords read[8];
    read_all<count>(read, plane, corners);
    if constexpr (count == 1) {
        for (int c = 0; c < plane.channels; ++c)
            for (int lane = 0; lane < 32; lane += lanes)
                store(results.channel[c] + lane, channel_of<channel>(read[0], c, lane, plane));
        return;
    }
    bool is_infinite = false;
    for (int c = 0; c < plane.channels; ++c)
        is_infinite |=
            filter_channel<channel, planes, has_infinite, count>(read, c, plane, corners, results.channel[c]);
    if constexpr (!has_infinite && (channel == Channel::f32 || channel == Channel::f16))
        if (is_infinite) [[unlikely]]
            filter<channel, taps, planes, true>(plane, corners, results);
}

/// All four channels are the same: what of the texels passes the comparison with the first channel.
template <Channel channel, std::size_t count>
void filter_compared(Plane const& plane, PlaneFetch const& fetch, Corners const& corners, Results& results) {
    TexelWords read[8];
    read_all<count>(read, plane, corners);
    for (int lane = 0; lane < 32; lane += lanes) {
        auto const reference = load<Floats>(fetch.reference + lane);
        Floats numbers[count], weights[count];
        for (std::size_t tap = 0; tap < count; ++tap) {
            numbers[tap] = compared(plane.compare, reference, channel_of<channel>(read[tap], 0, lane, plane));
            weights[tap] = load<Floats>(corners.weight[tap] + lane);
        }
        Floats const sum = plain_sum(numbers, weights);
        for (auto& result : results.channel) store(result + lane, sum);
    }
}

/// Of the four taps, counter-clockwise from the lower left.
constexpr std::size_t gathered[] = {2, 3, 1, 0};

template <Channel channel>
void gather(Plane const& plane, PlaneFetch const& fetch, Corners const& corners, Results& results) {
    for (int i = 0; i < 4; ++i) {
        TexelWords read;
        read_texels(read, plane, corners.offset[gathered[i]]);
        for (int lane = 0; lane < 32; lane += lanes) {
            Floats value = channel_of<channel>(read, plane.component, lane, plane);
            if (plane.compares) value = compared(plane.compare, load<Floats>(fetch.reference + lane), value);
            store(results.channel[i] + lane, value);
        }
    }
}

/// The plane as if its texels had only the channel that is gathered or compared.
Plane with_one_channel(Plane plane) {
    if (plane.compares) plane.component = 0;
    if (plane.channel == Channel::unorm10) return plane;  // all of them share a word
    plane.texel_bytes = static_cast<std::uint8_t>(plane.texel_bytes / plane.channels);
    plane.texels += plane.component * plane.texel_bytes;
    if (plane.channel == Channel::srgb8 && plane.component == 3) plane.channel = Channel::unorm8;
    plane.channels = 1;
    plane.component = 0;
    return plane;
}

template <std::size_t taps, std::size_t planes>
WARPSIM_INLINE void fetch_corners(Plane const& plane, PlaneFetch const& fetch, Corners const& corners,
                                  Results& results) {
    if (plane.gathers || plane.compares) {
        Plane const one = with_one_channel(plane);
        with_channel(one.channel, [&]<Channel channel>() {
            if constexpr (taps == 4 && planes == 1) {
                if (one.gathers) return gather<channel>(one, fetch, corners, results);
            }
            filter_compared<channel, taps * planes>(one, fetch, corners, results);
        });
        return;
    }
    constexpr int bytes_of_words = 16;
    if (taps * planes == 1 && plane.texel_bytes == bytes_of_words)
        return read_quads(results.channel, plane.texels, corners.offset[0]);
    with_channel(plane.channel, [&]<Channel channel>() {
        constexpr bool is_integer = channel < Channel::f16;  // which is never filtered
        if constexpr (taps * planes == 1 || !is_integer) filter<channel, taps, planes>(plane, corners, results);
    });
}
template <std::size_t taps, std::size_t planes>
WARPSIM_INLINE void fetch_taps(Plane const& plane, PlaneFetch const& fetch, Around const& around, Corners& corners,
                               Results& results) {
    find_corners<taps, planes>(corners, around, plane, fetch);
    fetch_corners<taps, planes>(plane, fetch, corners, results);
}
template <std::size_t taps>
WARPSIM_INLINE void fetch_levels(Plane const* const (&planes)[2], PlaneFetch const& fetch,
                                 Around const (&around)[2], Corners& corners, Results& results) {
    find_corners<taps>(corners, around, planes, fetch);
    fetch_corners<taps, 2>(*planes[0], fetch, corners, results);
}

void find_axis(LaneTaps& taps, Plane const& plane, PlaneFetch const& fetch, int dimension) {
    std::uint32_t const sizes[] = {plane.width, plane.height, plane.depth};
    Address const modes[] = {plane.address_x, plane.address_y, plane.address_z};
    auto const texels = static_cast<std::int32_t>(sizes[dimension]);
    AxisOfLanes const axis{texels, modes[dimension], plane.is_normalized};
    std::int32_t const* const offset = fetch.offset[dimension];
    if (plane.counts_texels)
        return count_taps(taps, static_cast<std::int32_t const*>(fetch.at[dimension]), axis, offset);
    auto const* const x = static_cast<float const*>(fetch.at[dimension]);
    if (offset == nullptr)
        return plane.is_linear ? find_taps<true, false>(taps, x, axis, nullptr)
                               : find_taps<false, false>(taps, x, axis, nullptr);
    Offsets const offsets(offset, axis);
    return plane.is_linear ? find_taps<true, true>(taps, x, axis, offsets.at)
                           : find_taps<false, true>(taps, x, axis, offsets.at);
}
void find_around(Around& around, Plane const& plane, PlaneFetch const& fetch) {
    find_axis(around.x, plane, fetch, 0);
    if (plane.dimensions > 1) find_axis(around.y, plane, fetch, 1);
    if (plane.dimensions > 2) find_axis(around.z, plane, fetch, 2);
}

std::uint32_t lanes_outside(Plane const& plane, Around const& around) {
    std::uint32_t outside = 0;
    auto const add = [&](LaneTaps const& taps, Address mode) {
        if (mode != Address::border) return;
        for (int lane = 0; lane < 32; ++lane) outside |= (taps.outside[lane] & 1u) << lane;
    };
    add(around.x, plane.address_x);
    if (plane.dimensions > 1) add(around.y, plane.address_y);
    if (plane.dimensions > 2) add(around.z, plane.address_z);
    // Half of what a filter sees of a line is above it.
    bool const is_line = plane.is_linear && plane.dimensions == 1;
    return is_line && plane.address_y == Address::border ? 0xffffffff : outside;
}

/// In the order of sample().
void tell_texels(Plane const& plane, PlaneFetch const& fetch, Corners const& corners, std::uint32_t mask) {
    auto const base = reinterpret_cast<std::uint64_t>(plane.texels);
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        for (std::size_t i = 0; i < corners.taps; ++i) {
            std::size_t const tap = plane.gathers ? gathered[i] : i;
            fetch.read->at[lane][fetch.read->count[lane]++] =
                base + static_cast<std::uint32_t>(corners.offset[tap][lane]);
        }
    }
}

/// Stores what was fetched, and returns the lanes that are left. What a format does not have is 0.
std::uint32_t finish(Plane const& plane, PlaneFetch const& fetch, Corners const& corners, Results& results,
                     std::uint32_t outside) {
    for (int c = plane.channels; c < 4 && !plane.gathers && !plane.compares; ++c)
        for (int lane = 0; lane < 32; lane += lanes) store(results.channel[c] + lane, Ints{});
    std::uint32_t const left = plane.is_zero_outside ? 0 : outside;
    for (int lane = 0; lane < 32 && plane.is_zero_outside; ++lane) {
        for (auto& result : results.channel) result[lane] = (outside >> lane & 1) != 0 ? 0 : result[lane];
    }
    for (int c = 0; c < 4; ++c)
        isa::WARPSIM_HOST::store_masked(fetch.results[c], results.channel[c], fetch.mask & ~left);
    if (fetch.read != nullptr) tell_texels(plane, fetch, corners, fetch.mask & ~outside);
    return left;
}

std::uint32_t fetch(Plane const& plane, PlaneFetch const& fetch) {
    Around around;
    find_around(around, plane, fetch);
    Corners corners;
    Results results;
    if (!plane.is_linear) fetch_taps<1, 1>(plane, fetch, around, corners, results);
    else if (plane.dimensions == 1) fetch_taps<2, 1>(plane, fetch, around, corners, results);
    else if (plane.dimensions == 2) fetch_taps<4, 1>(plane, fetch, around, corners, results);
    else fetch_taps<4, 2>(plane, fetch, around, corners, results);
    return finish(plane, fetch, corners, results, fetch.mask & lanes_outside(plane, around));
}

std::uint32_t fetch_between(Plane const& first, Plane const& second, PlaneFetch const& fetch) {
    Plane const* const planes[] = {&first, &second};
    Around around[2];
    find_around(around[0], first, fetch);
    find_around(around[1], second, fetch);
    Corners corners;
    Results results;
    if (!first.is_linear) fetch_levels<1>(planes, fetch, around, corners, results);
    else if (first.dimensions == 1) fetch_levels<2>(planes, fetch, around, corners, results);
    else if (first.dimensions == 2) fetch_levels<4>(planes, fetch, around, corners, results);
    else return fetch.mask;
    std::uint32_t const outside = lanes_outside(first, around[0]) | lanes_outside(second, around[1]);
    return finish(first, fetch, corners, results, fetch.mask & outside);
}

}  // namespace

constinit PlaneFunctions const functions{fetch, fetch_between, find_faces};

}  // namespace warpsim::sim::texture::WARPSIM_HOST
