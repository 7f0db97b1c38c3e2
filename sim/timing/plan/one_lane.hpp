// Where at most one lane of a warp comes, as a compiler sees it: behind a comparison with a number that each lane has its own of.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/divergence.hpp"

#include <vector>

namespace warpsim::timing {

class OneLane {
public:
    OneLane(MachineFunction const& m, Divergence const& divergence, ir::DominatorTree const& dominators);

    bool comes_to(std::uint32_t i) const;

private:
    /// A number that each lane has its own of. Looks no deeper than so many sums: a register may be computed from itself.
    bool is_own(ir::Operand const& o, int depth = 8) const;
    bool is_same(ir::Operand const& o) const;
    /// The predicate is true in one lane at most, or false: `when`.
    bool is_of_one(std::uint32_t predicate, bool when) const;

    MachineFunction const& m_;
    Divergence const& divergence_;
    std::vector<bool> is_alone_;  // per block
};

}  // namespace warpsim::timing
