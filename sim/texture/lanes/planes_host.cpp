// Compiled once per host instruction set (WARPSIM_HOST); see planes.hpp. As in frontend/isa, nothing here may be emitted as
// a weak symbol, so it is all static or inlined.
#include "sim/texture/planes.hpp"

#include "sim/texture/lanes/taps.hpp"
#include "sim/texture/lanes/texels.hpp"

#include "frontend/isa/host_lanes.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {

extern PlaneFunctions const functions;

namespace {

/// Where the taps of each lane are, and what they weigh: x changes first, then y, then z.
struct alignas(64) Corners {
    std::int32_t offset[8][32];
    float weight[8][32];
    int taps = 1;
};

/// From the texel to its bytes, in one dimension: the tiles of arrays or rows at a pitch.
struct Layout {
    std::int32_t texel_bytes, row_bytes, pitch;
    bool is_blocked;

    WARPSIM_INLINE Ints column(Ints x) const {
        Ints const byte = x * texel_bytes;
        if (!is_blocked) return byte;
        return (byte >> 6) * static_cast<std::int32_t>(tile_bytes) + (byte & 63);
    }
    WARPSIM_INLINE Ints row(Ints y) const {
        if (!is_blocked) return y * pitch;
        return (y >> 3) * row_bytes + (y & 7) * static_cast<std::int32_t>(tile_width);
    }
};

/// Where lanes are in each dimension.
struct Around {
    LaneTaps x, y, z;
};

/// `taps` is 1 without a filter, else 2, 4 or 8.
template <int taps>
WARPSIM_INLINE void find_corners(Corners& corners, Around const& around, Layout const& layout, Plane const& plane,
                                 std::int32_t const* slices) {
    int const dimensions = plane.dimensions;
    corners.taps = taps;
    for (int i = 0; i < 32; i += lanes) {
        Ints const slice = load<Ints>(slices + i);
        Ints xs[2] = {layout.column(load<Ints>(around.x.first + i))}, ys[2] = {},
             zs[2] = {slice * plane.slice_bytes};
        if (dimensions > 1) ys[0] = layout.row(load<Ints>(around.y.first + i));
        if (dimensions > 2) zs[0] = load<Ints>(around.z.first + i) * plane.slice_bytes;
        store(corners.offset[0] + i, xs[0] + ys[0] + zs[0]);
        if constexpr (taps > 1) {
            xs[1] = layout.column(load<Ints>(around.x.second + i));
            if constexpr (taps > 2) ys[1] = layout.row(load<Ints>(around.y.second + i));
            if constexpr (taps > 4) zs[1] = load<Ints>(around.z.second + i) * plane.slice_bytes;
            auto const second = [&](LaneTaps const& t) {
                return to_floats(load<Ints>(t.weight + i)) * (1 / 256.0f);
            };
            Floats wx[2], wy[2], wz[2];
            wx[1] = second(around.x), wx[0] = 1.0f - wx[1];
            if constexpr (taps > 2) wy[1] = second(around.y), wy[0] = 1.0f - wy[1];
            if constexpr (taps > 4) wz[1] = second(around.z), wz[0] = 1.0f - wz[1];
            for (int tap = 0; tap < taps; ++tap) {
                int const at_x = tap & 1, at_y = tap >> 1 & 1, at_z = tap >> 2;
                Floats weight = wx[at_x];
                if constexpr (taps > 2) weight *= wy[at_y];
                if constexpr (taps > 4) weight *= wz[at_z];
                store(corners.weight[tap] + i, weight);
                store(corners.offset[tap] + i, xs[at_x] + ys[at_y] + zs[at_z]);
            }
        }
    }
}

struct alignas(64) Results {
    std::uint32_t channel[4][32];
};

/// Four channels of 32 bits: a lane's texel is a vector.
template <int taps>
WARPSIM_INLINE void fetch_quads(std::byte const* texels, Corners const& corners, Results& results) {
    for (int lane = 0; lane < 32; lane += 4) {
        Quad sums[4];
        for (int i = 0; i < 4; ++i) {
            if constexpr (taps == 1) {
                sums[i] = load<Quad>(texels + corners.offset[0][lane + i]);
            } else {
                Quad sum{};
                for (int c = 0; c < taps; ++c) {
                    Quad const weight = Quad{} + corners.weight[c][lane + i];
                    QuadMask const counts = weight != Quad{};
                    Quad const product = load<Quad>(texels + corners.offset[c][lane + i]) * weight;
                    sum += as<Quad>(as<QuadMask>(product) & counts);
                }
                sums[i] = sum;
            }
        }
        auto a = as<__m128>(sums[0]), b = as<__m128>(sums[1]), c = as<__m128>(sums[2]), d = as<__m128>(sums[3]);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        store(results.channel[0] + lane, a);
        store(results.channel[1] + lane, b);
        store(results.channel[2] + lane, c);
        store(results.channel[3] + lane, d);
    }
}

template <int taps>
WARPSIM_INLINE void read_all(TexelWords (&read)[8], Plane const& plane, Corners const& corners) {
    for (int tap = 0; tap < taps; ++tap) read_texels(read[tap], plane, corners.offset[tap]);
}

/// One channel of as many lanes as a vector has. `value(tap)` is the number that is weighed.
template <int taps, class Value>
WARPSIM_INLINE Floats filtered(Corners const& corners, int lane, Value const& value) {
    if constexpr (taps == 1) return value(0);
    Floats sum{};
    for (int tap = 0; tap < taps; ++tap) {
        auto const weight = load<Floats>(corners.weight[tap] + lane);
        sum += as<Floats>(as<Ints>(value(tap) * weight) & (weight != Floats{}));
    }
    return sum;
}

template <Channel channel, int taps> void filter(Plane const& plane, Corners const& corners, Results& results) {
    TexelWords read[8];
    read_all<taps>(read, plane, corners);
    for (int c = 0; c < plane.channels; ++c) {
        for (int lane = 0; lane < 32; lane += lanes) {
            store(results.channel[c] + lane, filtered<taps>(corners, lane, [&](int tap) {
                      return channel_of<channel>(read[tap], c, lane, plane);
                  }));
        }
    }
}

/// All four channels are the same: what of the texels passes the comparison with the first channel.
template <Channel channel, int taps>
void filter_compared(Plane const& plane, PlaneFetch const& fetch, Corners const& corners, Results& results) {
    TexelWords read[8];
    read_all<taps>(read, plane, corners);
    for (int lane = 0; lane < 32; lane += lanes) {
        auto const reference = load<Floats>(fetch.reference + lane);
        Floats const passed = filtered<taps>(corners, lane, [&](int tap) {
            return compared(plane.compare, reference, channel_of<channel>(read[tap], 0, lane, plane));
        });
        for (auto& result : results.channel) store(result + lane, passed);
    }
}

/// Of the four taps, counter-clockwise from the lower left.
constexpr int gathered[] = {2, 3, 1, 0};

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

template <int taps>
WARPSIM_INLINE void fetch_taps(Plane const& plane, PlaneFetch const& fetch, Around const& around, Corners& corners,
                               Results& results) {
    find_corners<taps>(corners, around, {plane.texel_bytes, plane.row_bytes, plane.pitch, plane.is_blocked}, plane,
                       fetch.slice);
    if (plane.gathers || plane.compares) {
        Plane const one = with_one_channel(plane);
        with_channel(one.channel, [&]<Channel channel>() {
            if constexpr (taps == 4) {
                if (one.gathers) return gather<channel>(one, fetch, corners, results);
            }
            filter_compared<channel, taps>(one, fetch, corners, results);
        });
        return;
    }
    constexpr int bytes_of_words = 16;
    if (plane.texel_bytes == bytes_of_words) return fetch_quads<taps>(plane.texels, corners, results);
    with_channel(plane.channel, [&]<Channel channel>() { filter<channel, taps>(plane, corners, results); });
}

void find_axis(LaneTaps& taps, Plane const& plane, PlaneFetch const& fetch, int dimension) {
    std::uint32_t const sizes[] = {plane.width, plane.height, plane.depth};
    Address const modes[] = {plane.address_x, plane.address_y, plane.address_z};
    auto const texels = static_cast<std::int32_t>(sizes[dimension]);
    AxisOfLanes const axis{static_cast<float>(texels), texels, modes[dimension], plane.is_normalized};
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
    return outside;
}

/// In the order of sample().
void tell_texels(Plane const& plane, PlaneFetch const& fetch, Corners const& corners, std::uint32_t mask) {
    auto const base = reinterpret_cast<std::uint64_t>(plane.texels);
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        for (int i = 0; i < corners.taps; ++i) {
            int const tap = plane.gathers ? gathered[i] : i;
            fetch.read->at[lane][fetch.read->count[lane]++] =
                base + static_cast<std::uint32_t>(corners.offset[tap][lane]);
        }
    }
}

