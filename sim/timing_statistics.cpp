#include "sim/timing_statistics.hpp"

namespace warpsim::sim {

std::string_view name(StallReason reason) {
    static constexpr std::string_view names[] = {
        "wait", "long_scoreboard", "short_scoreboard", "barrier", "membar", "math_pipe_throttle", "lg_throttle", "imc_miss",
        "no_instruction", "branch_resolving", "sleeping", "not_selected"};
    return names[static_cast<std::size_t>(reason)];
}

}  // namespace warpsim::sim
