// Every line of tests/isa/*.cases, on every host instruction set of this machine.
#include "frontend/isa/effect.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/isa_cases.hpp"
#include "tests/support/isa_instruction.hpp"

#include <set>
#include <string>

namespace cases_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

TEST_CASE("Instructions give the results of the case files", "[isa]") {
    Random random;
    std::vector<Case> const cases = read_cases();
    REQUIRE(cases.size() > 100);
    for (Case const& c : cases) {
        for (HostIsa const host : hosts()) {
            auto const instruction = find(host, c.mnemonic, c.sources.size());
            INFO(c.place << ": " << c.mnemonic << " on " << name(host));
            REQUIRE(instruction.has_value());
            Variant const& variant = *instruction->variant;
            REQUIRE(c.sources.size() == variant.source_count);
            std::vector<Lanes> sources;
            for (std::size_t i = 0; i < c.sources.size(); ++i) {
                sources.push_back(everywhere(value_of(c.sources[i], variant.sources[i])));
            }
            LaneMask const masks[] = {all_lanes, random.mask(), 1u << (random.next() % 32)};
            for (LaneMask const mask : masks) {
                Lanes const result = run(*instruction, sources, mask);
                for (std::size_t i = 0; i < warp_size; ++i) {
                    if ((mask >> i & 1) == 0) continue;
                    INFO("lane " << i << " is 0x" << std::hex << result[i]);
                    bool const is_right = agrees(result[i], c.result, variant.result);
                    CHECK(is_right);
                    if (!is_right) break;
                }
            }
        }
    }
}

TEST_CASE("Every executed row has a case", "[isa]") {
    std::set<std::string_view> seen;
    std::vector<Case> const cases = read_cases();
    for (Case const& c : cases) {
        if (auto const found = find(HostIsa::baseline, c.mnemonic, c.sources.size()))
            seen.insert(found->row->syntax);
    }
    std::string missing;
    for (Row const& row : rows(HostIsa::baseline)) {
        // The lines with BoolOp share the functions of those without.
        bool const combines =
            row.syntax.starts_with("set") && row.syntax.find(".BoolOp") != std::string_view::npos;
        if (row.effect == Effect::lanes && !combines && !seen.contains(row.syntax)) {
            missing += std::string(row.syntax) + "\n";
        }
    }
    INFO(missing);
    CHECK(missing.empty());
}

}  // namespace cases_test
