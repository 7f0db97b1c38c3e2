// The edges between the blocks of a function, as the analyses walk them.
#pragma once

#include "frontend/ir/analysis/lists.hpp"
#include "frontend/ir/module.hpp"

namespace warpsim::ir {

/// For each block, the blocks that control may go to next.
Lists successors_of(Function const& function);

/// The same edges reversed: for each node its predecessors, in ascending order.
Lists reversed(Lists const& successors);

}  // namespace warpsim::ir
