// The fast functions against the reference, on every host that this machine is.
#include "sim/matrix/number.hpp"
#include "sim/matrix/products.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace warpsim;
using namespace warpsim::sim::matrix;
using isa::Type;

namespace {

std::vector<isa::HostIsa> hosts() {
    std::vector<isa::HostIsa> all;
    for (isa::HostIsa const host : {isa::HostIsa::baseline, isa::HostIsa::avx2, isa::HostIsa::avx512}) {
        if (isa::runs_here(host)) all.push_back(host);
    }
    return all;
}

/// What the elements of a test look like.
enum class Values { any_bits, similar, wide, with_specials, zeros };
constexpr Values all_values[] = {Values::any_bits, Values::similar, Values::wide, Values::with_specials,
                                 Values::zeros};

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_()) % n; }
    std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()); }

    /// A code of the format: finite but for `with_specials` and `any_bits`.
    std::uint32_t code(ElementFormat const& f, Values values) {
        std::uint32_t const magnitude_bits = static_cast<std::uint32_t>(f.exponent_bits + f.fraction_bits);
        std::uint32_t const all = magnitude_bits == 31 ? 0x7fffffffu : (1u << magnitude_bits) - 1;
        std::uint32_t const sign = below(2) << magnitude_bits;
        std::uint32_t const padding = f.shift == 0 ? 0 : bits() & ((1u << f.shift) - 1);
        std::uint32_t magnitude = bits() & all;
        std::uint32_t const largest = f.first_special > all ? all : f.first_special - 1;
        if (values == Values::zeros && below(4) != 0) magnitude = 0;
        if (values == Values::with_specials && below(12) == 0) magnitude = f.first_special + below(3);
        else if (values != Values::any_bits && magnitude > largest) magnitude = largest;
        if (values == Values::similar || (values == Values::with_specials && magnitude < f.first_special)) {
            // Exponents of a few places around 1.
            auto const spread = static_cast<std::uint32_t>(f.bias < 7 ? f.bias : 7);
            std::uint32_t const field = static_cast<std::uint32_t>(f.bias) - spread + below(2 * spread);
            magnitude = field << f.fraction_bits | (bits() & ((1u << f.fraction_bits) - 1));
        }
        return ((magnitude > all ? all : magnitude) | sign) << f.shift | padding;
    }

private:
    std::mt19937 engine_;
};

/// A word of elements.
std::uint32_t word_of(Random& random, ElementFormat const& f, Values values) {
    std::uint32_t word = 0;
    for (int at = 0; at < 32; at += f.container_bits) word |= random.code(f, values) << at;
    return word;
}

struct Case {
    FloatProduct product;
    int words;
    char const* name;
};

Accumulator aligned(int group, int extra, int floor = -133, int floor_f16 = -21) {
    Accumulator a;
    a.group = group;
    a.extra_bits = extra;
    a.floor_f32 = floor;
    a.floor_f16 = floor_f16;
    return a;
}
Accumulator exact() {
    Accumulator a;
    a.sum = Sum::exact;
    return a;
}

FloatProduct product(Type a, Type b, Accumulator const& how, bool is_f16 = false) {
    FloatProduct p;
    p.a = a;
    p.b = b;
    p.accumulator = how;
    p.result_is_f16 = is_f16;
    return p;
}
FloatProduct packed(int scale_block, bool scales_are_e4m3) {
    FloatProduct p = product(Type::e2m1, Type::e2m1, exact());
    p.is_packed = true;
    p.scale_block = scale_block;
    p.scales_are_e4m3 = scales_are_e4m3;
    return p;
}

