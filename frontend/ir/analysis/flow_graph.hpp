// The edges between the blocks of a function, as the analyses walk them.
#pragma once

#include "frontend/ir/analysis/lists.hpp"
#include "frontend/ir/module.hpp"

namespace warpsim::ir {

/// Per block those that control may go to next.
Lists successors_of(Function const& function);

/// The same edges against their direction: per node those that lead to it, in ascending order.
Lists reversed(Lists const& successors);

}  // namespace warpsim::ir
