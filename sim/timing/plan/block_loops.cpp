#include "sim/timing/plan/block_loops.hpp"

#include <algorithm>

namespace warpsim::timing {

std::vector<BlockLoop> find_block_loops(ir::Function const& function, ir::DominatorTree const& dominators) {
    std::vector<BlockLoop> loops;
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b)
        for (std::uint32_t const s : function.blocks[b].successors)
            if (s <= b && dominators.is_reached(b) && dominators.dominates(s, b)) loops.push_back({s, b});
    std::stable_sort(loops.begin(), loops.end(),
                     [](BlockLoop const& a, BlockLoop const& b) { return a.last - a.head > b.last - b.head; });
    return loops;
}

}  // namespace warpsim::timing