std::vector<Case> cases() {
    std::vector<Case> all{
        {product(Type::f16, Type::f16, aligned(4, 0, -200, -19)), 8, "f16 V100"},
        {product(Type::f16, Type::f16, aligned(4, 0, -200, -19), true), 2, "f16 V100 to f16"},
        {product(Type::f16, Type::f16, aligned(8, 1, -132, -20)), 8, "f16 A100"},
        {product(Type::f16, Type::f16, aligned(8, 1, -132, -20), true), 8, "f16 A100 to f16"},
        {product(Type::f16, Type::f16, aligned(16, 2)), 8, "f16 H100"},
        {product(Type::f16, Type::f16, aligned(16, 2), true), 16, "f16 H100 to f16"},
        {product(Type::bf16, Type::bf16, aligned(8, 1)), 8, "bf16 A100"},
        {product(Type::bf16, Type::bf16, aligned(16, 2)), 4, "bf16 H100, half a group"},
        {product(Type::tf32, Type::tf32, aligned(4, 1)), 8, "tf32 A100"},
        {product(Type::tf32, Type::tf32, aligned(8, 2)), 4, "tf32 H100"},
        {product(Type::e4m3, Type::e5m2, aligned(16, -10, -132, -132)), 8, "e4m3 L40S"},
        {product(Type::e5m2, Type::e4m3, aligned(16, -10, -132, -132), true), 8, "e5m2 L40S to f16"},
        {product(Type::e5m2, Type::e5m2, aligned(32, -10)), 8, "e5m2 H100"},
        {product(Type::e3m2, Type::e2m1, aligned(32, -10)), 8, "e3m2"},
        {product(Type::e2m3, Type::e4m3, aligned(32, 1)), 16, "e2m3"},
        {product(Type::e4m3, Type::e4m3, exact()), 8, "e4m3 B200"},
        {product(Type::e5m2, Type::e5m2, exact()), 8, "e5m2 B200"},
        {product(Type::e5m2, Type::e5m2, exact(), true), 8, "e5m2 B200 to f16"},
        {product(Type::e4m3, Type::e2m3, exact(), true), 8, "e4m3 B200 to f16"},
        {product(Type::f16, Type::f16, exact()), 8, "f16 exact"},
        {product(Type::f16, Type::f16, exact(), true), 8, "f16 exact to f16"},
        {product(Type::bf16, Type::bf16, exact()), 8, "bf16 exact"},
        {product(Type::tf32, Type::tf32, exact()), 8, "tf32 exact"},
        {product(Type::f16, Type::f16, aligned(32, 2)), 16, "groups that need 33 bits"},
        {packed(0, false), 8, "packed e2m1"},
        {packed(32, false), 8, "mxf4"},
        {packed(16, true), 8, "nvf4"},
    };
    FloatProduct scaled = product(Type::e4m3, Type::e5m2, exact());
    scaled.scale_block = 32;
    all.push_back({scaled, 8, "mxf8f6f4"});
    Accumulator nearest = aligned(16, 2);
    nearest.rounds_to_nearest = true;
    all.push_back({product(Type::f16, Type::f16, nearest), 8, "rounded to nearest"});
    return all;
}

void fill(Block& block, Case const& test, Values values, Random& random) {
    block = Block{};
    block.words = test.words;
    block.columns = 8;
    FloatProduct const& p = test.product;
    ElementFormat const& a = element_format(p.a, p.is_packed);
    ElementFormat const& b = element_format(p.b, p.is_packed);
    ElementFormat const& c = element_format(p.result_is_f16 ? Type::f16 : Type::f32);
    for (int w = 0; w < block.words; ++w) {
        for (auto& word : block.a[w]) word = word_of(random, a, values);
    }
    for (int n = 0; n < block.columns; ++n) {
        for (int w = 0; w < block.words; ++w) block.b[n][w] = word_of(random, b, values);
        for (auto& element : block.d[n]) element = random.code(c, random.below(2) == 0 ? Values::zeros : values);
        for (auto& scale : block.b_scales[n]) scale = static_cast<std::uint8_t>(100 + random.below(60));
    }
    for (auto& scales : block.a_scales) {
        for (auto& scale : scales) {
            bool const is_any = values == Values::any_bits;
            scale = static_cast<std::uint8_t>(is_any ? random.below(256) : 100 + random.below(28));
        }
    }
}

std::string place(Case const& test, Values values, isa::HostIsa host, int n, int row) {
    return std::string(test.name) + ", values " + std::to_string(static_cast<int>(values)) + ", " +
           std::string(isa::name(host)) + ", column " + std::to_string(n) + ", row " + std::to_string(row);
}

}  // namespace

TEST_CASE("Every host computes the floating-point products that the reference does", "[matrix]") {
    auto const given = std::make_unique<Block>(), got = std::make_unique<Block>();
    for (Case const& test : cases()) {
        for (Values const values : all_values) {
            for (unsigned seed = 0; seed < 6; ++seed) {
                Random random(seed * 8 + static_cast<unsigned>(values));
                fill(*given, test, values, random);
                std::uint32_t want[8][block_rows];
                for (int n = 0; n < 8; ++n) {
                    for (int row = 0; row < block_rows; ++row) {
                        want[n][row] = reference(
                            test.product, {&given->a[0][row], block_rows, &given->a_scales[0][row], block_rows},
                            {given->b[n], 1, given->b_scales[n], 1}, given->words, given->d[n][row]);
                    }
                }
                for (isa::HostIsa const host : hosts()) {
                    *got = *given;
                    product_functions(host).floats(test.product, *got);
                    for (int n = 0; n < 8; ++n) {
                        for (int row = 0; row < block_rows; ++row) {
                            if (got->d[n][row] == want[n][row]) continue;
                            INFO(place(test, values, host, n, row) << ", c " << std::hex << given->d[n][row]);
                            REQUIRE(got->d[n][row] == want[n][row]);
                        }
                    }
                }
            }
        }
    }
}

