// Operands that were decoded before. A program that multiplies tiles uses each of its fragments several times, one product
// after the other, so the last rows of a and a few tiles of b are kept: comparing words costs less than decoding them.
#pragma once

#include "sim/matrix/lanes/decode.hpp"
#include "sim/matrix/lanes/scales.hpp"

#include <cstddef>

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

/// What the words of an operand mean.
struct Meaning {
    isa::Type type;
    bool is_packed;
    int words;  // of a row or column; 0: nothing was decoded yet

    bool operator==(Meaning const&) const = default;
};

struct DecodedRows {
    Meaning meaning;
    std::uint32_t words[most_words / 4][row_words];
    Rows rows;
};
struct DecodedTile {
    Meaning meaning;
    std::uint32_t words[most_words / 4][32];
    Tile tile;
};

inline constexpr std::size_t kept_tiles = 8;
inline thread_local DecodedRows kept_rows;
inline thread_local DecodedTile kept_tile[kept_tiles];

template <class Decoded> WARPSIM_INLINE bool holds(Decoded const& kept, Meaning const& meaning, std::uint32_t const* words) {
    if (!(kept.meaning == meaning)) return false;
    constexpr int in_four = sizeof kept.words[0] / sizeof *words;
    Words different{};
    for (int four = 0; four < meaning.words / 4; ++four, words += in_four) {
        for (int at = 0; at < in_four; at += lanes)
            different |= load<Words>(kept.words[four] + at) ^ load<Words>(words + at);
    }
    return signs(as<Ints>(different != Words{})) == 0;
}
template <class Decoded> inline void keep_words(Decoded& kept, Meaning const& meaning, std::uint32_t const* words) {
    kept.meaning = meaning;
    __builtin_memcpy(kept.words, words, sizeof kept.words[0] * static_cast<std::size_t>(meaning.words) / 4);
}

template <Elements elements>
inline Rows const& decoded_rows(FloatProduct const& product, Block const& block, Decoding const& how, Rows& scaled) {
    if (product.scale_block != 0) {
        decode_rows<elements>(scaled, block, how);
        scale_rows<elements>(scaled, product, block);
        return scaled;
    }
    Meaning const meaning{product.a, product.is_packed, block.words};
    DecodedRows& kept = kept_rows;
    if (!holds(kept, meaning, block.a[0][0])) {
        decode_rows<elements>(kept.rows, block, how);
        keep_words(kept, meaning, block.a[0][0]);
    }
    return kept.rows;
}

template <Elements elements>
inline Tile const& decoded_tile(FloatProduct const& product, Block const& block, std::size_t tile, Decoding const& how,
                                Tile& scaled) {
    if (product.scale_block != 0) {
        decode_tile<elements>(scaled, block, tile, how);
        scale_tile<elements>(scaled, product, block, tile);
        return scaled;
    }
    Meaning const meaning{product.b, product.is_packed, block.words};
    std::uint32_t const* const words = block.b[tile][0];
    std::uint32_t const mixed = (words[0] ^ words[9] << 5 ^ words[18] << 11 ^ words[27] << 17) * 0x9e3779b1u;
    DecodedTile& kept = kept_tile[mixed >> 29];
    static_assert(kept_tiles == 8);
    if (!holds(kept, meaning, words)) {
        decode_tile<elements>(kept.tile, block, tile, how);
        keep_words(kept, meaning, words);
    }
    return kept.tile;
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
