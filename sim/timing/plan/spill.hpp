// Values that do not fit into the registers go to local memory. The loads and stores are instructions of the
// reordered function and move real bytes; the kernel's results do not depend on them, as its PTX registers keep
// their values.
#pragma once

#include "sim/timing/plan/allocate.hpp"

namespace warpsim::timing {

/// Makes the function fit into `limit` registers per thread: inserts the loads and stores and allocates again.
/// `original` gets ir::none for them. Returns the bytes of local memory.
std::uint64_t spill(MachineFunction& m, ir::Module& module, ir::Function& function,
                    std::vector<std::uint32_t>& original, Allocation& allocation, std::uint32_t limit);

}  // namespace warpsim::timing
