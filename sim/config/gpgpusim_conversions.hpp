// What converts the keys of gpgpusim.config: functions that the table names.
#pragma once

#include "sim/config/gpgpusim_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim::gpgpusim {

/// A key whose first number is ours.
template <std::size_t N> struct Name {
    char text[N];
    constexpr Name(char const (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT: "..." as an argument
};
template <Name theirs, Name ours, std::uint64_t divisor = 1> void same(Conversion& c) {
    if (auto const n = c.number(theirs.text)) c.set(ours.text, *n / divisor, theirs.text);
}

/// Latency and interval of a unit.
template <Name latency, Name interval, Name unit> void set_unit(Conversion& c) {
    std::string const path = std::string("sm.units.") + unit.text;
    if (auto const n = c.number(latency.text)) c.set(path + ".latency_cycles", *n, latency.text);
    if (auto const n = c.number(interval.text)) c.set(path + ".issue_interval_cycles", *n, interval.text);
}

/// "4,2": both, as the trace-driven mode of Accel-Sim is told.
template <Name theirs, Name unit> void set_traced_unit(Conversion& c) {
    std::vector<std::uint64_t> const n = c.numbers(theirs.text);
    if (n.size() != 2) return;
    std::string const path = std::string("sm.units.") + unit.text;
    c.set(path + ".latency_cycles", std::max<std::uint64_t>(n[0], 1), theirs.text);
    c.set(path + ".issue_interval_cycles", std::max<std::uint64_t>(n[1], 1), theirs.text);
}

/// What the unit is follows from its name, the last part of the first key.
void set_specialized_unit(Conversion& c, std::string_view unit, std::string_view times);
template <Name unit, Name times> void set_specialized(Conversion& c) {
    set_specialized_unit(c, unit.text, times.text);
}

void set_sms(Conversion& c);
void set_threads(Conversion& c);
void set_scheduler(Conversion& c);
void set_clocks(Conversion& c);
void set_carve_outs(Conversion& c);
void set_shared_of_cta(Conversion& c);
void set_l1(Conversion& c);
void set_l2(Conversion& c);
void set_slices(Conversion& c);
void set_register_banks(Conversion& c);
void set_l2_latency(Conversion& c);
void set_flits(Conversion& c);
void set_bus(Conversion& c);
void set_dram_queue(Conversion& c);
void set_dram_timing(Conversion& c);
void set_write_queue(Conversion& c);
void set_partition_queues(Conversion& c);
void set_cta_launch(Conversion& c);
void set_control_flow(Conversion& c);
void set_issue(Conversion& c);
void set_capability(Conversion& c);
void set_topology(Conversion& c);

}  // namespace warpsim::sim::gpgpusim
