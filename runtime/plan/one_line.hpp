// Makes a plan from the words of the command line instead of a file: `--arg 1024 --arg f32[1024]=uniform:1`.
#pragma once

#include "runtime/plan/plan.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpsim::plan {

/// Adds one argument to the plan's launch. `text` is a number, TYPE=NUMBER, or TYPE[COUNT] with an optional =INIT,
/// which makes an array named "arg<i>" and passes its address. INIT is zero, fill:V, iota[:START[:STEP]],
/// uniform:SEED[:LOW[:HIGH]], values:A,B,... or file:PATH. Throws Error(usage) that quotes `text`.
void add_argument(LaunchPlan& plan, std::string_view text);

/// "4", "4,2" or "4,2,1". Throws Error(usage) naming `option`.
std::array<std::uint32_t, 3> parse_extent(std::string_view option, std::string_view text);

}  // namespace warpsim::plan
