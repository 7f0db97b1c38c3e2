// Every lane function whose first operand has 16 bits, for each of its 65536 values: against plain C++ here, or in
// one of the tests with MPFR. WARPSIM_NIGHTLY in the environment sweeps more pairs.
#include "frontend/isa/effect.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/isa_cases.hpp"
#include "tests/support/isa_instruction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>

namespace sixteen_bits_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

__extension__ using Wide = __int128;
using Bits = std::array<std::uint64_t, 3>;

bool is_half(Type type) { return type == Type::f16 || type == Type::bf16; }
std::uint64_t ones(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
Wide integer(std::uint64_t bits, Type type) {
    int const unused = 64 - width(type);
    return is_signed(type) ? Wide{static_cast<std::int64_t>(bits << unused) >> unused}
                           : Wide{bits << unused >> unused};
}
double number(std::uint64_t bits, Type type) {
    return is_float(type) ? number_of(bits, type)
                          : static_cast<double>(static_cast<std::int64_t>(integer(bits, type)));
}

/// The n-th of .rn .rz .rm .rp, or of .rni .rzi .rmi .rpi.
double integral(double x, unsigned n) {
    return n == 0 ? std::nearbyint(x) : n == 1 ? std::trunc(x) : n == 2 ? std::floor(x) : std::ceil(x);
}
std::uint64_t half_bits(double x, Type type, unsigned mode) {
    if (std::isnan(x)) return 0x7fff;
    int const digits = type == Type::f16 ? 10 : 7, lowest = type == Type::f16 ? -14 : -126;
    std::uint64_t const infinity = type == Type::f16 ? 0x7c00 : 0x7f80;
    std::uint64_t const sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isinf(x)) return sign | infinity;
    double const m = std::fabs(x);
    int const exponent = m == 0 ? lowest : std::max(std::ilogb(m), lowest);
    double const units = std::fabs(integral(std::copysign(std::ldexp(m, digits - exponent), x), mode));
    bool const away = mode == 0 || (mode == 2 && sign != 0) || (mode == 3 && sign == 0);
    if (std::ldexp(units, exponent - digits) > (type == Type::f16 ? 65504.0 : 0x1.fep127))
        return sign | (away ? infinity : infinity - 1);
    return sign | (static_cast<std::uint64_t>(units) + (static_cast<std::uint64_t>(exponent - lowest) << digits));
}
std::uint64_t float_bits(float x) { return std::isnan(x) ? 0x7fffffff : std::bit_cast<std::uint32_t>(x); }
std::uint64_t flushed(std::uint64_t bits, Type type) {
    std::uint64_t const exponent = type == Type::f16 ? 0x7c00 : 0x7f80;
    return (bits & exponent) == 0 ? bits & 0x8000 : bits;
}

bool compared(double a, double b, unsigned op) {
    bool const unordered = std::isnan(a) || std::isnan(b);
    switch (op) {
        case 0: return a == b;
        case 1: return !unordered && a != b;
        case 2:
        case 6: return a < b;
        case 3:
        case 7: return a <= b;
        case 4:
        case 8: return a > b;
        case 5:
        case 9: return a >= b;
        case 10: return unordered || a == b;
        case 11: return unordered || a != b;
        case 12: return unordered || a < b;
        case 13: return unordered || a <= b;
        case 14: return unordered || a > b;
        case 15: return unordered || a >= b;
        case 16: return !unordered;
        default: return unordered;
    }
}
std::uint64_t truth(Type type) {
    switch (type) {
        case Type::pred: return 1;
        case Type::f16: return 0x3c00;
        case Type::bf16: return 0x3f80;
        case Type::f32: return 0x3f800000;
        default: return ones(width(type));
    }
}

/// A line without its operands, and its parts.
struct Line {
    std::string_view mnemonic;
    bool has(std::string_view word) const { return mnemonic.find(word) != std::string_view::npos; }
    bool is(std::string_view opcode) const {
        return mnemonic.starts_with(opcode) &&
               std::string_view(".{").find(mnemonic[opcode.size()]) != std::string_view::npos;
    }
};

