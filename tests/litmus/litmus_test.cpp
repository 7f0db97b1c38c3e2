// The litmus tests of tests/, on every engine: no forbidden outcome, ever. See README.md.
#include "tests/support/catch.hpp"
#include "tests/support/litmus.hpp"

namespace litmus_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

#ifdef WARPSIM_SANITIZED
// What a sanitizer finds, it finds in a few of them.
constexpr unsigned rounds = 16;
constexpr std::size_t one_setting_of = 4;
#else
constexpr unsigned rounds = 64;
constexpr std::size_t one_setting_of = 1;
#endif
constexpr bool sees_all = one_setting_of == 1;

std::vector<std::string> const on_stack{"sm.control_flow=stack"};

/// The functional engine. One host thread takes short turns among warps and CTAs, with the same switches in every
/// run; with several host threads, the host decides.
LitmusEngine functional(int threads, std::uint64_t turn) {
    LitmusEngine engine;
    engine.name = "functional, host threads: " + std::to_string(threads) + ", turns of " + std::to_string(turn) +
                  " instructions";
    engine.options.threads = threads;
    engine.options.turn_instructions = turn;
    if (threads > 1) engine.rounds_between_meetings = 16;
    engine.rounds = rounds;
    return engine;
}

void run_all(std::vector<LitmusEngine> const& engines, bool must_see) {
    std::size_t at = 0;
    for (LitmusTest const& test : read_litmus_tests()) {
        Outcomes all;
        if (test.lanes_wait && engines.front().overrides == on_stack) continue;
        for (LitmusEngine const& engine : engines) {
            for (LitmusSetting const& setting : settings(test)) {
                if (at++ % one_setting_of != 0) continue;
                INFO(test.name << " (" << test.title << ") " << describe(setting) << "; " << engine.name);
                Outcomes const outcomes = run_litmus(test, setting, engine);
                CHECK(violations(test, outcomes) == "");
                all.insert(outcomes.begin(), outcomes.end());
            }
        }
        if (!must_see) continue;
        for (std::size_t i = 0; i < test.seen.size(); ++i) {
            INFO(test.name << ", outcome " << i + 1 << " to be seen");
            bool seen = false;
            for (auto const& [outcome, count] : all) seen = seen || holds(test.seen[i], outcome, test);
            CHECK(seen);
        }
    }
}

/// The timing engine, in which every interleaving follows from delays; the length of epochs is varied to change
/// it.
LitmusEngine timing(int threads, std::uint32_t epoch_divisor, std::uint64_t seed) {
    LitmusEngine engine;
    engine.name = "timing, host threads: " + std::to_string(threads) + ", epochs cut by " +
                  std::to_string(epoch_divisor) + ", seed " + std::to_string(seed);
    engine.options.mode = runtime::Mode::timing;
    engine.options.threads = threads;
    engine.options.timing_epoch_divisor = epoch_divisor;
    engine.options.timing_permutation_seed = seed;
    engine.rounds = 4;
    return engine;
}

std::string const message_passing = R"(
variables x y
where cta grid
thread
    st.relaxed.$scope.$space.u32 [x], 1;
    st.release.$scope.$space.u32 [y], 1;
thread
    ld.acquire.$scope.$space.u32 r0, [y];
    ld.relaxed.$scope.$space.u32 r1, [x];
forbid 1:r0=1 1:r1=0
)";

/// The forbidden outcomes of a test that were seen, in all its settings with one host thread.
std::string seen_of(std::string const& text) {
    LitmusTest const test = parse_litmus("own", text);
    std::string seen;
    for (LitmusSetting const& setting : settings(test))
        seen += violations(test, run_litmus(test, setting, functional(1, 12)));
    return seen;
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("Litmus tests show no forbidden outcome when one host thread interleaves finely", "[litmus]") {
    run_all({functional(1, 1), functional(1, 9), functional(1, 40)}, sees_all);
}

TEST_CASE("Litmus tests show no forbidden outcome under the reconvergence stack", "[litmus]") {
    LitmusEngine engine = functional(1, 5);
    engine.overrides = on_stack;
    run_all({engine}, false);
}

TEST_CASE("Litmus tests show no forbidden outcome on two host threads", "[litmus]") {
    run_all({functional(2, 0), functional(2, 30)}, false);
}

TEST_CASE("Litmus tests show no forbidden outcome on four host threads", "[litmus]") {
    run_all({functional(4, 20)}, false);
}

TEST_CASE("Litmus tests show no forbidden outcome in timing mode", "[litmus]") {
    run_all({timing(1, 1, 0)}, false);
}

TEST_CASE("Litmus tests show no forbidden outcome in timing mode with short epochs on two host threads",
          "[litmus]") {
    run_all({timing(2, 3, 7)}, false);
}

TEST_CASE("The litmus harness sees what reordered accesses would show", "[litmus]") {
    CHECK(seen_of(message_passing) == "");
    // The reader's loads in reverse order.
    std::string reversed = replaced(message_passing, "u32 r0, [y]", "u32 r1, [x]");
    reversed = replaced(reversed, "ld.relaxed.$scope.$space.u32 r1, [x]", "ld.relaxed.$scope.$space.u32 r0, [y]");
    CHECK(seen_of(reversed) != "");
    // The writer's stores in reverse order.
    std::string early = replaced(message_passing, "u32 [x], 1", "u32 [z], 1");
    early = replaced(early, "u32 [y], 1", "u32 [x], 1");
    early = replaced(early, "u32 [z], 1", "u32 [y], 1");
    CHECK(seen_of(early) != "");
}

TEST_CASE("The litmus harness sees outcomes that a file forbids wrongly", "[litmus]") {
    CHECK(seen_of(message_passing + "forbid 1:r0=1 1:r1=1\n") != "");
    CHECK(seen_of(message_passing + "forbid 1:r0=0 1:r1=1\n") != "");
    CHECK(seen_of(message_passing + "forbid x=1 y=1\n") != "");
    CHECK(seen_of(message_passing + "forbid x=0\n") == "");
}

}  // namespace litmus_test
