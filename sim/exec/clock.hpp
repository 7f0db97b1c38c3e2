// Reading the time: %clock, %globaltimer and their kin.
#pragma once

#include "sim/exec/op.hpp"

namespace warpsim::sim {

/// Of an op whose operands are a column, its width (Op::target, log2 of bytes) and the register (immediate).
Flow read_clock(WarpInstruction& i);

}  // namespace warpsim::sim