std::optional<std::uint64_t> integer_result(Line line, Variant const& v, Bits const& bits) {
    Wide const a = integer(bits[0], v.sources[0]);
    Wide const b = v.source_count > 1 ? integer(bits[1], v.sources[1]) : 0,
               c = v.source_count > 2 ? integer(bits[2], v.sources[2]) : 0;
    Wide const high = line.has(".hi") ? a * b >> 16 : a * b;
    std::optional<Wide> d;
    if (line.is("add")) d = a + b;
    else if (line.is("sub")) d = a - b;
    else if (line.is("mul")) d = high;
    else if (line.is("mad")) d = high + c;
    else if (line.is("div")) d = b == 0 ? Wide{-1} : a / b;
    else if (line.is("rem")) d = b == 0 ? -1 : a % b;
    else if (line.is("abs")) d = a < 0 ? -a : a;
    else if (line.is("neg")) d = -a;
    else if (line.is("min")) d = std::min(a, b);
    else if (line.is("max")) d = std::max(a, b);
    else if (line.is("sad")) d = c + (a < b ? b - a : a - b);
    else if (line.is("and")) d = a & b;
    else if (line.is("or")) d = a | b;
    else if (line.is("xor")) d = a ^ b;
    else if (line.is("not")) d = ~a;
    else if (line.is("cnot")) d = a == 0 ? 1 : 0;
    else if (line.is("shl")) d = b > 15 ? Wide{0} : a << b;
    else if (line.is("shr")) d = a >> (b > 15 ? Wide{16} : b);
    if (!d) return {};
    return static_cast<std::uint64_t>(*d) & ones(width(v.result));
}

std::uint64_t clamped_integer(double x, Type to) {
    std::uint64_t const top = std::uint64_t{1} << (width(to) - 1);
    if (std::isnan(x)) return width(to) == 64 ? top : 0;
    double const limit = std::ldexp(1.0, is_signed(to) ? width(to) - 1 : width(to));
    if (x >= limit) return is_signed(to) ? top - 1 : ones(width(to));
    if (x < (is_signed(to) ? -limit : 0.0)) return is_signed(to) ? top : 0;
    return (x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) : static_cast<std::uint64_t>(x)) &
           ones(width(to));
}

/// The f16 of a number of 8 or 6 bits.
std::uint64_t half_of_code(std::uint64_t code, Type type) {
    if (type == Type::e5m2x2) return (code & 0x7f) > 0x7c ? 0x7fff : code << 8;
    if (type == Type::e4m3x2 && (code & 0x7f) == 0x7f) return 0x7fff;
    int const mantissa = type == Type::e3m2x2 ? 2 : 3, exponents = type == Type::e4m3x2   ? 4
                                                                   : type == Type::e2m3x2 ? 2
                                                                                          : 3;
    int const bias = (1 << (exponents - 1)) - 1;
    std::uint64_t const magnitude = code & ones(exponents + mantissa);
    int const exponent = static_cast<int>(magnitude >> mantissa);
    double const digits =
        static_cast<double>(magnitude & ones(mantissa)) + (exponent > 0 ? std::ldexp(1.0, mantissa) : 0);
    double const x = std::ldexp(digits, std::max(exponent, 1) - bias - mantissa);
    return half_bits((code >> (exponents + mantissa) & 1) != 0 ? -x : x, Type::f16, 0);
}
/// A number of 8 bits or of fixed point as one of bf16, times a power of two.
std::uint64_t scaled(Line line, Type type, std::uint64_t code, std::uint64_t power) {
    double const x =
        type == Type::s2f6x2 ? static_cast<std::int8_t>(code) / 64.0 : number(half_of_code(code, type), Type::f16);
    std::uint64_t const bits =
        power == 0xff ? 0x7fff : half_bits(std::ldexp(x, static_cast<int>(power) - 127), Type::bf16, 0);
    bool const is_infinite = (bits & 0x7fff) == 0x7f80;
    return is_infinite && line.has(".satfinite") ? bits - 1 : bits;
}
std::uint64_t unpacked(Line line, Type type, Type result, Bits const& given) {
    std::uint64_t pair = 0;
    for (unsigned i = 0; i < 2; ++i) {
        std::uint64_t const code = given[0] >> 8 * i & 0xff;
        std::uint64_t const power = line.has(".scaled") ? given[1] >> 8 * i & 0xff : 127;
        std::uint64_t half =
            type == Type::ue8m0x2
                ? code == 0xff ? 0x7fff : half_bits(std::ldexp(1.0, static_cast<int>(code) - 127), Type::bf16, 0)
                : half_of_code(code, type);
        if (result == Type::bf16x2 && type != Type::ue8m0x2) half = scaled(line, type, code, power);
        if (line.has(".relu") && half >= 0x8000) half = 0;
        pair |= half << 16 * i;
    }
    return pair;
}

