// Compiled once per host instruction set (WARPSIM_HOST); see products.hpp. As in frontend/isa, nothing here may be emitted
// as a weak symbol, so it is all static or inlined.
#include "sim/matrix/lanes/decoded.hpp"
#include "sim/matrix/lanes/integer_sums.hpp"
#include "sim/matrix/lanes/through_halves.hpp"

#include "frontend/isa/host_lanes.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__)
namespace warpsim::sim::matrix::avx512vnni {
void sum_bytes(IntegerProduct const& product, TileRegisters const& on);
}
#endif

namespace warpsim::sim::matrix::WARPSIM_HOST {

extern ProductFunctions const functions;

namespace {

TileRegisters registers_of(Block& block) {
    TileRegisters on;
    on.words = block.words;
    on.count = static_cast<std::size_t>(block.columns) / 8;
    on.scales = &block;
    auto const fours = static_cast<std::size_t>(block.words) / 4;
    for (std::size_t i = 0; i < 2 * fours; ++i) on.a[i] = block.a[i / 2][i % 2];
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        for (std::size_t four = 0; four < fours; ++four) on.tiles[tile].b[four] = block.b[tile][four];
        for (std::size_t i = 0; i < 4; ++i) on.tiles[tile].c[i] = on.tiles[tile].d[i] = block.d[tile][i];
    }
    return on;
}

void refer_all(FloatProduct const& product, TileRegisters const& on) {
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        for (std::size_t i = 0; i < 4; ++i) {
            std::uint32_t results[32];
            refer(product, on, tile, i, 0, 0xffffffffu, results);
            __builtin_memcpy(on.tiles[tile].d[i], results, sizeof results);
        }
    }
}

template <Elements elements, bool is_f16>
void sum_aligned(FloatProduct const& product, Kept& kept, Rows const& a, TileRegisters const& on, int shift) {
    AlignedSums const& sums = aligned_sums_of(kept.sums, product.accumulator, is_f16, shift);
    int const group = group_words(product, planes_of(elements), on.words);
    [[maybe_unused]] RoundingTowardZero const rounding;
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        DecodedTile const& b = decoded_tile<elements>(kept, product, on, tile);
        sum_tile<elements, is_f16>(product, sums, group, a, b.singles, on, tile);
    }
}

template <Elements elements, bool is_f16>
void sum_exact(FloatProduct const& product, Kept& kept, DecodedRows& a, TileRegisters const& on, int shift) {
    isa::WARPSIM_HOST::HostRounding const to_nearest(isa::Rounding::rn);
    if (!a.has_doubles) widen<elements>(a, on.words);
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        DecodedTile& b = decoded_tile<elements>(kept, product, on, tile);
        if (!b.has_doubles) widen<elements>(b, on.words);
        sum_exactly<elements, is_f16>(product, a.doubles, b.doubles, on, tile, shift);
    }
}

template <Elements elements> void multiply_elements(FloatProduct const& product, TileRegisters const& on) {
    bool const is_aligned = product.accumulator.sum == Sum::aligned;
    if (is_aligned && !fits(product, planes_of(elements), on.words)) return refer_all(product, on);
    int shift = 0;
    if constexpr (elements == Elements::bytes || elements == Elements::nibbles)
        shift = decoding_of(product.a, product.is_packed).shift + decoding_of(product.b, product.is_packed).shift;
    Kept& kept = kept_of_thread();
    DecodedRows& a = decoded_rows<elements>(kept, product, on);
    auto const sum = [&]<bool is_f16>() {
        if (is_aligned) sum_aligned<elements, is_f16>(product, kept, a.singles, on, shift);
        else sum_exact<elements, is_f16>(product, kept, a, on, shift);
    };
    if constexpr (elements == Elements::halves || elements == Elements::bytes) {
        if (product.result_is_f16) return sum.template operator()<true>();
    }
    sum.template operator()<false>();
}

void float_tiles(FloatProduct const& product, TileRegisters const& on) {
    if (goes_through_halves(product)) return multiply_through_halves(product, on, float_tiles);
    switch (elements_of(product.a, product.is_packed)) {
        case Elements::halves: return multiply_elements<Elements::halves>(product, on);
        case Elements::bfloats: return multiply_elements<Elements::bfloats>(product, on);
        case Elements::tfloats: return multiply_elements<Elements::tfloats>(product, on);
        case Elements::bytes: return multiply_elements<Elements::bytes>(product, on);
        case Elements::nibbles: return multiply_elements<Elements::nibbles>(product, on);
    }
}
void floats(FloatProduct const& product, Block& block) { float_tiles(product, registers_of(block)); }

void integer_tiles(IntegerProduct const& product, TileRegisters const& on) {
    if (product.a == isa::Type::b1) return product.is_and ? count_bits<true>(on) : count_bits<false>(on);
    if (product.a == isa::Type::s4 || product.a == isa::Type::u4) return sum_integers<4>(product, on);
#if defined(__AVX512F__) && defined(__AVX512BW__)
    if (__builtin_cpu_supports("avx512vnni") != 0) return avx512vnni::sum_bytes(product, on);
#endif
    sum_integers<8>(product, on);
}
void integers(IntegerProduct const& product, Block& block) { integer_tiles(product, registers_of(block)); }

WARPSIM_INLINE void copy_register(std::uint32_t* to, std::uint32_t const* from) {
    for (int at = 0; at < 32; at += lanes) store(to + at, load<Words>(from + at));
}
void load_registers(std::uint32_t* to, isa::Bases bases, isa::Slot const* slots, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, to += 32)
        copy_register(to, isa::column<std::uint32_t>(bases, slots[i]));
}
void store_registers(std::uint32_t const* from, isa::Bases bases, isa::Slot const* slots, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, from += 32)
        copy_register(isa::column<std::uint32_t>(bases, slots[i]), from);
}

}  // namespace

constinit ProductFunctions const functions{floats,        integers,       float_tiles,
                                           integer_tiles, load_registers, store_registers};

}  // namespace warpsim::sim::matrix::WARPSIM_HOST
