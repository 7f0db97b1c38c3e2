// Reads the time: %clock, %globaltimer and the like.
#pragma once

#include "sim/exec/op.hpp"

namespace warpsim::sim {

/// For an op with a destination column, its width (Op::target, log2 of bytes) and the register (immediate).
Flow read_clock(WarpInstruction& i);

}  // namespace warpsim::sim
