// Products of matrices of any bits, under any numerics: what the host's vectors give is what the reference gives.
#include "sim/matrix/products.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>

namespace {

using namespace warpsim;
using namespace warpsim::sim::matrix;
using isa::Type;

/// The input again and again.
class Input {
public:
    Input(std::uint8_t const* data, std::size_t size) : data_(data), size_(size) {}

    std::uint8_t byte() { return data_[at_++ % size_]; }
    std::uint32_t word() {
        std::uint32_t word = 0;
        for (int i = 0; i < 4; ++i) word = word << 8 | byte();
        return word;
    }

private:
    std::uint8_t const* data_;
    std::size_t size_, at_ = 0;
};

FloatProduct product_of(Input& input) {
    constexpr Type types[] = {Type::f16,  Type::bf16, Type::tf32, Type::e4m3,
                              Type::e5m2, Type::e3m2, Type::e2m3, Type::e2m1};
    constexpr std::size_t first_of_bytes = 3;
    FloatProduct p;
    std::size_t const type = input.byte() % std::size(types);
    p.a = p.b = types[type];
    if (type >= first_of_bytes) p.b = types[first_of_bytes + input.byte() % (std::size(types) - first_of_bytes)];
    p.is_packed = p.a == Type::e2m1 && input.byte() % 2 == 0;
    if (p.is_packed) p.b = Type::e2m1;
    p.result_is_f16 = (p.a == Type::f16 || (type >= first_of_bytes && !p.is_packed)) && input.byte() % 2 == 0;
    p.a_is_sparse = input.byte() % 4 == 0;
    Accumulator& how = p.accumulator;
    how.sum = input.byte() % 3 == 0 ? Sum::exact : Sum::aligned;
    how.group = 1 << input.byte() % 7;
    how.extra_bits = input.byte() % 20 - 14;
    how.floor_f32 = -(input.byte() % 200);
    how.floor_f16 = -(input.byte() % 30);
    how.rounds_to_nearest = input.byte() % 8 == 0;
    if (type >= first_of_bytes && input.byte() % 3 == 0) {
        p.scale_block = p.is_packed && input.byte() % 2 == 0 ? 16 : 32;
        p.scales_are_e4m3 = p.is_packed && input.byte() % 2 == 0;
    }
    return p;
}

void fill(Block& block, Input& input, FloatProduct const& p) {
    block.words = input.byte() % 2 == 0 ? 8 : 16;
    if (p.scale_block != 0) block.words = 8;
    block.columns = 8;
    for (auto& four : block.a)
        for (auto& half : four)
            for (std::uint32_t& word : half) word = input.word();
    for (auto& four : block.b[0])
        for (std::uint32_t& word : four) word = input.word();
    for (auto& words : block.d[0])
        for (std::uint32_t& word : words) word = p.result_is_f16 ? input.word() & 0xffff : input.word();
    for (auto& scales : block.a_scales)
        for (std::uint8_t& scale : scales) scale = input.byte();
    for (auto& scales : block.b_scales)
        for (std::uint8_t& scale : scales) scale = input.byte();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    Input input(data, size);
    FloatProduct const product = product_of(input);
    auto const given = std::make_unique<Block>(), got = std::make_unique<Block>();
    fill(*given, input, product);
    for (isa::HostIsa const host : {isa::HostIsa::baseline, isa::HostIsa::avx2, isa::HostIsa::avx512}) {
        if (!isa::runs_here(host)) continue;
        *got = *given;
        product_functions(host).floats(product, *got);
        for (std::size_t element = 0; element < 128; ++element) {
            std::size_t const row = element / 8, column = element % 8;
            std::array<std::uint32_t, most_words> a{}, b{};
            for (std::size_t w = 0; w < static_cast<std::size_t>(given->words); ++w) {
                a.at(w) = given->a_at(row, w);
                b.at(w) = given->b_at(column, w);
            }
            std::uint32_t const want =
                reference(product, {a.data(), 1, &given->a_scales[0][row], block_rows},
                          {b.data(), 1, given->b_scales[column], 1}, given->words, given->d_at(row, column));
            if (got->d_at(row, column) != want) __builtin_trap();
        }
    }
    return 0;
}
