// Which registers hold something that is still needed, at the borders of blocks. From lists of what instructions
// read and write, so it serves what the PTX says as well as what the hardware does.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

struct BlockLiveness {
    Lists in, out;  // registers, per block
};

/// `reads` and `writes` by instruction, of the PTX or of the machine; a guarded instruction mostly leaves what it
/// writes needed before.
BlockLiveness find_block_liveness(MachineFunction const& m, Lists const& reads, Lists const& writes);

/// First and last point of need, in half steps: instruction i reads at 2i+1 and writes at 2i+2, 0 is the entry.
/// Empty (begin > end) where nothing mentions the register.
struct Interval {
    std::uint32_t begin = UINT32_MAX;
    std::uint32_t end = 0;
    bool empty() const { return begin > end; }
};
std::vector<Interval> find_intervals(MachineFunction const& m, Lists const& reads, Lists const& writes,
                                     BlockLiveness const& live);

}  // namespace warpsim::timing
