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

/// Where the taps of each lane are, and what they weigh: of row 0, then of row 1.
struct alignas(64) Corners {
    std::int32_t offset[4][32];
    float weight[4][32];
};

/// From the texel to its bytes, in one dimension: the tiles of arrays or rows at a pitch.
struct Place {
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

template <bool is_linear>
WARPSIM_INLINE void find_corners(Corners& corners, LaneTaps const& x, LaneTaps const& y, Place const& place) {
    for (int i = 0; i < 32; i += lanes) {
        Ints const left = place.column(load<Ints>(x.first + i)), top = place.row(load<Ints>(y.first + i));
        store(corners.offset[0] + i, top + left);
        if constexpr (is_linear) {
            Ints const right = place.column(load<Ints>(x.second + i)), low = place.row(load<Ints>(y.second + i));
            store(corners.offset[1] + i, top + right);
            store(corners.offset[2] + i, low + left);
            store(corners.offset[3] + i, low + right);
            Floats const right_weight = to_floats(load<Ints>(x.weight + i)) * (1 / 256.0f);
            Floats const low_weight = to_floats(load<Ints>(y.weight + i)) * (1 / 256.0f);
            Floats const left_weight = 1.0f - right_weight, top_weight = 1.0f - low_weight;
            store(corners.weight[0] + i, left_weight * top_weight);
            store(corners.weight[1] + i, right_weight * top_weight);
            store(corners.weight[2] + i, left_weight * low_weight);
            store(corners.weight[3] + i, right_weight * low_weight);
        }
    }
}

struct alignas(64) Results {
    std::uint32_t channel[4][32];
};

/// Four channels of 32 bits: a lane's texel is a vector.
template <bool is_linear>
WARPSIM_INLINE void fetch_quads(std::byte const* texels, Corners const& corners, Results& results) {
    for (int lane = 0; lane < 32; lane += 4) {
        Quad sums[4];
        for (int i = 0; i < 4; ++i) {
            if constexpr (!is_linear) {
                sums[i] = load<Quad>(texels + corners.offset[0][lane + i]);
            } else {
                Quad sum{};
                for (int c = 0; c < 4; ++c) {
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
template <bool is_linear, Kind kind, int channels>
WARPSIM_INLINE void fetch_columns(std::byte const* texels, Corners const& corners, Results& results) {
    constexpr std::size_t taps = is_linear ? 4 : 1;
    alignas(64) std::uint32_t read[taps][4][32];
    for (std::size_t tap = 0; tap < taps; ++tap)
        read_texels<kind, static_cast<std::size_t>(channels)>(texels, corners.offset[tap], read[tap]);
    for (int c = 0; c < channels; ++c) {
        for (int lane = 0; lane < 32; lane += lanes) {
            if constexpr (!is_linear) {
                store(results.channel[c] + lane, channel_of<kind>(read[0], c, lane));
            } else {
                Floats sum{};
                for (int tap = 0; tap < 4; ++tap) {
                    auto const weight = load<Floats>(corners.weight[tap] + lane);
                    Floats const product = channel_of<kind>(read[tap], c, lane) * weight;
                    sum += as<Floats>(as<Ints>(product) & (weight != Floats{}));
                }
                store(results.channel[c] + lane, sum);
            }
        }
    }
}

template <bool is_linear>
WARPSIM_INLINE void fetch_format(Plane const& plane, Corners const& corners, Results& results) {
    std::byte const* const texels = plane.texels;
    if (plane.channel == Channel::unorm8) {
        if (plane.channels == 4) return fetch_columns<is_linear, Kind::bytes, 4>(texels, corners, results);
        if (plane.channels == 2) return fetch_columns<is_linear, Kind::bytes, 2>(texels, corners, results);
        return fetch_columns<is_linear, Kind::bytes, 1>(texels, corners, results);
    }
    if (plane.channels == 4) return fetch_quads<is_linear>(texels, corners, results);
    if (plane.channels == 2) return fetch_columns<is_linear, Kind::words, 2>(texels, corners, results);
    fetch_columns<is_linear, Kind::words, 1>(texels, corners, results);
}

bool needs_border(LaneTaps const& x, LaneTaps const& y, std::uint32_t mask) {
    std::uint32_t any = 0;
    for (int lane = 0; lane < 32; ++lane) any |= (x.outside[lane] | y.outside[lane]) & (0 - (mask >> lane & 1));
    return any != 0;
}

template <bool is_linear> bool fetch_plane(Plane const& plane, PlaneFetch const& fetch) {
    auto const width = static_cast<std::int32_t>(plane.width), height = static_cast<std::int32_t>(plane.height);
    LaneTaps x, y;
    find_taps<is_linear>(x, fetch.x, {static_cast<float>(width), width, plane.address_x, plane.is_normalized});
    find_taps<is_linear>(y, fetch.y, {static_cast<float>(height), height, plane.address_y, plane.is_normalized});
    bool const has_border = plane.address_x == Address::border || plane.address_y == Address::border;
    if (has_border && needs_border(x, y, fetch.mask)) return false;
    std::int32_t const bytes = plane.channels * (plane.channel == Channel::unorm8 ? 1 : 4);
    Corners corners;
    find_corners<is_linear>(corners, x, y, {bytes, plane.row_bytes, plane.pitch, plane.is_blocked});
    Results results;
    fetch_format<is_linear>(plane, corners, results);
    bool const is_integer = plane.channel == Channel::u32 || plane.channel == Channel::s32;
    std::uint32_t const one = is_integer ? 1 : 0x3f800000;
    for (int c = plane.channels; c < 4; ++c) {
        for (std::uint32_t& value : results.channel[c]) value = c == 3 ? one : 0;
    }
    for (int c = 0; c < 4; ++c) isa::WARPSIM_HOST::store_masked(fetch.results[c], results.channel[c], fetch.mask);
    return true;
}

bool fetch(Plane const& plane, PlaneFetch const& fetch) {
    return plane.is_linear ? fetch_plane<true>(plane, fetch) : fetch_plane<false>(plane, fetch);
}

}  // namespace

constinit PlaneFunctions const functions{fetch};

}  // namespace warpsim::sim::texture::WARPSIM_HOST
