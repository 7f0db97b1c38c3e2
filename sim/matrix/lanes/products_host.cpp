// Compiled once per host instruction set (WARPSIM_HOST); see products.hpp. As in frontend/isa, nothing here may be emitted
// as a weak symbol, so it is all static or inlined.
#include "sim/matrix/lanes/aligned_sums.hpp"
#include "sim/matrix/lanes/decoded.hpp"
#include "sim/matrix/lanes/exact_sums.hpp"
#include "sim/matrix/lanes/integer_sums.hpp"

#include "frontend/isa/host_lanes.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {

extern ProductFunctions const functions;

namespace {

void refer_all(FloatProduct const& product, Block& block) {
    for (std::size_t tile = 0; tile < static_cast<std::size_t>(block.columns) / 8; ++tile) {
        for (std::size_t i = 0; i < 4; ++i) {
            std::uint32_t results[32];
            refer(product, block, tile, i, 0, 0xffffffffu, results);
            __builtin_memcpy(block.d[tile][i], results, sizeof results);
        }
    }
}

/// f(tile, its columns) for all tiles of b.
template <Elements elements, class F>
void for_each_tile(FloatProduct const& product, Block& block, Decoding const& how, F const& f) {
    for (std::size_t tile = 0; tile < static_cast<std::size_t>(block.columns) / 8; ++tile) {
        Tile scaled;
        f(tile, decoded_tile<elements>(product, block, tile, how, scaled));
    }
}

template <Elements elements, bool is_f16>
void sum_aligned(FloatProduct const& product, Rows const& a, Block& block, Decoding const& how_b, int shift) {
    AlignedSums const& sums = aligned_sums_of(product.accumulator, is_f16, shift);
    int const group = group_words(product, planes_of(elements), block.words);
    [[maybe_unused]] RoundingTowardZero const rounding;
    for_each_tile<elements>(product, block, how_b, [&](std::size_t tile, Tile const& b) {
        sum_tile<elements, is_f16>(product, sums, group, a, b, block, tile);
    });
}

template <Elements elements, bool is_f16>
void sum_exact(FloatProduct const& product, Rows const& a, Block& block, Decoding const& how_b, int shift) {
    isa::WARPSIM_HOST::HostRounding const to_nearest(isa::Rounding::rn);
    DoubleRows rows;
    widen_rows<elements>(rows, a, block.words);
    std::uint32_t const without_sums = special_rows<elements>(a, block.words);
    for_each_tile<elements>(product, block, how_b, [&](std::size_t tile, Tile const& b) {
        sum_exactly<elements, is_f16>(product, rows, without_sums, b, block, tile, shift);
    });
}

template <Elements elements> void multiply_elements(FloatProduct const& product, Block& block) {
    bool const is_aligned = product.accumulator.sum == Sum::aligned;
    if (is_aligned && !fits(product, planes_of(elements), block.words)) return refer_all(product, block);
    Decoding const of_a = decoding_of(product.a, product.is_packed),
                   of_b = decoding_of(product.b, product.is_packed);
    int const shift = of_a.shift + of_b.shift;
    Rows scaled;
    Rows const& a = decoded_rows<elements>(product, block, of_a, scaled);
    auto const sum = [&]<bool is_f16>() {
        if (is_aligned) sum_aligned<elements, is_f16>(product, a, block, of_b, shift);
        else sum_exact<elements, is_f16>(product, a, block, of_b, shift);
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

}  // namespace

constinit ProductFunctions const functions{floats, integers};

}  // namespace warpsim::sim::matrix::WARPSIM_HOST
