// Approximate functions against MPFR: the errors that the ISA documents, over the whole range, and every value of
// 16 bits. WARPSIM_NIGHTLY in the environment makes ten thousand values of each function and mode a million.
#include "tests/support/catch.hpp"
#include "tests/support/isa_cases.hpp"
#include "tests/support/isa_instruction.hpp"

#include <string>

#ifdef WARPSIM_HAS_MPFR

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mpfr.h>
#include <vector>

namespace approximate_errors_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

int reciprocal(mpfr_ptr to, mpfr_srcptr from, mpfr_rnd_t mode) { return mpfr_ui_div(to, 1, from, mode); }

/// The range in which a bound holds, and the bound: |error| <= max(relative * |exact|, absolute).
struct Bound {
    char const* mnemonic;
    Function exact;
    double from, to;  // of |x|
    bool takes_negative;
    double relative, absolute;
};
constexpr double tiny = 0x1p-149, huge = 0x1.fffffep127, two_pi = 0x1.921fb4p+2, hundred_pi = 0x1.3a28c4p+8;
Bound const bounds[] = {
    {"rcp.approx", reciprocal, tiny, huge, true, 0x1p-23, 0},
    {"sqrt.approx", mpfr_sqrt, tiny, huge, false, 0x1p-23, 0},
    {"rsqrt.approx", mpfr_rec_sqrt, tiny, huge, false, 1.0718 * 0x1p-23, 0},  // 2^-22.9
    {"ex2.approx", mpfr_exp2, tiny, 160, true, 0x1p-22, 0},
    {"lg2.approx", mpfr_log2, tiny, 0.5, false, 0x1p-22, 0},
    {"lg2.approx", mpfr_log2, 0.5, 2, false, 0, 0x1p-22},
    {"lg2.approx", mpfr_log2, 2, huge, false, 0x1p-22, 0},
    {"sin.approx", mpfr_sin, tiny, two_pi, true, 0, 0x1.6a0ap-21},  // 2^-20.5
    {"cos.approx", mpfr_cos, tiny, two_pi, true, 0, 0x1.6a0ap-21},
    {"sin.approx", mpfr_sin, two_pi, hundred_pi, true, 0, 0x1.3afcp-15},  // 2^-14.7
    {"cos.approx", mpfr_cos, two_pi, hundred_pi, true, 0, 0x1.3afcp-15},
    {"tanh.approx", mpfr_tanh, tiny, huge, true, 0x1p-11, 0},
};

std::size_t rounds() { return (std::getenv("WARPSIM_NIGHTLY") != nullptr ? 1000000u : 10000u) / warp_size + 1; }

class Exact {
public:
    Exact() { mpfr_inits2(80, x_, y_, result_, nullptr); }
    ~Exact() { mpfr_clears(x_, y_, result_, nullptr); }
    Exact(Exact const&) = delete;
    Exact& operator=(Exact const&) = delete;

    /// The error of an approximation, and the exact result, both to good precision.
    double error(Function function, double x, double got, double& exact) {
        mpfr_set_d(x_, x, MPFR_RNDN);
        function(result_, x_, MPFR_RNDN);
        return difference(got, exact);
    }
    double error_of_quotient(double x, double y, double got, double& exact) {
        mpfr_set_d(x_, x, MPFR_RNDN);
        mpfr_set_d(y_, y, MPFR_RNDN);
        mpfr_div(result_, x_, y_, MPFR_RNDN);
        return difference(got, exact);
    }

private:
    double difference(double got, double& exact) {
        exact = mpfr_get_d(result_, MPFR_RNDN);
        mpfr_sub_d(result_, result_, got, MPFR_RNDN);
        return std::fabs(mpfr_get_d(result_, MPFR_RNDN));
    }

    mpfr_t x_, y_, result_;
};

double single(std::uint64_t bits) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

/// All magnitudes equally often, as bit patterns are distributed.
Lanes within(Random& random, Bound const& bound, bool ftz) {
    std::uint64_t const first = bits_of(ftz ? std::max(bound.from, 0x1p-126) : bound.from),
                        last = bits_of(bound.to);
    Lanes values;
    for (std::uint64_t& v : values) {
        std::uint64_t const r = random.next();
        v = first + (r >> 8) % (last - first + 1) + (bound.takes_negative ? (r & 1) << 31 : 0);
    }
    return values;
}

