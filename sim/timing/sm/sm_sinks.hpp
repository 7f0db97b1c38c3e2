// What listens to an SM when more than totals are asked for: which instruction issued and waited, and how the counts
// changed over time.
#pragma once

#include "sim/events.hpp"
#include "sim/timing/memory/intervals.hpp"
#include "sim/timing/plan/timing_plan.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

using sim::CodePlace;

/// Counts for each instruction of a plan.
class InstructionProfile final : public sim::EventSink {
public:
    struct Counts {
        std::uint64_t micro_ops = 0;
        std::array<std::uint64_t, sim::stall_reasons> stalls{};  // warp cycles
    };
    explicit InstructionProfile(TimingPlan const& plan);

    sim::EventMask wants() const override {
        return sim::event_mask(sim::EventKind::micro_op, sim::EventKind::stall);
    }
    void micro_op(sim::MicroOpEvent const& event) override { ++at(event.place).micro_ops; }
    void stalls(sim::StallEvent const& event) override;
    Counts const& at(CodePlace place) const { return counts_[first_[place.function] + place.instruction]; }
    template <class Archive> void state(Archive& archive) { archive(counts_); }

private:
    Counts& at(CodePlace place) { return counts_[first_[place.function] + place.instruction]; }

    std::vector<std::size_t> first_;  // per function
    std::vector<Counts> counts_;
};

/// The counts in each interval of the run. Stalls are distributed over the intervals in which warps waited; the others
/// follow from the totals at the end of each interval.
class IntervalSamples final : public sim::EventSink {
public:
    IntervalSamples(Cycle length, Cycle begin) : intervals(length, begin) {}

    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::stall); }
    void stalls(sim::StallEvent const& event) override;
    void was_resident(Cycle from, Cycle until);

    Intervals intervals;
};

}  // namespace warpsim::timing
