// Compiled once per host instruction set (WARPSIM_HOST); see products.hpp. As in frontend/isa, nothing here may be emitted
// as a weak symbol, so it is all static or inlined.
#include "sim/matrix/lanes/decoded.hpp"
#include "sim/matrix/lanes/integer_sums.hpp"

#include "frontend/isa/host_lanes.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {

extern ProductFunctions const functions;

namespace {

std::size_t tiles_of(Block const& block) { return static_cast<std::size_t>(block.columns) / 8; }

void refer_all(FloatProduct const& product, Block& block) {
    for (std::size_t tile = 0; tile < tiles_of(block); ++tile) {
        for (std::size_t i = 0; i < 4; ++i) {
            std::uint32_t results[32];
            refer(product, block, tile, i, 0, 0xffffffffu, results);
            __builtin_memcpy(block.d[tile][i], results, sizeof results);
        }
    }
}

template <Elements elements, bool is_f16>
void sum_aligned(FloatProduct const& product, Kept& kept, Rows const& a, Block& block, int shift) {
    AlignedSums const& sums = aligned_sums_of(kept.sums, product.accumulator, is_f16, shift);
    int const group = group_words(product, planes_of(elements), block.words);
    [[maybe_unused]] RoundingTowardZero const rounding;
    for (std::size_t tile = 0; tile < tiles_of(block); ++tile) {
        DecodedTile const& b = decoded_tile<elements>(kept, product, block, tile);
        sum_tile<elements, is_f16>(product, sums, group, a, b.singles, block, tile);
    }
}

template <Elements elements, bool is_f16>
void sum_exact(FloatProduct const& product, Kept& kept, DecodedRows& a, Block& block, int shift) {
    isa::WARPSIM_HOST::HostRounding const to_nearest(isa::Rounding::rn);
    if (!a.has_doubles) widen<elements>(a, block.words);
    for (std::size_t tile = 0; tile < tiles_of(block); ++tile) {
        DecodedTile& b = decoded_tile<elements>(kept, product, block, tile);
        if (!b.has_doubles) widen<elements>(b, block.words);
        sum_exactly<elements, is_f16>(product, a.doubles, b.doubles, block, tile, shift);
    }
}

template <Elements elements> void multiply_elements(FloatProduct const& product, Block& block) {
    bool const is_aligned = product.accumulator.sum == Sum::aligned;
    if (is_aligned && !fits(product, planes_of(elements), block.words)) return refer_all(product, block);
    int shift = 0;
    if constexpr (elements == Elements::bytes || elements == Elements::nibbles)
        shift = decoding_of(product.a, product.is_packed).shift + decoding_of(product.b, product.is_packed).shift;
    Kept& kept = kept_of_thread();
    DecodedRows& a = decoded_rows<elements>(kept, product, block);
    auto const sum = [&]<bool is_f16>() {
        if (is_aligned) sum_aligned<elements, is_f16>(product, kept, a.singles, block, shift);
        else sum_exact<elements, is_f16>(product, kept, a, block, shift);
    };
    if constexpr (elements == Elements::halves || elements == Elements::bytes) {
        if (product.result_is_f16) return sum.template operator()<true>();
    }
    sum.template operator()<false>();
}

void floats(FloatProduct const& product, Block& block) {
    switch (elements_of(product.a, product.is_packed)) {
        case Elements::halves: return multiply_elements<Elements::halves>(product, block);
        case Elements::bfloats: return multiply_elements<Elements::bfloats>(product, block);
        case Elements::tfloats: return multiply_elements<Elements::tfloats>(product, block);
        case Elements::bytes: return multiply_elements<Elements::bytes>(product, block);
        case Elements::nibbles: return multiply_elements<Elements::nibbles>(product, block);
    }
}

void integers(IntegerProduct const& product, Block& block) {
    if (product.a == isa::Type::b1) return product.is_and ? count_bits<true>(block) : count_bits<false>(block);
    if (product.a == isa::Type::s4 || product.a == isa::Type::u4) return sum_integers<4>(product, block);
    sum_integers<8>(product, block);
}

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

constinit ProductFunctions const functions{floats, integers, load_registers, store_registers};

}  // namespace warpsim::sim::matrix::WARPSIM_HOST
