#include "frontend/ir/analysis/flow_graph.hpp"

namespace warpsim::ir {

Lists successors_of(Function const& function) {
    Lists successors;
    successors.first.reserve(function.blocks.size() + 1);
    successors.items.reserve(2 * function.blocks.size());
    for (Block const& block : function.blocks) {
        successors.items.insert(successors.items.end(), block.successors.begin(), block.successors.end());
        successors.end_list();
    }
    return successors;
}

Lists reversed(Lists const& successors) {
    Lists predecessors;
    predecessors.first.assign(successors.size() + 1, 0);
    for (std::uint32_t const node : successors.items) ++predecessors.first[node + 1];
    for (std::size_t n = 0; n < successors.size(); ++n) predecessors.first[n + 1] += predecessors.first[n];
    predecessors.items.resize(successors.items.size());
    std::vector<std::uint32_t> next(predecessors.first.begin(), predecessors.first.end() - 1);
    for (std::uint32_t node = 0; node < successors.size(); ++node) {
        for (std::uint32_t const successor : successors[node]) predecessors.items[next[successor]++] = node;
    }
    return predecessors;
}

}  // namespace warpsim::ir
