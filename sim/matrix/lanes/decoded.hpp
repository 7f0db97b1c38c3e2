// Operands that were decoded before. A program that multiplies tiles uses each of its fragments several times, one product
// after the other, so the last rows of a and a few tiles of b are kept: comparing words costs less than decoding them.
#pragma once

#include "sim/matrix/lanes/exact_sums.hpp"
#include "sim/matrix/lanes/scales.hpp"

#include <cstddef>

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

/// What the words of an operand mean; 0: nothing that is kept.
constexpr std::uint32_t meaning_of(isa::Type type, bool is_packed, int words) {
    return static_cast<std::uint32_t>(type) | (is_packed ? 0x100u : 0u) | static_cast<std::uint32_t>(words) << 16;
}

template <class Singles, class Doubles, std::size_t size> struct Decoded {
    std::uint32_t meaning;
    bool has_doubles;
    std::uint32_t words[most_words / 4][size];
    Singles singles;
    Doubles doubles;
};
using DecodedRows = Decoded<Rows, DoubleRows, std::size_t{row_words}>;
using DecodedTile = Decoded<Tile, DoubleTile, 32>;

inline constexpr std::size_t kept_tiles = 8;
/// Of one thread of the host.
struct Kept {
    KeptSums sums;
    DecodedRows rows;
    DecodedTile tiles[kept_tiles];
};
inline Kept& kept_of_thread() {
    constexpr isa::HostIsa host = lanes == 16  ? isa::HostIsa::avx512
                                  : lanes == 8 ? isa::HostIsa::avx2
                                               : isa::HostIsa::baseline;
    return *static_cast<Kept*>(memory_of_thread(host, sizeof(Kept)));
}

/// `registers` of 32 words each.
template <class Operand>
WARPSIM_INLINE bool holds(Operand const& kept, std::uint32_t meaning, std::uint32_t const* const* registers,
                          int count) {
    if (kept.meaning != meaning) return false;
    std::uint32_t const* own = kept.words[0];
    Words different{};
    for (int r = 0; r < count; ++r, own += 32)
        for (int at = 0; at < 32; at += lanes) different |= load<Words>(own + at) ^ load<Words>(registers[r] + at);
    return signs(as<Ints>(different != Words{})) == 0;
}
/// Scaled ones are decoded each time.
template <class Operand>
inline void keep_words(Operand& kept, FloatProduct const& product, std::uint32_t meaning,
                       std::uint32_t const* const* registers, int count) {
    kept.meaning = product.scale_block == 0 ? meaning : 0;
    kept.has_doubles = false;
    std::uint32_t* own = kept.words[0];
    for (int r = 0; r < count; ++r, own += 32)
        for (int at = 0; at < 32; at += lanes) store(own + at, load<Words>(registers[r] + at));
}

template <Elements elements>
[[gnu::noinline]] inline void decode_again(DecodedRows& kept, FloatProduct const& product, TileRegisters const& on,
                                           std::uint32_t meaning) {
    keep_words(kept, product, meaning, on.a, on.words / 2);
    decode_rows<elements>(kept.singles, kept.words[0], on.words, decoding_of(product.a, product.is_packed));
    if (product.scale_block != 0) scale_rows<elements>(kept.singles, product, *on.scales);
}
template <Elements elements>
[[gnu::noinline]] inline void decode_again(DecodedTile& kept, FloatProduct const& product, TileRegisters const& on,
                                           std::size_t tile, std::uint32_t meaning) {
    keep_words(kept, product, meaning, on.tiles[tile].b, on.words / 4);
    decode_tile<elements>(kept.singles, kept.words[0], on.words, decoding_of(product.b, product.is_packed));
    if (product.scale_block != 0) scale_tile<elements>(kept.singles, product, *on.scales, tile);
}

template <Elements elements>
WARPSIM_INLINE DecodedRows& decoded_rows(Kept& kept, FloatProduct const& product, TileRegisters const& on) {
    std::uint32_t const meaning = meaning_of(product.a, product.is_packed, on.words);
    DecodedRows& rows = kept.rows;
    bool const is_known = product.scale_block == 0 && holds(rows, meaning, on.a, on.words / 2);
    if (!is_known) decode_again<elements>(rows, product, on, meaning);
    return rows;
}
template <Elements elements>
WARPSIM_INLINE DecodedTile& decoded_tile(Kept& kept, FloatProduct const& product, TileRegisters const& on,
                                         std::size_t tile) {
    std::uint32_t const meaning = meaning_of(product.b, product.is_packed, on.words);
    std::uint32_t const* const words = on.tiles[tile].b[0];
    std::uint32_t const mixed = (words[0] ^ words[9] << 5 ^ words[18] << 11 ^ words[27] << 17) * 0x9e3779b1u;
    static_assert(kept_tiles == 8);
    DecodedTile& of_b = kept.tiles[mixed >> 29];
    bool const is_known = product.scale_block == 0 && holds(of_b, meaning, on.tiles[tile].b, on.words / 4);
    if (!is_known) decode_again<elements>(of_b, product, on, tile, meaning);
    return of_b;
}

template <Elements elements> [[gnu::noinline]] inline void widen(DecodedRows& rows, int words) {
    widen_rows<elements>(rows.doubles, rows.singles, words);
    rows.has_doubles = true;
}
template <Elements elements> [[gnu::noinline]] inline void widen(DecodedTile& tile, int words) {
    widen_tile<elements>(tile.doubles, tile.singles, words);
    tile.has_doubles = true;
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
