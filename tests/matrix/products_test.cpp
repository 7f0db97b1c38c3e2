// The fast functions against the reference, on every host that this machine is.
#include "sim/matrix/number.hpp"
#include "sim/matrix/products.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace products_test {

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
        {product(Type::f16, Type::f16, aligned(4, 0, -200, -19), true), 4, "f16 V100 to f16"},
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
    scaled.accumulator = aligned(32, -10);
    all.push_back({scaled, 8, "mxf8f6f4, aligned"});
    all.push_back({scaled, 16, "mxf8f6f4, aligned, two groups"});
    for (int const extra_bits : {-10, 0, 3}) {
        FloatProduct nvf4 = packed(16, true), mxf4 = packed(32, false);
        nvf4.accumulator = mxf4.accumulator = aligned(16, extra_bits);
        all.push_back({nvf4, 8, "nvf4, aligned"});
        all.push_back({mxf4, 8, "mxf4, aligned"});
    }
    all.push_back({product(Type::f16, Type::f16, aligned(2, 5)), 8, "groups of one word"});
    all.push_back({product(Type::tf32, Type::tf32, aligned(1, 6)), 4, "groups of one product"});
    all.push_back({product(Type::bf16, Type::bf16, aligned(16, 2), false), 16, "bf16 H100, two groups"});
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
    auto const rows = static_cast<std::size_t>(block_rows), words = static_cast<std::size_t>(block.words);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t w = 0; w < words; ++w) block.a_at(row, w) = word_of(random, a, values);
    for (std::size_t n = 0; n < static_cast<std::size_t>(block.columns); ++n) {
        for (std::size_t w = 0; w < words; ++w) block.b_at(n, w) = word_of(random, b, values);
        for (std::size_t row = 0; row < rows; ++row)
            block.d_at(row, n) = random.code(c, random.below(2) == 0 ? Values::zeros : values);
        for (auto& scale : block.b_scales[n]) scale = static_cast<std::uint8_t>(100 + random.below(60));
    }
    for (auto& scales : block.a_scales) {
        for (auto& scale : scales) {
            bool const is_any = values == Values::any_bits;
            scale = static_cast<std::uint8_t>(is_any ? random.below(256) : 100 + random.below(28));
        }
    }
}

std::string place(Case const& test, Values values, isa::HostIsa host, std::size_t n, std::size_t row) {
    return std::string(test.name) + ", values " + std::to_string(static_cast<int>(values)) + ", " +
           std::string(isa::name(host)) + ", column " + std::to_string(n) + ", row " + std::to_string(row);
}

using Line = std::array<std::uint32_t, most_words>;
Line row_of_a(Block const& block, std::size_t row) {
    Line line{};
    for (std::size_t w = 0; w < static_cast<std::size_t>(block.words); ++w) line[w] = block.a_at(row, w);
    return line;
}
Line column_of_b(Block const& block, std::size_t n) {
    Line line{};
    for (std::size_t w = 0; w < static_cast<std::size_t>(block.words); ++w) line[w] = block.b_at(n, w);
    return line;
}

/// Computes what was given on every host, where it must be what the reference makes of it.
void check_every_host(Case const& test, Values values, Block const& given) {
    auto const rows = static_cast<std::size_t>(block_rows), columns = static_cast<std::size_t>(given.columns);
    Block want = given;
    for (std::size_t n = 0; n < columns; ++n) {
        Line const b = column_of_b(given, n);
        for (std::size_t row = 0; row < rows; ++row) {
            Line const a = row_of_a(given, row);
            want.d_at(row, n) = reference(test.product, {a.data(), 1, &given.a_scales[0][row], block_rows},
                                          {b.data(), 1, given.b_scales[n], 1}, given.words, given.d_at(row, n));
        }
    }
    for (isa::HostIsa const host : hosts()) {
        Block got = given;
        product_functions(host).floats(test.product, got);
        for (std::size_t n = 0; n < columns; ++n) {
            for (std::size_t row = 0; row < rows; ++row) {
                if (got.d_at(row, n) == want.d_at(row, n)) continue;
                INFO(place(test, values, host, n, row) << ", c " << std::hex << given.d_at(row, n));
                REQUIRE(got.d_at(row, n) == want.d_at(row, n));
            }
        }
    }
}

}  // namespace

TEST_CASE("Every host computes the floating-point products that the reference does", "[matrix]") {
    auto const given = std::make_unique<Block>();
    for (Case const& test : cases()) {
        for (Values const values : all_values) {
            for (unsigned seed = 0; seed < 6; ++seed) {
                Random random(seed * 8 + static_cast<unsigned>(values));
                fill(*given, test, values, random);
                check_every_host(test, values, *given);
            }
        }
    }
}

TEST_CASE("Operands that were multiplied before may be numbers of another type", "[matrix]") {
    auto const given = std::make_unique<Block>();
    Random random(3);
    fill(*given, {product(Type::e4m3, Type::e4m3, aligned(32, -10)), 8, "e4m3"}, Values::any_bits, random);
    std::vector<FloatProduct> products;
    for (Type const type : {Type::e4m3, Type::e5m2, Type::e2m3, Type::f16, Type::bf16, Type::tf32}) {
        for (Accumulator const& how : {aligned(8, 1), aligned(16, -10), exact()})
            products.push_back(product(type, type, how));
    }
    products.push_back(packed(0, false));
    products.push_back(packed(32, false));
    for (FloatProduct const& p : products) {
        for (int const words : {8, 4}) {
            given->words = words;
            check_every_host({p, words, isa::name(p.a).data()}, Values::any_bits, *given);
        }
    }
}

namespace {

/// The k-th element of a row or column of integers.
std::int64_t integer(Line const& words, Type type, int k) {
    int const bits = isa::width(type), in_word = 32 / bits;
    std::uint32_t const code =
        words[static_cast<std::size_t>(k / in_word)] >> (k % in_word * bits) & ((1u << bits) - 1);
    bool const is_negative = isa::is_signed(type) && (code >> (bits - 1)) != 0;
    return is_negative ? static_cast<std::int64_t>(code) - (1 << bits) : static_cast<std::int64_t>(code);
}

std::uint32_t sum_of_integers(IntegerProduct const& p, Block const& block, std::size_t n, std::size_t row) {
    Line const of_a = row_of_a(block, row), of_b = column_of_b(block, n);
    auto sum = static_cast<std::int64_t>(static_cast<std::int32_t>(block.d_at(row, n)));
    for (int k = 0; k < block.words * 32 / isa::width(p.a); ++k) {
        std::int64_t const a = integer(of_a, p.a, k), b = integer(of_b, p.b, k);
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
            for (std::size_t w = 0; w < static_cast<std::size_t>(words); ++w) {
                for (std::size_t row = 0; row < block_rows; ++row) given->a_at(row, w) = random.bits();
                for (std::size_t n = 0; n < 8; ++n) given->b_at(n, w) = random.bits();
            }
            // Near the ends of the range, where it overflows.
            for (auto& c : given->d[0])
                for (std::uint32_t& element : c) element = random.below(2) * 0x7fffffffu + random.below(64) - 32;
            for (isa::HostIsa const host : hosts()) {
                *got = *given;
                product_functions(host).integers(p, *got);
                for (std::size_t n = 0; n < 8; ++n) {
                    for (std::size_t row = 0; row < block_rows; ++row) {
                        INFO(isa::name(p.a) << " " << isa::name(p.b) << " " << words << " " << isa::name(host));
                        REQUIRE(got->d_at(row, n) == sum_of_integers(p, *given, n, row));
                    }
                }
            }
        }
    }
}

}  // namespace products_test
