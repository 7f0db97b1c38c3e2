// Compiled once per host instruction set (WARPSIM_HOST); see planes.hpp. As in frontend/isa, nothing here may be emitted as
// a weak symbol, so it is all static or inlined.
#include "sim/texture/planes.hpp"

#include "sim/texture/lanes/taps.hpp"

#include "frontend/isa/host_lanes.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {

extern PlaneFunctions const functions;

namespace {

/// What a texel's bytes are.
enum class Kind : std::uint8_t { words, bytes };

/// Where the taps of each lane are, and what they weigh: x changes first, then y, then z.
struct alignas(64) Corners {
    std::int32_t offset[8][32];
    float weight[8][32];
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

/// Whatever the host loads bytes of texels with: `channels` of a kind.
template <Kind kind, std::size_t channels>
WARPSIM_INLINE void read_texels(std::byte const* texels, std::int32_t const* offsets, std::uint32_t (&to)[4][32]) {
    for (int lane = 0; lane < 32; ++lane) {
        std::byte const* const at = texels + offsets[lane];
        if constexpr (kind == Kind::bytes) {
            std::uint32_t word = 0;
            __builtin_memcpy(&word, at, channels);
            to[0][lane] = word;
        } else {
            std::uint32_t words[channels];
            __builtin_memcpy(words, at, sizeof words);
            for (std::size_t c = 0; c < channels; ++c) to[c][lane] = words[c];
        }
    }
}
template <Kind kind>
WARPSIM_INLINE Floats channel_of(std::uint32_t const (&texels)[4][32], int channel, int lane) {
    if constexpr (kind == Kind::words) return load<Floats>(texels[channel] + lane);
    Words const bytes = load<Words>(texels[0] + lane) >> (8 * channel) & 0xffu;
    return to_floats(as<Ints>(bytes)) / 255.0f;
}

/// A channel of many lanes is a vector.
template <int taps, Kind kind, int channels>
WARPSIM_INLINE void fetch_columns(std::byte const* texels, Corners const& corners, Results& results) {
    alignas(64) std::uint32_t read[static_cast<std::size_t>(taps)][4][32];
    for (int tap = 0; tap < taps; ++tap)
        read_texels<kind, static_cast<std::size_t>(channels)>(texels, corners.offset[tap], read[tap]);
    for (int c = 0; c < channels; ++c) {
        for (int lane = 0; lane < 32; lane += lanes) {
            if constexpr (taps == 1) {
                store(results.channel[c] + lane, channel_of<kind>(read[0], c, lane));
            } else {
                Floats sum{};
                for (int tap = 0; tap < taps; ++tap) {
                    auto const weight = load<Floats>(corners.weight[tap] + lane);
                    Floats const product = channel_of<kind>(read[tap], c, lane) * weight;
                    sum += as<Floats>(as<Ints>(product) & (weight != Floats{}));
                }
                store(results.channel[c] + lane, sum);
            }
        }
    }
}

template <int taps>
WARPSIM_INLINE void fetch_format(Plane const& plane, Corners const& corners, Results& results) {
    std::byte const* const texels = plane.texels;
    if (plane.channel == Channel::unorm8) {
        if (plane.channels == 4) return fetch_columns<taps, Kind::bytes, 4>(texels, corners, results);
        if (plane.channels == 2) return fetch_columns<taps, Kind::bytes, 2>(texels, corners, results);
        return fetch_columns<taps, Kind::bytes, 1>(texels, corners, results);
    }
    if (plane.channels == 4) return fetch_quads<taps>(texels, corners, results);
    if (plane.channels == 2) return fetch_columns<taps, Kind::words, 2>(texels, corners, results);
    fetch_columns<taps, Kind::words, 1>(texels, corners, results);
}

/// One channel of four texels, counter-clockwise from the lower left.
void gather(Plane const& plane, Corners const& corners, Results& results) {
    constexpr int order[] = {2, 3, 1, 0};
    bool const is_byte = plane.channel == Channel::unorm8;
    std::byte const* const channel = plane.texels + plane.component * (is_byte ? 1 : 4);
    for (int i = 0; i < 4; ++i) {
        std::int32_t const* const offsets = corners.offset[order[i]];
        for (int lane = 0; lane < 32; ++lane) {
            if (is_byte) {
                float const value = static_cast<float>(static_cast<int>(channel[offsets[lane]])) / 255.0f;
                __builtin_memcpy(&results.channel[i][lane], &value, sizeof value);
            } else {
                __builtin_memcpy(&results.channel[i][lane], channel + offsets[lane], 4);
            }
        }
    }
}

template <int taps>
WARPSIM_INLINE void fetch_taps(Plane const& plane, PlaneFetch const& fetch, Around const& around,
                               Results& results) {
    std::int32_t const bytes = plane.channels * (plane.channel == Channel::unorm8 ? 1 : 4);
    Corners corners;
    find_corners<taps>(corners, around, {bytes, plane.row_bytes, plane.pitch, plane.is_blocked}, plane,
                       fetch.slice);
    if constexpr (taps == 4) {
        if (plane.gathers) return gather(plane, corners, results);
    }
    fetch_format<taps>(plane, corners, results);
}

template <bool is_linear> void find_around(Around& around, Plane const& plane, PlaneFetch const& fetch) {
    auto const find = [&](LaneTaps& taps, float const* at, std::uint32_t size, Address mode) {
        auto const texels = static_cast<std::int32_t>(size);
        find_taps<is_linear>(taps, at, {static_cast<float>(texels), texels, mode, plane.is_normalized});
    };
    find(around.x, fetch.x, plane.width, plane.address_x);
    if (plane.dimensions > 1) find(around.y, fetch.y, plane.height, plane.address_y);
    if (plane.dimensions > 2) find(around.z, fetch.z, plane.depth, plane.address_z);
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

std::uint32_t fetch(Plane const& plane, PlaneFetch const& fetch) {
    Around around;
    if (plane.is_linear) find_around<true>(around, plane, fetch);
    else find_around<false>(around, plane, fetch);
    std::uint32_t const left = fetch.mask & lanes_outside(plane, around);
    Results results;
    if (!plane.is_linear) fetch_taps<1>(plane, fetch, around, results);
    else if (plane.dimensions == 1) fetch_taps<2>(plane, fetch, around, results);
    else if (plane.dimensions == 2) fetch_taps<4>(plane, fetch, around, results);
    else fetch_taps<8>(plane, fetch, around, results);
    bool const is_integer = plane.channel == Channel::u32 || plane.channel == Channel::s32;
    std::uint32_t const one = is_integer ? 1 : 0x3f800000;
    for (int c = plane.gathers ? 4 : plane.channels; c < 4; ++c) {
        for (std::uint32_t& value : results.channel[c]) value = c == 3 ? one : 0;
    }
    for (int c = 0; c < 4; ++c)
        isa::WARPSIM_HOST::store_masked(fetch.results[c], results.channel[c], fetch.mask & ~left);
    return left;
}

}  // namespace

constinit PlaneFunctions const functions{fetch};

}  // namespace warpsim::sim::texture::WARPSIM_HOST
