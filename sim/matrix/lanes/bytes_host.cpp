// Products of bytes on hosts of AVX-512 that add four of them at once (VNNI): one factor has to be unsigned there and the
// other signed, so others are moved by 128, and what that adds is taken off.
#include "sim/matrix/lanes/integer_sums.hpp"

#include "sim/matrix/products.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {

void sum_bytes(IntegerProduct const& product, TileRegisters const& on);

namespace {

inline constexpr std::uint32_t high_bits = 0x80808080u, ones_of_bytes = 0x01010101u;

WARPSIM_INLINE Ints add_four(Ints sum, Words of_unsigned, Words of_signed) {
    return as<Ints>(_mm512_dpbusd_epi32(as<__m512i>(sum), as<__m512i>(of_unsigned), as<__m512i>(of_signed)));
}

/// What is added where a, b or none of them is moved by 128: the sum of the others, for each lane.
enum class Moved : std::uint8_t { neither, a, b };

template <Moved moved, bool a_is_unsigned>
void sum_tile_of_bytes(IntegerProduct const& product, TileRegisters const& on, std::size_t tile) {
    // Columns for all rows of a vector, as in a tile of other integers.
    IntegerTile b;
    widen_tile<16>(b, on, tile, true);
    Ints of_even{}, of_odd{};
    for (int i = 0; i < 2 * on.words; i += 2) {
        Words const even = load<Words>(b.values[i]), odd = load<Words>(b.values[i + 1]);
        if constexpr (moved == Moved::a) {
            of_even = add_four(of_even, every(high_bits), even);
            of_odd = add_four(of_odd, every(high_bits), odd);
        }
        if constexpr (moved == Moved::b) {
            store(b.values[i], even ^ high_bits);
            store(b.values[i + 1], odd ^ high_bits);
        }
    }
    TileRegisters::Tile const& registers = on.tiles[tile];
    for (int at = 0; at < row_words; at += lanes) {
        Ints totals[2] = {Ints{} - of_even, Ints{} - of_odd};
        Ints of_rows{};
        for (int four = 0; four < on.words / 4; ++four) {
            Words rows = load<Words>(on.a[2 * four + at / 32] + at % 32);
            if constexpr (moved == Moved::a) rows ^= high_bits;
            unrolled<0, 4>([&]<int word>() __attribute__((always_inline)) {
                Words const row = as<Words>(spread<word>(as<Pairs>(rows)));
                if constexpr (moved == Moved::b) of_rows = add_four(of_rows, row, every(ones_of_bytes));
                for (int odd = 0; odd < 2; ++odd) {
                    Words const columns = load<Words>(b.values[place_in_tile(0, 4 * four + word) + odd]);
                    totals[odd] =
                        a_is_unsigned ? add_four(totals[odd], row, columns) : add_four(totals[odd], columns, row);
                }
            });
        }
        for (int odd = 0; odd < 2; ++odd) {
            int const number = at / 32 * 2 + odd;
            add_and_store(totals[odd] + (of_rows << 7), product.saturates, registers.c[number] + at % 32,
                          registers.d[number] + at % 32);
        }
    }
}

}  // namespace

void sum_bytes(IntegerProduct const& product, TileRegisters const& on) {
    bool const a_is_signed = isa::is_signed(product.a), b_is_signed = isa::is_signed(product.b);
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        if (a_is_signed && b_is_signed) sum_tile_of_bytes<Moved::a, true>(product, on, tile);
        else if (a_is_signed) sum_tile_of_bytes<Moved::neither, false>(product, on, tile);
        else if (b_is_signed) sum_tile_of_bytes<Moved::neither, true>(product, on, tile);
        else sum_tile_of_bytes<Moved::b, true>(product, on, tile);
    }
}

}  // namespace warpsim::sim::matrix::WARPSIM_HOST
