// f32 and f64 arithmetic and conversions against the host's own, in every rounding mode, for random values.
#include "tests/support/catch.hpp"
#include "tests/support/isa_cases.hpp"
#include "tests/support/isa_instruction.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <string>

namespace floats_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

template <class F> using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
template <class F> F from_bits(std::uint64_t bits) { return std::bit_cast<F>(static_cast<Bits<F>>(bits)); }

/// Not inlined, so that the rounding mode is the one that was set.
template <class F> using Oracle = F (*)(F, F, F);
template <class F> [[gnu::noinline]] F sum(F a, F b, F) { return a + b; }
template <class F> [[gnu::noinline]] F difference(F a, F b, F) { return a - b; }
template <class F> [[gnu::noinline]] F product(F a, F b, F) { return a * b; }
template <class F> [[gnu::noinline]] F quotient(F a, F b, F) { return a / b; }
template <class F> [[gnu::noinline]] F fused(F a, F b, F c) { return std::fma(a, b, c); }
template <class F> [[gnu::noinline]] F root(F a, F, F) { return std::sqrt(a); }
template <class F> [[gnu::noinline]] F reciprocal(F a, F, F) { return F{1} / a; }

struct Mode {
    std::string modifier;
    int host;
};
Mode const modes[] = {{".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

template <class F> void check(std::string const& stem, Oracle<F> oracle) {
    Type const type = sizeof(F) == 4 ? Type::f32 : Type::f64;
    Random random;
    for (Mode const& mode : modes) {
        std::string const mnemonic = stem + mode.modifier + "." + std::string(name(type));
        for (HostIsa const host : hosts()) {
            auto const instruction = find(host, mnemonic);
            INFO(mnemonic << " on " << name(host));
            REQUIRE(instruction.has_value());
            for (int round = 0; round < 60; ++round) {
                std::vector<Lanes> sources;
                for (std::size_t i = 0; i < instruction->variant->source_count; ++i)
                    sources.push_back(random.values(type));
                LaneMask const mask = round % 2 == 0 ? all_lanes : random.mask();
                Lanes const result = run(*instruction, sources, mask);
                REQUIRE(std::fegetround() == FE_TONEAREST);
                for (std::size_t lane = 0; lane < warp_size; ++lane) {
                    if ((mask >> lane & 1) == 0) continue;
                    F v[3] = {};
                    for (std::size_t i = 0; i < sources.size(); ++i) v[i] = from_bits<F>(sources[i][lane]);
                    std::fesetround(mode.host);
                    F volatile const wanted = oracle(v[0], v[1], v[2]);
                    std::fesetround(FE_TONEAREST);
                    F const w = wanted;
                    std::uint64_t bits = std::bit_cast<Bits<F>>(w);
                    bool same = result[lane] == bits;
                    // f32 has one NaN; the payloads of f64 are compared with MPFR's results.
                    if (std::isnan(w))
                        same =
                            sizeof(F) == 4 ? result[lane] == 0x7fffffff : std::isnan(from_bits<F>(result[lane]));
                    if (!same) {
                        FAIL("lane " << lane << ": " << std::hexfloat << static_cast<double>(v[0]) << " "
                                     << static_cast<double>(v[1]) << " " << static_cast<double>(v[2]) << " gives "
                                     << std::hex << result[lane] << ", not " << bits);
                    }
                }
            }
        }
    }
    SUCCEED(stem);
}

/// Every value against `wanted`, which answers with the bits of the result.
void check_values(std::string const& mnemonic, std::function<std::uint64_t(std::uint64_t)> const& wanted) {
    Random random;
    for (HostIsa const host : hosts()) {
        auto const instruction = find(host, mnemonic);
        INFO(mnemonic << " on " << name(host));
        REQUIRE(instruction.has_value());
        Type const type = instruction->variant->sources[0];
        for (int round = 0; round < 100; ++round) {
            Lanes const source = random.values(type);
            Lanes const result = run(*instruction, {source});
            for (std::size_t lane = 0; lane < warp_size; ++lane) {
                if (result[lane] != wanted(source[lane])) {
                    FAIL("lane " << lane << ": " << std::hex << source[lane] << " gives " << result[lane]
                                 << ", not " << wanted(source[lane]));
                }
            }
        }
    }
    SUCCEED(mnemonic);
}

[[gnu::noinline]] double to_double(long double x) { return static_cast<double>(x); }
/// Rounded to an integer as the n-th of .rni .rzi .rmi .rpi does.
double integral(double x, int n) {
    return n == 0 ? std::nearbyint(x) : n == 1 ? std::trunc(x) : n == 2 ? std::floor(x) : std::ceil(x);
}
std::uint64_t clamped(double x, Type to, bool nan_is_sign_bit) {
    int const bits = width(to);
    std::uint64_t const all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::uint64_t const top = std::uint64_t{1} << (bits - 1);
    if (std::isnan(x)) return nan_is_sign_bit ? top : 0;
    double const limit = std::ldexp(1.0, is_signed(to) ? bits - 1 : bits);
    if (x >= limit) return is_signed(to) ? top - 1 : all;
    if (x < (is_signed(to) ? -limit : 0.0)) return is_signed(to) ? top : 0;
    return (x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) : static_cast<std::uint64_t>(x)) &
           all;
}

/// The NaN of f64 in 16 bits: its sign and the first digits of its payload, made quiet.
std::uint64_t narrow_nan(std::uint64_t bits, int digits) {
    std::uint64_t const quiet = std::uint64_t{1} << (digits - 1);
    std::uint64_t const exponent = std::uint64_t{0x7fff} >> digits << digits;
    return (bits >> 48 & 0x8000) | exponent | quiet | (bits >> (52 - digits) & ((quiet << 1) - 1));
}

/// Rounded once to 16 bits by exact arithmetic on doubles that hold f32 values.
std::uint64_t half_bits(double x, int digits, int lowest, double largest, int mode) {
    if (std::isnan(x)) return 0x7fff;
    std::uint64_t const sign = std::signbit(x) ? 0x8000 : 0;
    std::uint64_t const infinity = digits == 10 ? 0x7c00 : 0x7f80;
    double const m = std::fabs(x);
    if (std::isinf(x)) return sign | infinity;
    int const exponent = std::max(m == 0 ? lowest : std::ilogb(m), lowest);
    double const scaled = std::ldexp(m, digits - exponent);
    bool const up = mode == 3 ? !sign : mode == 2 ? sign != 0 : false;
    double const units = mode == 0 ? std::nearbyint(scaled) : up ? std::ceil(scaled) : std::floor(scaled);
    if (std::ldexp(units, exponent - digits) > largest) return sign | (mode == 0 || up ? infinity : infinity - 1);
    return sign | (static_cast<std::uint64_t>(units) + (static_cast<std::uint64_t>(exponent - lowest) << digits));
}

}  // namespace

