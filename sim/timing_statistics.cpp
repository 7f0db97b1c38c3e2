#include "sim/timing_statistics.hpp"

namespace warpsim::sim {

std::string_view name(StallReason reason) {
    // clang-format off
    static constexpr std::string_view names[] = {
        "wait", "long_scoreboard", "short_scoreboard", "barrier", "membar", "math_pipe_throttle", "lg_throttle", "mio_throttle", "tex_throttle",
        "gmma", "dispatch_stall", "imc_miss", "no_instruction", "branch_resolving", "sleeping", "drain", "not_selected"};
    // clang-format on
    return names[static_cast<std::size_t>(reason)];
}

std::optional<double> TimingCounts::dram_bandwidth() const {
    double const seconds = static_cast<double>(cycles) / static_cast<double>(std::uint64_t{clock_mhz} * 1'000'000);
    double const bytes = 32.0 * static_cast<double>(dram.read_sectors + dram.written_sectors);
    if (!(seconds > 0)) return {};
    return bytes / seconds / 1e9;
}

std::optional<double> TimingCounts::dram_utilization() const {
    double const seconds = static_cast<double>(cycles) / static_cast<double>(std::uint64_t{clock_mhz} * 1'000'000);
    double const bus_cycles = seconds * dram_clock_mhz * 1e6 * dram_channels;
    if (!(bus_cycles > 0)) return {};
    return static_cast<double>(dram.busy_cycles) / bus_cycles;
}

std::optional<double> TimingCounts::average_watts() const {
    double const seconds = static_cast<double>(cycles) / static_cast<double>(std::uint64_t{clock_mhz} * 1'000'000);
    if (!(seconds > 0)) return {};
    return energy.total() / seconds;
}

std::string_view energy_name(std::size_t part) {
    static constexpr std::string_view names[] = {"constant", "sms",    "alu", "fma",    "fp16", "fp64",
                                                 "sfu",      "tensor", "l1",  "shared", "l2",   "dram"};
    return names[part];
}

bool is_of_last(StallReason reason) {
    return reason == StallReason::barrier || reason == StallReason::membar || reason == StallReason::sleeping ||
           reason == StallReason::branch_resolving || reason == StallReason::drain;
}

}  // namespace warpsim::sim
