// Findings about synchronisation, put into words once for all that are alike.
#pragma once

#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/findings.hpp"
#include "sim/events.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::check {

/// A thread at an instruction.
struct Doer {
    std::array<std::uint32_t, 3> cta{};
    std::uint32_t thread = 0;  // of the CTA
    Instruction instruction;
};
Doer doer_of(sim::Site const& site, int lane);

/// Tells apart what may be wrong at one instruction.
enum class MisuseSort : std::uint8_t {
    divergent,  // barriers
    mixed,
    unfilled,
    never_waited,  // copies
    made_again,    // mbarriers
    overwritten,
    unfenced,
    unmet,
    unordered,
    unwaited,
    outlived,  // clusters
    absent     // operations of a warp
};

/// What is wrong.
struct Misuse {
    char const* what;     // the same for all of its sort
    std::string message;  // one sentence
    char const* verb = "";
    std::optional<Doer> other = std::nullopt;
    char const* other_verb = "";
    std::vector<std::string> notes = {};  // what would be right
};

class Reporter {
public:
    explicit Reporter(Findings& findings) : findings_(findings) {}

    void begin(sim::LaunchContext const& launch) { launch_ = &launch; }
    void end() { launch_ = nullptr; }
    sim::LaunchContext const& launch() const { return *launch_; }
    /// `words` is asked for the first of its like only.
    void add(MisuseSort sort, Doer const& by, std::function<Misuse()> const& words);

private:
    Findings& findings_;
    sim::LaunchContext const* launch_ = nullptr;
};

}  // namespace warpsim::check
