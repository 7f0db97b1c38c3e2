// What an SM records when more than totals are asked for: which instruction issued and waited, and how the counts
// changed over time. Without such a request an SM has none of this.
#pragma once

#include "sim/timing/memory/intervals.hpp"
#include "sim/timing/plan/timing_plan.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// An instruction of the kernel or of a function that it calls.
struct CodePlace {
    std::uint32_t function = 0;  // of TimingPlan::functions
    std::uint32_t instruction = 0;
};

/// Counts for each instruction of a plan.
class InstructionProfile {
public:
    struct Counts {
        std::uint64_t micro_ops = 0;
        std::array<std::uint64_t, sim::stall_reasons> stalls{};  // warp cycles
    };
    explicit InstructionProfile(TimingPlan const& plan);
    Counts& at(CodePlace place) { return counts_[first_[place.function] + place.instruction]; }
    Counts const& at(CodePlace place) const { return counts_[first_[place.function] + place.instruction]; }

private:
    std::vector<std::size_t> first_;  // per function
    std::vector<Counts> counts_;
};

struct ObservationOptions {
    bool profile = false;
    Cycle interval = 0;  // 0: no samples
    Cycle begin = 0;     // of the first interval

    bool is_wanted() const { return profile || interval != 0; }
};

class Observation {
public:
    Observation(TimingPlan const& plan, ObservationOptions const& options);

    void issued(CodePlace place);
    /// A warp waited from `from` until `until`, between the instruction `last` that it had issued and `next`.
    void waited(CodePlace last, CodePlace next, sim::StallReason reason, Cycle from, Cycle until);
    void was_resident(Cycle from, Cycle until);

    Intervals& intervals() { return intervals_; }
    InstructionProfile const& profile() const { return profile_; }

private:
    bool profiles_;
    InstructionProfile profile_;
    Intervals intervals_;
};

}  // namespace warpsim::timing
