// The race checker judges each litmus test as the model's axioms do; the files say how, and why.
#include "runtime/check/checkers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/litmus.hpp"

#include <string>
#include <vector>

namespace litmus_race_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::vector<check::Finding> races_of(LitmusTest const& test, LitmusSetting const& setting) {
    check::Options options;
    options.kinds = {check::Kind::race};
    options.print_limit = 0;
    check::Checkers checkers(options);
    LitmusEngine engine;
    engine.options.threads = 1;
    engine.options.turn_instructions = 9;
    engine.rounds = 8;
    checkers.observe(engine.options);
    run_litmus(test, setting, engine);
    return checkers.findings().all();
}

}  // namespace

TEST_CASE("The race checker judges litmus tests as the memory model does", "[check]") {
    for (LitmusTest const& test : read_litmus_tests()) {
        for (LitmusSetting const& setting : settings(test)) {
            INFO(test.name << ", " << describe(setting) << ": " << (test.is_racy ? "racy, " : "race-free, ")
                           << test.judged);
            auto const found = races_of(test, setting);
            for (check::Finding const& finding : found) UNSCOPED_INFO(check::to_text(finding));
            // Lanes of a warp take turns at branches: those that write come first, and the others see what they released.
            if (!test.is_racy) CHECK(found.empty());
            else if (!setting.ctas.empty()) CHECK(!found.empty());
        }
    }
}

}  // namespace litmus_race_test
