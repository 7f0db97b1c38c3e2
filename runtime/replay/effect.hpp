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
    std::uint32_t lanes = UINT32_MAX;  // that have an address
    std::uint32_t nanoseconds = 0;     // for which it sleeps
};

sim::Flow follow_trace(sim::WarpInstruction& instruction);

}  // namespace warpsim::replay