TEST_CASE("f32 and f64 arithmetic is rounded as asked", "[isa]") {
    check<float>("add", sum), check<double>("add", sum);
    check<float>("sub", difference), check<double>("sub", difference);
    check<float>("mul", product), check<double>("mul", product);
    check<float>("div", quotient), check<double>("div", quotient);
    check<float>("fma", fused), check<double>("fma", fused);
    check<float>("mad", fused), check<double>("mad", fused);
    check<float>("sqrt", root), check<double>("sqrt", root);
    check<float>("rcp", reciprocal), check<double>("rcp", reciprocal);
}

TEST_CASE("Floating point becomes integers by any rounding, clamped", "[isa]") {
    char const* const roundings[] = {".rni", ".rzi", ".rmi", ".rpi"};
    for (char const* const to : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}) {
        Type const d = type_named(to);
        for (int n = 0; n < 4; ++n) {
            for (Type const from : {Type::f32, Type::f64, Type::f16, Type::bf16}) {
                bool const sign_bit = from == Type::f64 || width(d) == 64;
                check_values(
                    "cvt" + std::string(roundings[n]) + "." + to + "." + std::string(name(from)),
                    [=](std::uint64_t bits) { return clamped(integral(number_of(bits, from), n), d, sign_bit); });
            }
        }
    }
}

TEST_CASE("Integers become floating point in every rounding mode", "[isa]") {
    for (int n = 0; n < 4; ++n) {
        for (char const* const from : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}) {
            Type const a = type_named(from);
            int const unused = 64 - width(a);
            for (char const* const to : {"f32", "f64"}) {
                bool const single = std::string_view(to) == "f32";
                check_values("cvt" + modes[n].modifier + "." + to + "." + from, [=](std::uint64_t bits) {
                    std::fesetround(modes[n].host);
                    std::uint64_t result;
                    // Through long double, which holds every 64-bit integer.
                    long double volatile const exact =
                        is_signed(a)
                            ? static_cast<long double>(static_cast<std::int64_t>(bits << unused) >> unused)
                            : static_cast<long double>(bits << unused >> unused);
                    float volatile const f = static_cast<float>(exact);
                    double volatile const d = static_cast<double>(exact);
                    result = single ? std::bit_cast<std::uint32_t>(static_cast<float>(f))
                                    : std::bit_cast<std::uint64_t>(static_cast<double>(d));
                    std::fesetround(FE_TONEAREST);
                    return result;
                });
            }
        }
    }
}

