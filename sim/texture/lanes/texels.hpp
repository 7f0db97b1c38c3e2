// format.hpp and what comparisons make of texels, for 32 lanes.
#pragma once

#include "sim/texture/lanes/vectors.hpp"
#include "sim/texture/planes.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {
namespace {

/// The bytes of a texel of each lane, from the lowest bit of the first word on.
struct alignas(64) TexelWords {
    std::uint32_t word[4][32];
};

template <class Piece, std::size_t pieces>
WARPSIM_INLINE void read_pieces(TexelWords& to, std::byte const* texels, std::int32_t const* offsets) {
    for (int lane = 0; lane < 32; ++lane) {
        Piece piece[pieces];
        __builtin_memcpy(piece, texels + offsets[lane], sizeof piece);
        for (std::size_t i = 0; i < pieces; ++i) to.word[i][lane] = piece[i];
    }
}
/// Four words of each lane.
WARPSIM_INLINE void read_quads(std::uint32_t (&to)[4][32], std::byte const* texels, std::int32_t const* offsets) {
    for (int lane = 0; lane < 32; lane += 4) {
        __m128 quads[4];
        for (int i = 0; i < 4; ++i) quads[i] = load<__m128>(texels + offsets[lane + i]);
        _MM_TRANSPOSE4_PS(quads[0], quads[1], quads[2], quads[3]);
        for (int i = 0; i < 4; ++i) store(to[i] + lane, quads[i]);
    }
}

WARPSIM_INLINE void read_texels(TexelWords& to, Plane const& plane, std::int32_t const* offsets) {
    switch (plane.texel_bytes) {
        case 1: return read_pieces<std::uint8_t, 1>(to, plane.texels, offsets);
        case 2: return read_pieces<std::uint16_t, 1>(to, plane.texels, offsets);
        case 4: return read_pieces<std::uint32_t, 1>(to, plane.texels, offsets);
        case 8: return read_pieces<std::uint32_t, 2>(to, plane.texels, offsets);
        default: return read_quads(to.word, plane.texels, offsets);
    }
}

/// The bits of one channel of as many lanes as a vector has.
template <int bits> WARPSIM_INLINE Words bits_of(TexelWords const& texels, int channel, int lane) {
    constexpr int in_word = 32 / bits;
    Words const word = load<Words>(texels.word[channel / in_word] + lane);
    if constexpr (bits == 32) return word;
    else return word >> static_cast<std::uint32_t>(bits * (channel % in_word)) & ((1u << bits) - 1);
}
template <int bits> WARPSIM_INLINE Ints signed_bits_of(TexelWords const& texels, int channel, int lane) {
    return as<Ints>(bits_of<bits>(texels, channel, lane) << (32 - bits)) >> (32 - bits);
}

WARPSIM_INLINE Floats at_least(Floats x, float least) { return x < least ? Floats{} + least : x; }

/// As f32_of_f16().
WARPSIM_INLINE Floats floats_of_halves(Words half) {
    Words const magnitude = (half & 0x7fffu) << 13, exponent = magnitude & 0x0f800000u;
    Words const normal = magnitude + (112u << 23);
    Words const special = normal + (112u << 23);
    // A subnormal number's bits, behind an implicit one that is taken away again.
    Floats const subnormal = as<Floats>(normal + (1u << 23)) - as<Floats>(Words{} + (113u << 23));
    Words result = as<Words>(exponent == 0x0f800000u ? special : normal);
    result = as<Words>(exponent == 0u ? as<Words>(subnormal) : result);
    return as<Floats>(result | (half & 0x8000u) << 16);
}

/// By the host, which makes all NaN quiet.
WARPSIM_INLINE Floats floats_of_quiet_halves(Words half) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return as<Floats>(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(as<__m512i>(half))));
#elif defined(__AVX2__) && defined(__F16C__)
    auto const low = _mm256_castsi256_si128(as<__m256i>(half)),
               high = _mm256_extracti128_si256(as<__m256i>(half), 1);
    return as<Floats>(_mm256_cvtph_ps(_mm_packus_epi32(low, high)));
#else
    return floats_of_halves(half);
#endif
}

/// As decode(); integers are the bits of these numbers.
template <Channel channel>
WARPSIM_INLINE Floats channel_of(TexelWords const& texels, int c, int lane, [[maybe_unused]] Plane const& plane) {
    using enum Channel;
    if constexpr (channel == u8) return as<Floats>(bits_of<8>(texels, c, lane));
    if constexpr (channel == s8) return as<Floats>(signed_bits_of<8>(texels, c, lane));
    if constexpr (channel == u16) return as<Floats>(bits_of<16>(texels, c, lane));
    if constexpr (channel == s16) return as<Floats>(signed_bits_of<16>(texels, c, lane));
    if constexpr (channel == f16) return floats_of_halves(bits_of<16>(texels, c, lane));
    if constexpr (channel == unorm8) return to_floats(as<Ints>(bits_of<8>(texels, c, lane))) / 255.0f;
    if constexpr (channel == snorm8) return at_least(to_floats(signed_bits_of<8>(texels, c, lane)) / 127.0f, -1);
    if constexpr (channel == unorm16) return to_floats(as<Ints>(bits_of<16>(texels, c, lane))) / 65535.0f;
    if constexpr (channel == snorm16)
        return at_least(to_floats(signed_bits_of<16>(texels, c, lane)) / 32767.0f, -1);
    if constexpr (channel == srgb8) {
        Words const bytes = bits_of<8>(texels, c, lane);
        if (c == 3) return to_floats(as<Ints>(bytes)) / 255.0f;
        Floats linear{};
        for (int i = 0; i < lanes; ++i) linear[i] = plane.linear_of_srgb[bytes[i]];
        return linear;
    }
    if constexpr (channel == unorm10) {
        Words const word = load<Words>(texels.word[0] + lane);
        if (c == 3) return to_floats(as<Ints>(word >> 30)) / 3.0f;
        return to_floats(as<Ints>(word >> static_cast<std::uint32_t>(10 * c) & 0x3ffu)) / 1023.0f;
    }
    return load<Floats>(texels.word[c] + lane);
}

/// f.operator()<channel>() for the channel that is known now.
template <class F> WARPSIM_INLINE void with_channel(Channel channel, F const& f) {
    using enum Channel;
    switch (channel) {
        case u8: return f.template operator()<u8>();
        case s8: return f.template operator()<s8>();
        case u16: return f.template operator()<u16>();
        case s16: return f.template operator()<s16>();
        case f16: return f.template operator()<f16>();
        case unorm8: return f.template operator()<unorm8>();
        case snorm8: return f.template operator()<snorm8>();
        case unorm16: return f.template operator()<unorm16>();
        case snorm16: return f.template operator()<snorm16>();
        case srgb8: return f.template operator()<srgb8>();
        case unorm10: return f.template operator()<unorm10>();
        default: return f.template operator()<f32>();
    }
}

/// 1 where the comparison passes, else 0.
WARPSIM_INLINE Floats compared(Compare compare, Floats reference, Floats texel) {
    Ints const one = as<Ints>(Floats{} + 1.0f);
    switch (compare) {
        case Compare::never: return Floats{};
        case Compare::less: return as<Floats>((reference < texel) & one);
        case Compare::equal: return as<Floats>((reference == texel) & one);
        case Compare::less_equal: return as<Floats>((reference <= texel) & one);
        case Compare::greater: return as<Floats>((reference > texel) & one);
        case Compare::not_equal: return as<Floats>((reference != texel) & one);
        case Compare::greater_equal: return as<Floats>((reference >= texel) & one);
        default: return as<Floats>(one);
    }
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
