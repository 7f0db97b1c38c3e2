// Graphs as they are launched: a copy of the graph, in an order that respects its edges. In functional mode nodes run
// one after the other, in timing mode those that do not depend on each other run at the same time. So do those of a graph
// that has kernels of several devices.
#pragma once

#include "runtime/cuda/graphs/graph.hpp"

#include <unordered_map>

namespace warpsim::cuda {

/// The numbers of CUgraphExecUpdateResult.
enum class UpdateResult : int {
    success = 0,
    error = 1,
    topology_changed = 2,
    type_changed = 3,
    function_changed = 4,
    parameters_changed = 5
};

class GraphExec {
public:
    static constexpr std::uint64_t free_on_launch = 1, upload = 2, device_launch = 4, node_priority = 8;

    /// Throws Failure(invalid_value) for a graph with a cycle or for unknown flags, Failure(not_supported) for one that
    /// kernels are to launch and cannot.
    GraphExec(Graph const& graph, std::uint64_t flags);

    std::uint64_t const flags;
    /// The graph as it is launched.
    std::shared_ptr<Graph> graph() const { return graph_; }
    /// The node that is launched for a node of the original graph. Throws Failure(invalid_value).
    Node& node(void const* original) const;
    /// Takes over the work of the nodes of another graph with the same shape.
    struct Update {
        UpdateResult result = UpdateResult::success;
        void* node = nullptr;  // of the other graph, the first that differs
        void* from = nullptr;  // what it should follow, for edges that differ
    };
    Update update(Graph const& other);
    /// Throws Failure(invalid_value) when memory of a former launch has not been freed.
    void launch(Stream& stream);

private:
    std::shared_ptr<Graph> graph_;
    std::vector<Node*> order_;  // of it and of the graphs inside
    std::unordered_map<void const*, Node*> by_original_;
    std::shared_ptr<Event> last_end_;  // of its last launch, where streams run beside each other
};

/// Replaces the parameters of a node of an executable graph by others of the same type, or throws
/// Failure(invalid_value).
void set_work(Node& node, NodeWork work);

}  // namespace warpsim::cuda
