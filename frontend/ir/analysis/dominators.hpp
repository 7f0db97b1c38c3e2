// Dominators: the blocks that every path to a block, or every path from it, leads through.
#pragma once

#include "frontend/ir/analysis/flow_graph.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::ir {

/// For each node, the nearest other node that every path to it from a root leads through; `none` where there is no
/// such node (for a root, or where paths from several roots meet) and for nodes that no root reaches.
std::vector<std::uint32_t> immediate_dominators(Lists const& successors, Lists const& predecessors,
                                                std::vector<bool> const& is_root);

/// For each node, the first other node that all paths from it to an exit have in common; `none` when only the exit
/// itself is. `leaves` marks the nodes behind which control may leave the graph. A cycle that nothing leaves gets
/// an exit behind its last node.
std::vector<std::uint32_t> immediate_post_dominators(Lists const& successors, std::vector<bool> leaves);

/// The dominators of a function's blocks, seen from its entry, as a tree that answers queries.
class DominatorTree {
public:
    explicit DominatorTree(Function const& function);

    /// `none` for the entry and for blocks that cannot be reached.
    std::uint32_t immediate(std::uint32_t block) const { return immediate_[block]; }
    bool is_reached(std::uint32_t block) const { return enter_[block] != none; }
    /// Whether every path to `block` leads through `other`; a block dominates itself.
    bool dominates(std::uint32_t other, std::uint32_t block) const;
    /// The nearest block that dominates both; both must be reachable.
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const;

private:
    std::vector<std::uint32_t> immediate_;
    // The number of a block in a depth-first walk of the tree, and the one after the last block below it.
    std::vector<std::uint32_t> enter_, leave_;
};

}  // namespace warpsim::ir
