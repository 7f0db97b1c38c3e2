// Which blocks every path to another leads through, and which every path from it does.
#pragma once

#include "frontend/ir/analysis/flow_graph.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::ir {

/// Per node the nearest other node that every path to it from a root leads through; `none` where there is no such
/// node (of a root, or where paths from several roots meet) and where no root leads to.
std::vector<std::uint32_t> immediate_dominators(Lists const& successors, Lists const& predecessors,
                                                std::vector<bool> const& is_root);

/// Per node the first other node that all paths from it to the way out have in common; `none` when that is the way
/// out itself. Control may leave the graph behind each node that `leaves` marks. A cycle that nothing leaves gets a
/// way out behind its last node.
std::vector<std::uint32_t> immediate_post_dominators(Lists const& successors, std::vector<bool> leaves);

/// The dominators of a function's blocks, seen from its entry, as a tree that can be asked.
class DominatorTree {
public:
    explicit DominatorTree(Function const& function);

    /// `none` of the entry and of blocks that nothing leads to.
    std::uint32_t immediate(std::uint32_t block) const { return immediate_[block]; }
    bool is_reached(std::uint32_t block) const { return enter_[block] != none; }
    /// Whether every path to `block` leads through `other`; a block dominates itself.
    bool dominates(std::uint32_t other, std::uint32_t block) const;
    /// The nearest block that dominates both, which must be reached.
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const;

private:
    std::vector<std::uint32_t> immediate_;
    // When a depth-first walk down the tree comes to a block, and the last time it comes to one below it.
    std::vector<std::uint32_t> enter_, leave_;
};

}  // namespace warpsim::ir
