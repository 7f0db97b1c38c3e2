#include "frontend/ir/analysis/cycles.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

namespace warpsim::ir {

std::vector<bool> on_cycles(std::size_t count, std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges) {
    using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
    Graph const graph(boost::edges_are_unsorted, edges.begin(), edges.end(), count);
    std::vector<std::uint32_t> component(count);
    boost::strong_components(
        graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
    std::vector<std::uint32_t> members(count);
    for (std::uint32_t const c : component) ++members[c];
    std::vector<bool> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = members[component[i]] > 1;
    for (auto const& [from, to] : edges)
        if (from == to) result[from] = true;
    return result;
}

}  // namespace warpsim::ir
