// Loops of blocks that are entered at one place.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

struct BlockLoop {
    std::uint32_t head, last;  // blocks; control comes back from the last one

    bool contains(std::uint32_t block) const { return head <= block && block <= last; }
};

/// Outer ones first.
std::vector<BlockLoop> find_block_loops(ir::Function const& function, ir::DominatorTree const& dominators);

}  // namespace warpsim::timing
