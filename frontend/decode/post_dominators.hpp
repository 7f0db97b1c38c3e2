// Immediate post-dominators of a control-flow graph given as lists of successors.
#pragma once

#include <cstdint>
#include <vector>

namespace warpsim::frontend {

struct FlowGraph {
    std::vector<std::vector<std::uint32_t>> successors;  // per node
    std::vector<bool> leaves;                            // per node: control may leave the graph from here
};

/// Per node the first node that all paths from it to the way out have in common; UINT32_MAX when that is the way
/// out itself. A cycle that nothing leaves gets a way out behind its last node.
std::vector<std::uint32_t> immediate_post_dominators(FlowGraph graph);

}  // namespace warpsim::frontend
