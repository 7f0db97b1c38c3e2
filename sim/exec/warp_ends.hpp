// Where warps end that run as native code.
#pragma once

#include "sim/exec/op.hpp"

#include <cstring>

namespace warpsim::sim {

/// The op ends all threads that come there, whatever is in their registers.
inline bool ends_all(KernelPlan const& plan, Op const& op) {
    if (op.kind != OpKind::exit && op.kind != OpKind::ret) return false;
    if ((op.guard & 3) != static_cast<Slot>(isa::Base::plan)) return false;
    LaneMask guard = 0;
    std::memcpy(&guard, plan.constants.data() + (op.guard & ~3), sizeof guard);
    return guard == (op.guard_negated ? 0 : isa::all_lanes);
}

}  // namespace warpsim::sim
