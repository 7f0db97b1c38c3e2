// The mistakes of seeded/ are found, and their correct twins are not accused of anything. See seeded/README.md.
#include "tests/check/checked_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

#include <algorithm>
#include <string>

namespace seeded_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

bool is_named(std::vector<check::Finding> const& findings, std::string const& text) {
    auto const names = [&](std::optional<check::Act> const& act) {
        return act &&
               (contains(act->ptx.text, text) ||
                (act->source && contains(act->source.file + ":" + std::to_string(act->source.number), text)));
    };
    return std::any_of(findings.begin(), findings.end(),
                       [&](check::Finding const& f) { return names(f.act) || names(f.other); });
}

std::string joined(std::vector<std::string> const& list) {
    std::string text;
    for (std::string const& one : list) text += (text.empty() ? "" : ", ") + one;
    return text;
}

}  // namespace

TEST_CASE("Mistakes that are put into kernels are found", "[check]") {
    for (Seed const& seed : read_seeds()) {
        INFO(seed.name << ": " << seed.title);
        auto const findings = findings_of(seed.mistake, seed.threads, seed.checked);
        for (check::Finding const& finding : findings) UNSCOPED_INFO(check::to_text(finding));
        CHECK(whats(findings) == joined(seed.found));
        for (std::string const& place : seed.places) {
            INFO("nothing is found at " << place);
            CHECK(is_named(findings, place));
        }
    }
}

TEST_CASE("Correct twins of mistakes are not accused of anything", "[check]") {
    for (Seed const& seed : read_seeds()) {
        INFO(seed.name << ": " << seed.title);
        auto const findings = findings_of(seed.twin, seed.threads, "memory,race,sync");
        for (check::Finding const& finding : findings) UNSCOPED_INFO(check::to_text(finding));
        CHECK(whats(findings).empty());
    }
}

}  // namespace seeded_test
