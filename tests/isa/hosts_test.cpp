// Every lane function of the table, whatever it computes: the same bits on every host instruction set, and under
// any mask the result that each lane has alone.
#include "frontend/isa/effect.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/isa_instruction.hpp"

#include <cstdlib>
#include <string>

namespace hosts_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

struct Function {
    LaneFunction Variant::*member;
    std::uint64_t immediate;
    char const* what;
};
constexpr Function functions[] = {
    {&Variant::run, 0, ""},
    {&Variant::run_ftz, 0, " .ftz"},
    {&Variant::run_directed, static_cast<std::uint64_t>(Rounding::rm), " .rm"},
    {&Variant::run_directed, static_cast<std::uint64_t>(Rounding::rz), " .rz"},
    {&Variant::run_directed_ftz, static_cast<std::uint64_t>(Rounding::rp), " .rp.ftz"},
};

std::vector<Lanes> sources_of(Variant const& variant, Random& random) {
    std::vector<Lanes> sources;
    for (std::size_t i = 0; i < variant.source_count; ++i) sources.push_back(random.values(variant.sources[i]));
    return sources;
}

std::string text(Row const& row, Variant const& variant, char const* what) {
    std::string types;
    for (Type const type : variant.types) {
        if (type != Type::none) types += " ." + std::string(name(type));
    }
    return std::string(row.syntax) + types + " #" + std::to_string(variant.selector) + what;
}

/// Calls f(row index, variant index, function) for every lane function of the baseline.
template <class F> void for_each_function(F f) {
    std::vector<Row> const& all = rows(HostIsa::baseline);
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r].effect != Effect::lanes) continue;
        for (std::size_t v = 0; v < all[r].variants.size(); ++v) {
            for (Function const& function : functions) {
                if (all[r].variants[v].*function.member != nullptr) f(r, v, function);
            }
        }
    }
}

/// Ten thousand values of every function with WARPSIM_NIGHTLY in the environment.
int rounds() { return std::getenv("WARPSIM_NIGHTLY") != nullptr ? 313 : 10; }

}  // namespace

TEST_CASE("Every lane function gives the same bits on every host", "[isa]") {
    std::vector<HostIsa> const all = hosts();
    Random random;
    for_each_function([&](std::size_t r, std::size_t v, Function const& function) {
        Row const& row = rows(HostIsa::baseline)[r];
        for (int round = 0; round < rounds(); ++round) {
            std::vector<Lanes> const sources = sources_of(row.variants[v], random);
            Lanes first{};
            LaneMask first_carry = 0;
            for (HostIsa const host : all) {
                Row const& own = rows(host)[r];
                Variant const& variant = own.variants[v];
                Instruction const instruction{&own, &variant, variant.*function.member, nullptr,
                                              function.immediate};
                LaneMask carry = 0;
                Lanes const result = run(instruction, sources, all_lanes, &carry);
                if (host == all.front()) {
                    first = result;
                    first_carry = carry;
                }
                bool same = carry == first_carry;
                for (std::size_t i = 0; i < warp_size; ++i) {
                    if (result[i] == first[i]) continue;
                    same = false;
                    UNSCOPED_INFO("lane " << i << ": " << std::hex << result[i] << ", not " << first[i]);
                    for (Lanes const& source : sources) UNSCOPED_INFO("  source " << std::hex << source[i]);
                    break;
                }
                INFO(text(own, variant, function.what) << " on " << name(host));
                CHECK(same);
            }
        }
    });
}

TEST_CASE("Every lane function gives under a mask what each lane gives alone", "[isa]") {
    Random random;
    for (HostIsa const host : hosts()) {
        for_each_function([&](std::size_t r, std::size_t v, Function const& function) {
            Row const& row = rows(host)[r];
            Variant const& variant = row.variants[v];
            Instruction const instruction{&row, &variant, variant.*function.member, nullptr, function.immediate};
            std::vector<Lanes> const sources = sources_of(variant, random);
            LaneMask const mask = random.mask();
            LaneMask carry = 0;
            Lanes const together = run(instruction, sources, mask, &carry);
            bool same = true;
            for (std::size_t i = 0; i < warp_size; ++i) {
                LaneMask const lane = 1u << i;
                if ((mask & lane) == 0) continue;
                LaneMask own_carry = 0;
                Lanes const alone = run(instruction, sources, lane, &own_carry);
                same = same && alone[i] == together[i] && own_carry == (carry & lane);
            }
            INFO(text(row, variant, function.what) << " on " << name(host));
            CHECK(same);
        });
    }
}

}  // namespace hosts_test