std::optional<std::uint64_t> conversion(Line line, Variant const& v, Bits const& bits) {
    Type const from = v.types[1], to = v.types[0];
    if (to == Type::f16x2 || to == Type::bf16x2) return unpacked(line, from, to, bits);
    double x = number(bits[0], from);
    if (line.has(".irnd")) x = integral(x, v.selector);
    if (is_half(to)) return half_bits(x, to, v.selector);
    // bf16 is the upper half of f32, also where it is NaN.
    if (to == Type::f32 && from == Type::bf16 && !line.has(".ftz")) return bits[0] << 16;
    if (to == Type::f32 && from == Type::bf16 && std::fabs(x) < 0x1p-126) x = std::copysign(0.0, x);
    if (to == Type::f32) return float_bits(static_cast<float>(x));
    if (to == Type::f64) return std::isnan(x) ? std::optional<std::uint64_t>{} : std::bit_cast<std::uint64_t>(x);
    if (is_half(from) || line.has(".sat")) return clamped_integer(x, to);
    return static_cast<std::uint64_t>(integer(bits[0], from)) & ones(width(to));
}

std::uint64_t extreme(Line line, Type type, std::uint64_t a, std::uint64_t b) {
    std::uint64_t const sign = line.has(".xorsign") ? (a ^ b) & 0x8000 : 0;
    if (line.has(".xorsign")) a &= 0x7fff, b &= 0x7fff;
    double const x = number(a, type), y = number(b, type);
    if (std::isnan(x) && std::isnan(y)) return 0x7fff;
    if (std::isnan(x) || std::isnan(y)) {
        if (line.has(".NaN")) return 0x7fff;
        return (std::isnan(x) ? b : a) | sign;
    }
    bool const a_is_less = x < y || (x == y && std::signbit(x));
    return (a_is_less == line.is("min") ? a : b) | sign;
}

float mixed(Line line, Variant const& v, Bits const& bits) {
    float const a = static_cast<float>(number(bits[0], v.sources[0]));
    std::size_t const last = v.source_count - 1u;
    float const c = std::bit_cast<float>(static_cast<std::uint32_t>(bits[last]));
    if (line.is("add")) return a + c;
    if (line.is("sub")) return a - c;
    return std::fma(a, static_cast<float>(number(bits[1], v.sources[1])), c);
}

std::optional<std::uint64_t> wanted(Line line, Variant const& v, Bits const& bits) {
    if (line.is("set") || line.is("setp")) {
        return compared(number(bits[0], v.sources[0]), number(bits[1], v.sources[1]), v.selector) ? truth(v.result)
                                                                                                  : 0;
    }
    if (line.is("selp")) return (bits[2] & 1) != 0 ? bits[0] : bits[1];
    if (line.is("slct")) {
        bool const takes_a =
            v.sources[2] == Type::f32 ? number(bits[2], Type::f32) >= 0 : integer(bits[2], Type::s32) >= 0;
        return takes_a ? bits[0] : bits[1];
    }
    if (line.is("cvt")) return conversion(line, v, bits);
    if (!is_half(v.sources[0])) return integer_result(line, v, bits);
    if (v.result == Type::f32) return float_bits(mixed(line, v, bits));
    bool const is_nan = std::isnan(number(bits[0], v.sources[0]));
    if (line.is("abs")) return is_nan ? 0x7fff : bits[0] & 0x7fff;
    if (line.is("neg")) return is_nan ? 0x7fff : bits[0] ^ 0x8000;
    if (line.is("min") || line.is("max")) return extreme(line, v.sources[0], bits[0], bits[1]);
    return {};
}