void check(Exact& exact, Random& random, Bound const& bound, bool ftz) {
    std::string const mnemonic = std::string(bound.mnemonic) + (ftz ? ".ftz" : "") + ".f32";
    auto const instruction = find(hosts().back(), mnemonic);
    INFO(mnemonic);
    REQUIRE(instruction.has_value());
    // Rounding costs up to half a place of the smallest number; flushing costs all of it.
    double const least = ftz ? 0x1p-126 : 0x1p-150;
    for (std::size_t round = 0; round < rounds(); ++round) {
        Lanes const source = within(random, bound, ftz);
        Lanes const result = run(*instruction, {source});
        for (std::size_t i = 0; i < warp_size; ++i) {
            double const x = single(source[i]), got = single(result[i]);
            double wanted = 0;
            double const error = exact.error(bound.exact, x, got, wanted);
            if (std::isinf(got) && std::fabs(wanted) >= 0x1.ffffffp127 && (got < 0) == (wanted < 0)) continue;
            if (error <= std::max({bound.relative * std::fabs(wanted), bound.absolute, least})) continue;
            FAIL(mnemonic << " of " << std::hexfloat << x << " is off by " << error << ": " << got << ", not "
                          << wanted);
        }
    }
}

}  // namespace

TEST_CASE("Approximate functions of f32 are as near to MPFR as the ISA says", "[isa]") {
    Exact exact;
    Random random;
    for (Bound const& bound : bounds) {
        for (bool const ftz : {false, true}) {
            if (ftz && std::string(bound.mnemonic) == "tanh.approx") continue;  // has no .ftz
            check(exact, random, bound, ftz);
        }
    }
    SUCCEED();
}

TEST_CASE("Approximate quotients are within two units of the last place", "[isa]") {
    Exact exact;
    Random random;
    for (char const* const mnemonic :
         {"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"}) {
        auto const instruction = find(hosts().back(), mnemonic);
        REQUIRE(instruction.has_value());
        bool const ftz = std::string(mnemonic).find(".ftz") != std::string::npos;
        for (std::size_t round = 0; round < rounds(); ++round) {
            Lanes a{}, b{};
            for (std::size_t i = 0; i < warp_size; ++i) {
                // Normal numbers; divisors only up to 2^126, where div.approx guarantees something.
                a[i] = (random.next() & 0x807fffff) | (1 + random.next() % 253) << 23;
                b[i] = (random.next() & 0x807fffff) | (1 + random.next() % 252) << 23;
            }
            Lanes const result = run(*instruction, {a, b});
            for (std::size_t i = 0; i < warp_size; ++i) {
                double wanted = 0;
                double const got = single(result[i]);
                double const error = exact.error_of_quotient(single(a[i]), single(b[i]), got, wanted);
                if (std::isinf(got) && std::fabs(wanted) >= 0x1.ffffffp127) continue;
                double const place = std::ldexp(1.0, std::max(std::ilogb(wanted), -126) - 23);
                if (error <= (ftz ? std::max(2 * place, 0x1p-126) : 2 * place)) continue;
                FAIL(mnemonic << " of " << std::hexfloat << single(a[i]) << " and " << single(b[i]) << " gives "
                              << got);
            }
        }
    }
    SUCCEED();
}

TEST_CASE("Approximate functions of 16 bits are as near to MPFR as the ISA says, for every value", "[isa]") {
    Exact exact;
    struct Narrow {
        char const* mnemonic;
        Type type;
        Function function;
        double relative, absolute;
    };
    Narrow const functions[] = {{"tanh.approx.f16", Type::f16, mpfr_tanh, 0, 0x1.024p-11},  // 2^-10.987
                                {"tanh.approx.bf16", Type::bf16, mpfr_tanh, 0, 0x1p-8},
                                {"ex2.approx.f16", Type::f16, mpfr_exp2, 0x1.1249p-10, 0x1p-25},  // 2^-9.9
                                {"ex2.approx.ftz.bf16", Type::bf16, mpfr_exp2, 0x1p-7, 0x1p-126}};
    for (Narrow const& f : functions) {
        for (HostIsa const host : hosts()) {
            auto const instruction = find(host, f.mnemonic);
            REQUIRE(instruction.has_value());
            for (std::size_t first = 0; first < 0x10000; first += warp_size) {
                Lanes source;
                for (std::size_t i = 0; i < warp_size; ++i) source[i] = first + i;
                Lanes const result = run(*instruction, {source});
                for (std::size_t i = 0; i < warp_size; ++i) {
                    double const x = number_of(source[i], f.type), got = number_of(result[i], f.type);
                    if (std::isnan(x)) {
                        if (result[i] != 0x7fff)
                            FAIL(f.mnemonic << " of NaN " << std::hex << source[i] << " gives " << result[i]);
                        continue;
                    }
                    double wanted = 0;
                    double const error = exact.error(f.function, x, got, wanted);
                    double const overflow = f.type == Type::f16 ? 65519.0 : 0x1.fefp127;
                    if (std::isinf(got) && wanted >= overflow) continue;
                    if (error <= std::max(f.relative * std::fabs(wanted), f.absolute)) continue;
                    FAIL(f.mnemonic << " of " << x << " on " << name(host) << " gives " << got << ", not "
                                    << wanted);
                }
            }
        }
    }
    SUCCEED();
}

}  // namespace approximate_errors_test

#else

TEST_CASE("Approximate functions are not compared with MPFR, which this build does not have", "[isa]") {
    SUCCEED();
}

#endif
