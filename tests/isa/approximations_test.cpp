// The approximate functions stay inside the errors that the PTX ISA documents, over their whole range.
#include "tests/support/catch.hpp"
#include "tests/support/isa_instruction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace approximations_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

struct Bound {
    double relative;
    double absolute;
};

void check(std::string const& mnemonic, double (*exact)(double), float from, float to, Bound bound) {
    for (HostIsa const host : hosts()) {
        auto const instruction = find(host, mnemonic);
        INFO(mnemonic << " on " << name(host));
        REQUIRE(instruction.has_value());
        // Even steps through the bit patterns cover all magnitudes; a prime step repeats no pattern.
        auto const first = std::bit_cast<std::uint32_t>(from), last = std::bit_cast<std::uint32_t>(to);
        std::uint32_t const step = (last - first) / 20011 + 1;
        for (std::uint64_t at = first; at <= last; at += std::uint64_t{step} * warp_size) {
            Lanes source;
            for (std::size_t i = 0; i < warp_size; ++i) source[i] = std::min<std::uint64_t>(at + step * i, last);
            Lanes const result = run(*instruction, {source});
            for (std::size_t i = 0; i < warp_size; ++i) {
                double const x = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(source[i])));
                double const got =
                    static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(result[i])));
                double const wanted = exact(x);
                // Rounding costs up to half a unit of the smallest float.
                double const allowed = std::max({bound.relative * std::fabs(wanted), bound.absolute, 0x1p-150});
                if (std::fabs(got - wanted) <= allowed) continue;
                if (std::fabs(wanted) >= 0x1.ffffffp127 && std::isinf(got)) continue;
                FAIL(x << " gives " << got << ", not " << wanted);
            }
        }
    }
    SUCCEED(mnemonic);
}

void check_both_signs(std::string const& mnemonic, double (*exact)(double), float from, float to, Bound bound) {
    check(mnemonic, exact, from, to, bound);
    check(mnemonic, exact, -from, -to, bound);
}

}  // namespace

TEST_CASE("Approximate functions of f32 stay inside their documented errors", "[isa]") {
    float const tiny = 0x1p-149f;
    float const huge = 0x1.fffffep127f;
    check_both_signs("rcp.approx.f32", [](double x) { return 1 / x; }, tiny, huge, {0x1p-23, 0});
    check("sqrt.approx.f32", [](double x) { return std::sqrt(x); }, tiny, huge, {0x1p-23, 0});
    check("rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, tiny, huge,
          {1.0718 * 0x1p-23, 0});  // 2^-22.9
    check_both_signs("ex2.approx.f32", [](double x) { return std::exp2(x); }, tiny, 160.0f, {0x1p-22, 0});
    check("lg2.approx.f32", [](double x) { return std::log2(x); }, tiny, 0.5f, {0x1p-22, 0});
    check("lg2.approx.f32", [](double x) { return std::log2(x); }, 0.5f, 2.0f, {0, 0x1p-22});
    check("lg2.approx.f32", [](double x) { return std::log2(x); }, 2.0f, huge, {0x1p-22, 0});
    double const near_turns = 0x1.6a0ap-21;  // 2^-20.5
    check_both_signs("sin.approx.f32", [](double x) { return std::sin(x); }, tiny, 6.2831855f, {0, near_turns});
    check_both_signs("cos.approx.f32", [](double x) { return std::cos(x); }, tiny, 6.2831855f, {0, near_turns});
    double const far_turns = 0x1.3afcp-15;  // 2^-14.7
    check_both_signs("sin.approx.f32", [](double x) { return std::sin(x); }, 6.2831855f, 314.15927f,
                     {0, far_turns});
    check_both_signs("cos.approx.f32", [](double x) { return std::cos(x); }, 6.2831855f, 314.15927f,
                     {0, far_turns});
    check_both_signs("tanh.approx.f32", [](double x) { return std::tanh(x); }, tiny, huge, {0x1p-11, 0});
}

TEST_CASE("Sine and cosine stay between -1 and 1 for every angle", "[isa]") {
    Random random;
    for (HostIsa const host : hosts()) {
        for (char const* const mnemonic : {"sin.approx.f32", "cos.approx.f32"}) {
            auto const instruction = find(host, mnemonic);
            for (int round = 0; round < 300; ++round) {
                Lanes source = random.lanes();
                for (auto& v : source) v &= 0xff7fffff;
                Lanes const result = run(*instruction, {source});
                for (std::uint64_t const bits : result) {
                    REQUIRE(std::fabs(std::bit_cast<float>(static_cast<std::uint32_t>(bits))) <= 1.0f);
                }
            }
        }
    }
}

TEST_CASE("Approximate functions are the same to the bit on every host", "[isa]") {
    Random random;
    for (char const* const mnemonic : {"rcp.approx.f32", "sqrt.approx.f32", "rsqrt.approx.f32", "ex2.approx.f32",
                                       "lg2.approx.f32", "sin.approx.f32", "cos.approx.f32", "tanh.approx.f32"}) {
        for (int round = 0; round < 100; ++round) {
            Lanes const source = random.values(Type::f32);
            Lanes const first = run(*find(HostIsa::baseline, mnemonic), {source});
            for (HostIsa const host : hosts()) {
                INFO(mnemonic << " on " << name(host));
                REQUIRE(run(*find(host, mnemonic), {source}) == first);
            }
        }
    }
}

}  // namespace approximations_test