/// exact_rounding_test.cpp and approximate_errors_test.cpp sweep these.
bool is_swept_with_mpfr(Line line, Variant const& v) {
    if (!is_half(v.sources[0])) return false;
    return line.is("add") || line.is("sub") || line.is("mul") || line.is("fma") || line.is("tanh") ||
           line.is("ex2");
}

bool has_16_bits(Type type) {
    return type == Type::u16 || type == Type::s16 || type == Type::b16 || is_half(type);
}

// The release build looks at every value. With sanitizers, which look at how a value is computed, every ninth warp of
// values is enough.
#ifdef WARPSIM_SANITIZED
constexpr std::size_t step = 9 * std::size_t{warp_size};
#else
constexpr std::size_t step = warp_size;
#endif

/// False when the expected result is not known here.
bool sweep(Row const& row, Variant const& v, LaneFunction function, bool ftz, Random& random) {
    Line const line{row.syntax.substr(0, row.syntax.find(' '))};
    Instruction const instruction{&row, &v, function, nullptr, 0};
    bool known = false;
    std::size_t const partners = v.source_count == 1 || std::getenv("WARPSIM_NIGHTLY") == nullptr ? 1 : 16;
    for (std::size_t first = 0; first < 0x10000 * partners; first += step) {
        std::vector<Lanes> sources;
        for (std::size_t s = 0; s < v.source_count; ++s) sources.push_back(random.values(v.sources[s]));
        for (std::size_t i = 0; i < warp_size; ++i) {
            sources[0][i] = (first + i) & 0xffff;
            // Neighbours, so that comparisons are close.
            if (first % 64 == 0 && v.source_count > 1 && width(v.sources[1]) == 16)
                sources[1][i] = (first + i + random.next() % 3 - 1) & 0xffff;
        }
        Lanes const result = run(instruction, sources);
        for (std::size_t i = 0; i < warp_size; ++i) {
            Bits bits{};
            for (std::size_t s = 0; s < v.source_count; ++s) {
                bits[s] = ftz && is_half(v.sources[s]) ? flushed(sources[s][i], v.sources[s]) : sources[s][i];
            }
            auto expected = wanted(line, v, bits);
            if (!expected) continue;
            known = true;
            if (ftz && is_half(v.result)) expected = flushed(*expected, v.result);
            if (result[i] == *expected) continue;
            FAIL(row.syntax << " ." << name(v.types[0]) << " #" << v.selector << (ftz ? " .ftz" : "") << std::hex
                            << " of " << sources[0][i] << " " << (v.source_count > 1 ? sources[1][i] : 0)
                            << " gives " << result[i] << ", not " << *expected);
        }
        if (!known && first > 0x400) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("Every function of 16-bit operands is right for every value of the first", "[isa]") {
    Random random;
    std::set<LaneFunction> seen;
    for (Row const& row : rows(hosts().back())) {
        if (row.effect != Effect::lanes || carries(row)) continue;
        for (Variant const& v : row.variants) {
            if (!has_16_bits(v.sources[0]) || v.source_count > 3 || !seen.insert(v.run).second) continue;
            Line const line{row.syntax.substr(0, row.syntax.find(' '))};
            INFO(row.syntax << " ." << name(v.types[0]));
            CHECK((sweep(row, v, v.run, false, random) || is_swept_with_mpfr(line, v)));
            if (v.run_ftz != nullptr && is_half(v.sources[0])) sweep(row, v, v.run_ftz, true, random);
        }
    }
    CHECK(seen.size() > 200);
}

}  // namespace sixteen_bits_test
