#include "sim/timing/sm/observation.hpp"

namespace warpsim::timing {

namespace {

/// Whether the warp waits because of what it has issued, and not for what the next instruction needs.
bool is_of_last(sim::StallReason reason) {
    using sim::StallReason;
    return reason == StallReason::barrier || reason == StallReason::membar || reason == StallReason::sleeping ||
           reason == StallReason::branch_resolving || reason == StallReason::drain;
}

}  // namespace

InstructionProfile::InstructionProfile(TimingPlan const& plan) {
    std::size_t count = 0;
    for (FunctionTiming const& f : plan.functions) {
        first_.push_back(count);
        count += f.instructions.size();
    }
    counts_.resize(count);
}

Observation::Observation(TimingPlan const& plan, ObservationOptions const& options)
    : profiles_(options.profile),
      profile_(options.profile ? plan : TimingPlan()),
      intervals_(options.interval, options.begin) {}

void Observation::issued(CodePlace place) {
    if (profiles_) ++profile_.at(place).micro_ops;
}

void Observation::waited(CodePlace last, CodePlace next, sim::StallReason reason, Cycle from, Cycle until) {
    auto const r = static_cast<std::size_t>(reason);
    if (profiles_) profile_.at(is_of_last(reason) ? last : next).stalls[r] += until - from;
    if (intervals_.wanted())
        intervals_.spread(from, until, [&](sim::IntervalSample& s, Cycle cycles) { s.stalls[r] += cycles; });
}

void Observation::was_resident(Cycle from, Cycle until) {
    if (!intervals_.wanted()) return;
    intervals_.spread(from, until, [](sim::IntervalSample& s, Cycle cycles) { s.resident_warp_cycles += cycles; });
}

}  // namespace warpsim::timing