namespace {

/// The k-th element of a row or column of integers.
std::int64_t integer(std::uint32_t const* words, std::size_t stride, Type type, int k) {
    int const bits = isa::width(type), in_word = 32 / bits;
    std::uint32_t const word = words[static_cast<std::size_t>(k / in_word) * stride];
    std::uint32_t const code = word >> (k % in_word * bits) & ((1u << bits) - 1);
    bool const is_negative = isa::is_signed(type) && (code >> (bits - 1)) != 0;
    return is_negative ? static_cast<std::int64_t>(code) - (1 << bits) : static_cast<std::int64_t>(code);
}

std::uint32_t sum_of_integers(IntegerProduct const& p, Block const& block, int n, int row) {
    auto sum = static_cast<std::int64_t>(static_cast<std::int32_t>(block.d[n][row]));
    for (int k = 0; k < block.words * 32 / isa::width(p.a); ++k) {
        std::int64_t const a = integer(&block.a[0][row], block_rows, p.a, k), b = integer(block.b[n], 1, p.b, k);
        sum += p.a != Type::b1 ? a * b : p.is_and ? a & b : a ^ b;
    }
    if (p.saturates) sum = sum > 0x7fffffff ? 0x7fffffff : sum < -0x7fffffff - 1 ? -0x7fffffff - 1 : sum;
    return static_cast<std::uint32_t>(sum);
}

}  // namespace

TEST_CASE("Every host multiplies integers and bits exactly", "[matrix]") {
    auto const given = std::make_unique<Block>(), got = std::make_unique<Block>();
    Random random(5);
    std::vector<IntegerProduct> products{{Type::b1, Type::b1, false, true}, {Type::b1, Type::b1, false, false}};
    for (bool const saturates : {false, true}) {
        for (Type const a : {Type::s8, Type::u8}) {
            for (Type const b : {Type::s8, Type::u8}) products.push_back({a, b, saturates, false});
        }
        for (Type const a : {Type::s4, Type::u4}) {
            for (Type const b : {Type::s4, Type::u4}) products.push_back({a, b, saturates, false});
        }
    }
    for (IntegerProduct const& p : products) {
        for (int const words : {4, 8, 16}) {
            *given = Block{};
            given->words = words;
            given->columns = 8;
            for (int w = 0; w < words; ++w) {
                for (auto& word : given->a[w]) word = random.bits();
            }
            for (int n = 0; n < 8; ++n) {
                for (auto& word : given->b[n]) word = random.bits();
                // Near the ends of the range, where it overflows.
                for (auto& c : given->d[n]) c = random.below(2) * 0x7fffffffu + random.below(64) - 32;
            }
            for (isa::HostIsa const host : hosts()) {
                *got = *given;
                product_functions(host).integers(p, *got);
                for (int n = 0; n < 8; ++n) {
                    for (int row = 0; row < block_rows; ++row) {
                        INFO(isa::name(p.a) << " " << isa::name(p.b) << " " << words << " " << isa::name(host));
                        REQUIRE(got->d[n][row] == sum_of_integers(p, *given, n, row));
                    }
                }
            }
        }
    }
}

TEST_CASE("Fragments are taken apart into rows and put together again", "[matrix]") {
    std::uint32_t halves[2][32], words[6][block_rows], back[2][32];
    for (std::uint32_t h = 0; h < 2; ++h) {
        for (std::uint32_t i = 0; i < 32; ++i) halves[h][i] = 100 * h + i;
    }
    for (isa::HostIsa const host : hosts()) {
        ProductFunctions const& functions = product_functions(host);
        for (std::size_t const stride : {std::size_t{1}, std::size_t{1}}) {
            functions.words_of_fragment(words[0], halves[0], halves[1], stride * block_rows);
            for (std::size_t w = 0; w < 4; ++w) {
                for (std::size_t row = 0; row < block_rows; ++row) {
                    CHECK(words[w * stride][row] == halves[row / 8][row % 8 * 4 + w]);
                }
            }
            functions.fragment_of_words(back[0], back[1], words[0], stride * block_rows);
            CHECK(std::memcmp(back, halves, sizeof back) == 0);
        }
    }
}
