// What is folded into the only instruction that uses it.
#pragma once

#include "sim/timing/plan/makers.hpp"

namespace warpsim::timing {

/// Predicates that become numbers and predicates again.
void fold_predicates(MachineFunction& m, Definitions const& d, Makers const& makers);

/// Sums of three, limits of three, logic of three and its test for zero, comparisons into logic on predicates, limits to 0 and 1, and
/// masks of bytes that are packed; counts extensions. After what all users of a value can absorb.
void fold_single(MachineFunction& m, Definitions const& d, Makers const& makers, int capability);

}  // namespace warpsim::timing