TEST_CASE("Narrowing to 16 bits rounds once", "[isa]") {
    for (int n = 0; n < 4; ++n) {
        for (Type const from : {Type::f32, Type::f64}) {
            std::string const tail = "." + std::string(name(from));
            check_values("cvt" + modes[n].modifier + ".f16" + tail, [=](std::uint64_t bits) {
                double const x = number_of(bits, from);
                if (std::isnan(x) && from == Type::f64) return narrow_nan(bits, 10);
                return half_bits(x, 10, -14, 65504.0, n);
            });
            check_values("cvt" + modes[n].modifier + ".bf16" + tail, [=](std::uint64_t bits) {
                double const x = number_of(bits, from);
                if (std::isnan(x) && from == Type::f64) return narrow_nan(bits, 7);
                return half_bits(x, 7, -126, 0x1.fep127, n);
            });
        }
    }
}

TEST_CASE("Every f16 and bf16 value widens exactly and comes back", "[isa]") {
    for (HostIsa const host : hosts()) {
        for (Type const type : {Type::f16, Type::bf16}) {
            std::string const t(name(type));
            auto const widen = find(host, "cvt.f32." + t);
            auto const narrow = find(host, "cvt.rn." + t + ".f32");
            REQUIRE((widen && narrow));
            for (std::uint64_t base = 0; base < 0x10000; base += warp_size) {
                Lanes source;
                for (std::size_t i = 0; i < warp_size; ++i) source[i] = base + i;
                Lanes const wide = run(*widen, {source});
                Lanes const back = run(*narrow, {wide});
                for (std::size_t i = 0; i < warp_size; ++i) {
                    double const number = number_of(source[i], type);
                    bool const nan = std::isnan(number);
                    float const got = from_bits<float>(wide[i]);
                    // bf16 is the upper half of f32, also where it is NaN.
                    std::uint64_t const wide_nan = type == Type::f16 ? 0x7fffffff : source[i] << 16;
                    if (nan ? wide[i] != wide_nan
                            : std::bit_cast<std::uint64_t>(static_cast<double>(got)) !=
                                  std::bit_cast<std::uint64_t>(number)) {
                        FAIL(t << " " << std::hex << source[i] << " widens to " << wide[i]);
                    }
                    if (back[i] != (nan ? 0x7fff : source[i]))
                        FAIL(t << " " << std::hex << source[i] << " comes back as " << back[i]);
                }
            }
        }
    }
    SUCCEED();
}

TEST_CASE("Half-precision arithmetic is rounded once", "[isa]") {
    Random random;
    for (HostIsa const host : hosts()) {
        for (Type const type : {Type::f16, Type::bf16}) {
            std::string const t(name(type));
            auto const format = [&](long double x, double product_sign) {
                // Round to odd at 40 bits: the oracle rounds doubles only.
                if (x == 0 && product_sign < 0) return std::uint64_t{0x8000};
                double d = static_cast<double>(x);
                if (!std::isnan(d) && !std::isinf(d) && static_cast<long double>(d) != x) {
                    std::fesetround(FE_TOWARDZERO);
                    double volatile const cut = to_double(x);
                    std::fesetround(FE_TONEAREST);
                    d = std::bit_cast<double>(std::bit_cast<std::uint64_t>(static_cast<double>(cut)) | 1);
                }
                return type == Type::f16 ? half_bits(d, 10, -14, 65504.0, 0)
                                         : half_bits(d, 7, -126, 0x1.fep127, 0);
            };
            auto const add = find(host, "add." + t);
            auto const mul = find(host, "mul." + t);
            auto const fma = find(host, "fma.rn." + t);
            REQUIRE((add && mul && fma));
            for (int round = 0; round < 200; ++round) {
                Lanes const a = random.values(type), b = random.values(type), c = random.values(type);
                Lanes const sums = run(*add, {a, b}), products = run(*mul, {a, b}),
                            fused_sums = run(*fma, {a, b, c});
                for (std::size_t i = 0; i < warp_size; ++i) {
                    long double const x = number_of(a[i], type), y = number_of(b[i], type),
                                      z = number_of(c[i], type);
                    INFO(t << " on " << name(host) << std::hex << ": " << a[i] << " " << b[i] << " " << c[i]
                           << " give " << sums[i] << " " << products[i] << " " << fused_sums[i]);
                    // A sum of zeros takes its sign from both.
                    auto const sign_of_zero = [](long double p, long double q) {
                        return std::signbit(p) && std::signbit(q) ? -1.0 : 1.0;
                    };
                    bool const right =
                        sums[i] == format(x + y, sign_of_zero(x, y)) &&
                        products[i] == format(x * y, std::signbit(x) != std::signbit(y) ? -1.0 : 1.0);
                    if (!right) FAIL("wrong sum or product");
                    // 64 digits hold the product exactly; the sum only when its terms are of similar magnitude.
                    long double const s = x * y + z;
                    if (s - x * y == z && s - z == x * y && fused_sums[i] != format(s, sign_of_zero(x * y, z)))
                        FAIL("wrong fma");
                }
            }
        }
    }
    SUCCEED();
}

}  // namespace floats_test
