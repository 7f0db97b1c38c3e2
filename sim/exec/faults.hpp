// Faults of the threads of a launch: which thread caused one, and where.
#pragma once

#include "sim/exec/fault.hpp"
#include "sim/exec/memory_model.hpp"
#include "sim/exec/warp.hpp"

#include <string>
#include <string_view>

namespace warpsim::sim {

/// "kernel.ptx:41:  bar.sync 0;" for an op, with its source line; "lanes 0-3,7" for a mask.
std::string line_of(ir::Module const& module, FunctionPlan const& function, std::uint32_t pc);
std::string lanes_text(LaneMask lanes);

/// The two kinds of deadlock: nothing can continue, or what continues repeats the same states (a livelock).
Fault blocked(LaunchContext const& launch, std::string details);
Fault livelock(LaunchContext const& launch, std::string details);

/// The thread that issues an operation of one lane.
struct Issue {
    Cta& cta;
    Warp& warp;
    Op const& op;
    int lane;
};

class Faults {
public:
    explicit Faults(LaunchContext const& launch) : launch_(launch) {}

    /// A fault without a text: which thread, at which instruction.
    Fault blame(Cta const& cta, Warp const& warp, Op const& op, int lane) const;
    [[noreturn]] void raise(Cta const& cta, Warp const& warp, Op const& op, int lane, FaultKind kind,
                            std::string what, std::string details = {}) const;
    /// For what takes effect later than it was issued.
    Fault fault_of(Culprit const& by, std::string what) const;
    Culprit culprit(Issue const& by) const;
    std::string call_trace(Warp const& warp) const;
    /// Reports lanes that break the promise of `.uni`, if the instruction makes it.
    void check_uniform(Cta const& cta, Warp const& warp, Op const& op, LaneMask some, LaneMask others,
                       std::string_view what) const;

private:
    LaunchContext const& launch_;
};

}  // namespace warpsim::sim
