// The order of a block's instructions in which their values are given registers: by the longest path to the end of the block,
// restrained where too many registers would be live at once. How long pipelines are busy does not matter yet.
#pragma once

#include "sim/timing/plan/compiler_model.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <memory>
#include <span>
#include <vector>

namespace warpsim::timing {

/// How many values may be live before the scheduler prefers fewer to shorter waits: in general, and where a barrier follows,
/// at which all that is under way is waited for.
struct RegisterTargets {
    std::uint32_t usual = 0, before_barriers = 0;

    bool operator==(RegisterTargets const&) const = default;
};

/// Orders the blocks of a function, which keep their positions, with several targets in turn.
class Scheduler {
public:
    /// `live` describes what the hardware reads and writes.
    Scheduler(MachineFunction const& m, ir::BlockLiveness const& live, CompilerModel const& model);
    ~Scheduler();

    /// For each position the instruction that is put there; each block has a target. Those whose target is still the same
    /// are not ordered anew.
    std::vector<std::uint32_t> order(std::span<RegisterTargets const> targets);

private:
    class OfBlock;
    struct Ordered {
        RegisterTargets targets;
        std::vector<std::uint32_t> order;  // empty: not yet
    };
    std::unique_ptr<OfBlock> of_block_;
    std::vector<Ordered> blocks_;
};

/// The function with its instructions in that order, and all facts about them likewise; `function` takes its
/// place.
void reorder(MachineFunction& m, ir::Function& function, std::vector<std::uint32_t> const& order);

}  // namespace warpsim::timing
