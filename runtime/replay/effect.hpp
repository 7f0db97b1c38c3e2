// What a stand-in does when a warp issues it.
#pragma once

#include "sim/exec/op.hpp"

#include <cstdint>

namespace warpsim::replay {

class Program;

/// The details of its op.
struct TracedOp {
    Program const* program = nullptr;
    sim::Op planned;          // as it was before
    sim::Access access;       // of a load, store or atomic
    std::uint32_t bytes = 0;  // of each lane
    bool is_generic = false;
};

sim::Flow follow_trace(sim::WarpInstruction& instruction);

}  // namespace warpsim::replay
