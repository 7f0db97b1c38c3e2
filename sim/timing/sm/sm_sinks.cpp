#include "sim/timing/sm/sm_sinks.hpp"

namespace warpsim::timing {

InstructionProfile::InstructionProfile(TimingPlan const& plan) {
    std::size_t count = 0;
    for (FunctionTiming const& f : plan.functions) {
        first_.push_back(count);
        count += f.instructions.size();
    }
    counts_.resize(count);
}

void InstructionProfile::stalls(sim::StallEvent const& event) {
    Counts& counts = at(sim::is_of_last(event.reason) ? event.last : event.next);
    counts.stalls[static_cast<std::size_t>(event.reason)] += event.until - event.from;
}

void IntervalSamples::stalls(sim::StallEvent const& event) {
    intervals.spread(event.from, event.until, [&](sim::IntervalSample& s, Cycle cycles) {
        s.stalls[static_cast<std::size_t>(event.reason)] += cycles;
    });
}

void IntervalSamples::was_resident(Cycle from, Cycle until) {
    intervals.spread(from, until, [](sim::IntervalSample& s, Cycle cycles) { s.resident_warp_cycles += cycles; });
}

}  // namespace warpsim::timing
