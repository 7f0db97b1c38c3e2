// Compiled once per host instruction set (WARPSIM_HOST); see products.hpp. As in frontend/isa, nothing here may be emitted
// as a weak symbol, so it is all static or inlined.
#include "sim/matrix/lanes/aligned_sums.hpp"
#include "sim/matrix/lanes/exact_sums.hpp"
#include "sim/matrix/lanes/fragments.hpp"
#include "sim/matrix/lanes/integer_sums.hpp"

#include "frontend/isa/host_lanes.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {

extern ProductFunctions const functions;

namespace {

constexpr std::uint32_t all_rows = (1u << block_rows) - 1;

void refer_all(FloatProduct const& product, Block& block) {
    for (int n = 0; n < block.columns; ++n) {
        std::uint32_t c[block_rows];
        __builtin_memcpy(c, block.d[n], sizeof c);
        refer(product, block, n, all_rows, c);
    }
}

template <Elements elements, bool is_f16>
void sum_aligned(FloatProduct const& product, Rows const& a, Columns const& b, Block& block, int shift) {
    Accumulator const& how = product.accumulator;
    AlignedSums sums{};
    int const group_words = how.group * (product.a_is_sparse ? 2 : 1) / planes_of(elements);
    sums.group_words = group_words < block.words ? group_words : block.words;
    sums.unit = 23 + how.extra_bits;
    sums.product_shift = shift;
    sums.floor = is_f16 ? how.floor_f16 : how.floor_f32;
    sums.kept = how.extra_bits < 0 ? static_cast<std::int32_t>(0xffffffffu << -how.extra_bits) : -1;
    isa::WARPSIM_HOST::HostRounding const toward_zero(isa::Rounding::rz);
    aligned_sums<elements, is_f16>(product, sums, a, b, block);
}

template <Elements elements> void multiply_elements(FloatProduct const& product, Block& block) {
    bool const is_aligned = fits(product, planes_of(elements));
    if (!is_aligned && product.accumulator.sum == Sum::aligned) return refer_all(product, block);
    Decoding const of_a = decoding_of(product.a, product.is_packed),
                   of_b = decoding_of(product.b, product.is_packed);
    alignas(64) Rows a;
    alignas(64) Columns b;
    decode_rows<elements>(a, block, of_a);
    decode_columns<elements>(b, block, of_b);
    auto const choose_result = [&](auto const& sum) {
        if constexpr (elements == Elements::halves || elements == Elements::bytes) {
            if (product.result_is_f16) return sum.template operator()<true>();
        }
        sum.template operator()<false>();
    };
    if (!is_aligned) {
        isa::WARPSIM_HOST::HostRounding const to_nearest(isa::Rounding::rn);
        return choose_result(
            [&]<bool is_f16>() { exact_sums<elements, is_f16>(product, a, b, block, of_a.shift + of_b.shift); });
    }
    choose_result(
        [&]<bool is_f16>() { sum_aligned<elements, is_f16>(product, a, b, block, of_a.shift + of_b.shift); });
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

constinit ProductFunctions const functions{floats, integers, words_of_fragment, fragment_of_words};

}  // namespace warpsim::sim::matrix::WARPSIM_HOST