/// What a format does not have is 0, and the last one 1.
void complete(Plane const& plane, Results& results) {
    if (plane.gathers || plane.compares) return;
    bool const is_integer = plane.channel <= Channel::s32;
    for (int c = plane.channels; c < 4; ++c) {
        std::uint32_t const one = is_integer ? 1 : 0x3f800000;
        for (std::uint32_t& value : results.channel[c]) value = c == 3 ? one : 0;
    }
}

std::uint32_t fetch(Plane const& plane, PlaneFetch const& fetch) {
    Around around;
    find_around(around, plane, fetch);
    std::uint32_t const outside = fetch.mask & lanes_outside(plane, around);
    Corners corners;
    Results results;
    if (!plane.is_linear) fetch_taps<1>(plane, fetch, around, corners, results);
    else if (plane.dimensions == 1) fetch_taps<2>(plane, fetch, around, corners, results);
    else if (plane.dimensions == 2) fetch_taps<4>(plane, fetch, around, corners, results);
    else fetch_taps<8>(plane, fetch, around, corners, results);
    complete(plane, results);
    std::uint32_t const left = plane.is_zero_outside ? 0 : outside;
    for (int lane = 0; lane < 32 && plane.is_zero_outside; ++lane) {
        for (auto& result : results.channel) result[lane] = (outside >> lane & 1) != 0 ? 0 : result[lane];
    }
    for (int c = 0; c < 4; ++c)
        isa::WARPSIM_HOST::store_masked(fetch.results[c], results.channel[c], fetch.mask & ~left);
    if (fetch.read != nullptr) tell_texels(plane, fetch, corners, fetch.mask & ~outside);
    return left;
}

}  // namespace

constinit PlaneFunctions const functions{fetch};

}  // namespace warpsim::sim::texture::WARPSIM_HOST
