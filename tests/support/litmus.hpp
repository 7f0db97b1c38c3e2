// Litmus tests of the memory model: a few threads with a few memory operations each, and the outcomes that are
// forbidden. tests/litmus/README.md says what a test file holds.
#pragma once

#include "runtime/launch.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::test {

/// The result of one instance of a test: registers r0.. of each thread, and the final values of the variables.
struct Outcome {
    std::vector<std::uint32_t> registers;  // 4 of each thread
    std::vector<std::uint32_t> variables;
    auto operator<=>(Outcome const&) const = default;
};

/// Some values of an outcome, as "1:r0=1 1:r1=0 x=2" names them: indices into registers, then into variables.
using Condition = std::vector<std::pair<std::size_t, std::uint32_t>>;

struct LitmusTest {
    std::string name;
    std::string title;
    std::string judged;    // why it has a data race, or has none
    bool is_racy = false;  // in some execution
    std::vector<std::string> variables;
    unsigned cell = 4;  // bytes of a variable
    std::vector<std::string> scopes{"cta", "gpu", "sys"};
    bool in_global = true, in_shared = true;    // where its variables may be
    std::vector<std::vector<unsigned>> places;  // each lists the CTA of every thread
    bool in_one_warp = false;                   // as lanes of one warp, too
    bool lanes_wait = false;  // lanes of a warp wait for each other: not under the reconvergence stack
    std::vector<std::vector<std::string>> threads;  // lines of PTX
    std::vector<Condition> forbidden;
    std::vector<Condition> seen;  // must be seen when one host thread interleaves the threads
};
LitmusTest parse_litmus(std::string const& name, std::string const& text);
std::vector<LitmusTest> read_litmus_tests();

/// An engine that runs tests, and how long.
struct LitmusEngine {
    std::string name;
    runtime::DeviceOptions options;
    std::vector<std::string> overrides;  // of the configuration
    unsigned rounds = 64;
    unsigned rounds_between_meetings = 1;  // threads wait for each other after this many rounds
};

/// One way to run a test.
struct LitmusSetting {
    std::vector<unsigned> ctas;  // of each thread; empty: all in one warp
    std::string scope = "gpu";
    std::string space = ".global";  // of the variables: .global .shared or "" for generic addresses
    bool spread = false;            // a cache line for each variable
    unsigned seed = 1;
};
std::vector<LitmusSetting> settings(LitmusTest const& test);
std::string describe(LitmusSetting const& setting);

/// How often each outcome was seen.
using Outcomes = std::map<Outcome, std::uint64_t>;
Outcomes run_litmus(LitmusTest const& test, LitmusSetting const& setting, LitmusEngine const& engine);

bool holds(Condition const& condition, Outcome const& outcome, LitmusTest const& test);
/// The forbidden outcomes that were seen, as text; "" when there are none.
std::string violations(LitmusTest const& test, Outcomes const& outcomes);

}  // namespace warpsim::test
