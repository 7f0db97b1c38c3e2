// Threads that have nothing more to do.
#pragma once

#include "sim/exec/plan.hpp"
#include "sim/exec/warp.hpp"

#include <cstdint>

namespace warpsim::check {

/// Whether threads that stand there only end.
inline bool only_ends(sim::Frame const& frame, std::uint32_t pc) {
    sim::Op const& op = frame.function->ops[pc];
    bool const is_guarded = (op.guard & 3) == 0;
    return !is_guarded && (op.kind == sim::OpKind::exit || (op.kind == sim::OpKind::ret && frame.is_kernel()));
}

}  // namespace warpsim::check
