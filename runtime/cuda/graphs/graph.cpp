#include "runtime/cuda/graphs/graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace warpsim::cuda {

namespace {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;  // clang 14 needs it

void erase_edge(std::vector<Edge>& edges, Node const& node) {
    std::erase_if(edges, [&](Edge const& e) { return e.node == &node; });
}

bool has_edge(std::vector<Edge> const& edges, Node const& node) {
    return std::any_of(edges.begin(), edges.end(), [&](Edge const& e) { return e.node == &node; });
}

/// The child graph of a node, or the bodies of a conditional one.
std::vector<Graph*> graphs_inside(Node const& node) {
    std::vector<Graph*> list;
    if (auto const* child = std::get_if<ChildWork>(&node.work)) list.push_back(child->graph.get());
    if (auto const* conditional = std::get_if<ConditionalWork>(&node.work))
        for (std::shared_ptr<Graph> const& body : conditional->bodies) list.push_back(body.get());
    return list;
}

/// Child graphs are copied with the graph that contains them.
NodeWork copy_of_work(NodeWork const& work) {
    if (auto const* child = std::get_if<ChildWork>(&work)) return ChildWork{inner_copy(*child->graph)};
    if (auto const* conditional = std::get_if<ConditionalWork>(&work)) {
        ConditionalWork made = *conditional;
        for (std::shared_ptr<Graph>& body : made.bodies) body = inner_copy(*body);
        return made;
    }
    return work;
}

}  // namespace

NodeType Node::type() const {
    return std::visit(
        Overloaded{
            [](EmptyWork const&) { return NodeType::empty; }, [](KernelWork const&) { return NodeType::kernel; },
            [](CopyWork const&) { return NodeType::copy; }, [](FillWork const&) { return NodeType::fill; },
            [](HostWork const&) { return NodeType::host; }, [](RecordWork const&) { return NodeType::record; },
            [](WaitWork const&) { return NodeType::wait; }, [](ValueWork const&) { return NodeType::values; },
            [](AllocationWork const&) { return NodeType::allocation; },
            [](FreeWork const&) { return NodeType::free; }, [](ChildWork const&) { return NodeType::graph; },
            [](ConditionalWork const&) { return NodeType::conditional; }},
        work);
}

Graph::~Graph() {
    for (std::shared_ptr<Node> const& node : nodes_) {
        for (Graph const* const inside : graphs_inside(*node)) process.graphs.forget(inside->handle);
        process.nodes.forget(node->handle);
    }
}

Node& Graph::add(NodeWork work, std::span<Edge const> dependencies) {
    for (std::size_t i = 0; i < dependencies.size(); ++i) {
        bool const is_again = has_edge(
            {dependencies.begin(), dependencies.begin() + static_cast<std::ptrdiff_t>(i)}, *dependencies[i].node);
        if (dependencies[i].node->graph != this || is_again) throw Failure(Result::invalid_value);
    }
    auto node = std::make_shared<Node>();
    node->work = std::move(work);
    node->graph = this;
    node->handle = process.nodes.add(node);
    for (Edge const& e : dependencies) connect(*e.node, *node, e.data);
    nodes_.push_back(node);
    return *node;
}

void Graph::remove(Node& node) {
    for (Edge const& e : node.dependencies) erase_edge(e.node->dependents, node);
    for (Edge const& e : node.dependents) erase_edge(e.node->dependencies, node);
    process.nodes.forget(node.handle);
    for (Graph const* const inside : graphs_inside(node)) process.graphs.forget(inside->handle);
    std::erase_if(nodes_, [&](std::shared_ptr<Node> const& n) { return n.get() == &node; });
}

void Graph::connect(Node& from, Node& to, EdgeData const& data) {
    bool const is_own = from.graph == this && to.graph == this && &from != &to;
    if (!is_own || has_edge(to.dependencies, from)) throw Failure(Result::invalid_value);
    to.dependencies.push_back({&from, data});
    from.dependents.push_back({&to, data});
}

void Graph::disconnect(Node& from, Node& to) {
    if (!has_edge(to.dependencies, from)) throw Failure(Result::invalid_value);
    erase_edge(to.dependencies, from);
    erase_edge(from.dependents, to);
}

std::vector<Node*> Graph::roots() const {
    std::vector<Node*> list;
    for (std::shared_ptr<Node> const& node : nodes_) {
        if (node->dependencies.empty()) list.push_back(node.get());
    }
    return list;
}

std::vector<Node*> Graph::order() const {
    std::unordered_map<Node const*, std::size_t> waits_for;
    std::vector<Node*> list;
    for (std::shared_ptr<Node> const& node : nodes_) waits_for[node.get()] = node->dependencies.size();
    // Graphs are mostly made in an order in which they can be executed: then one pass suffices.
    while (list.size() < nodes_.size()) {
        std::size_t const before = list.size();
        for (std::shared_ptr<Node> const& node : nodes_) {
            auto const at = waits_for.find(node.get());
            if (at == waits_for.end() || at->second != 0) continue;
            waits_for.erase(at);
            list.push_back(node.get());
            for (Edge const& e : node->dependents) --waits_for.at(e.node);
        }
        if (list.size() == before) throw Failure(Result::invalid_value);
    }
    return list;
}

std::shared_ptr<Graph> Graph::copy() const {
    auto made = std::make_shared<Graph>(process);
    std::unordered_map<Node const*, Node*> copies;
    for (std::shared_ptr<Node> const& node : nodes_) {
        Node& one = made->add(copy_of_work(node->work));
        one.original = node->handle;
        one.is_enabled = node->is_enabled;
        copies[node.get()] = &one;
    }
    for (std::shared_ptr<Node> const& node : nodes_) {
        for (Edge const& e : node->dependencies) made->connect(*copies.at(e.node), *copies.at(node.get()), e.data);
    }
    made->conditions = conditions;
    made->objects_ = std::make_shared<ObjectUses>(*objects_);
    return made;
}

Node* Graph::copy_of(void const* original) const {
    auto const at =
        std::find_if(nodes_.begin(), nodes_.end(), [&](auto const& n) { return n->original == original; });
    return at != nodes_.end() ? at->get() : nullptr;
}

bool Graph::has_memory_nodes() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](std::shared_ptr<Node> const& n) {
        if (auto const* child = std::get_if<ChildWork>(&n->work)) return child->graph->has_memory_nodes();
        return n->type() == NodeType::allocation || n->type() == NodeType::free;
    });
}

void Graph::take_objects(Graph const& other) {
    auto const before = std::exchange(objects_, std::make_shared<ObjectUses>(*other.objects_));
    std::vector<Node*> const own = order(), theirs = other.order();
    for (std::size_t i = 0; i < own.size(); ++i) {
        std::vector<Graph*> const inside = graphs_inside(*own[i]), their_inside = graphs_inside(*theirs[i]);
        for (std::size_t g = 0; g < inside.size(); ++g) inside[g]->take_objects(*their_inside[g]);
    }
}

void Graph::append_kept(std::vector<std::shared_ptr<void const>>& list) const {
    if (!objects_->empty()) list.push_back(objects_);
    for (std::shared_ptr<Node> const& node : nodes_) {
        if (auto const* allocation = std::get_if<AllocationWork>(&node->work)) list.push_back(allocation->memory);
        for (Graph const* const inside : graphs_inside(*node)) inside->append_kept(list);
    }
}

std::shared_ptr<Graph> add_graph(Process& process) {
    auto graph = std::make_shared<Graph>(process);
    name_graph(graph);
    return graph;
}

void name_graph(std::shared_ptr<Graph> const& graph) { graph->handle = graph->process.graphs.add(graph); }

std::shared_ptr<Graph> inner_copy(Graph const& graph) {
    std::shared_ptr<Graph> made = graph.copy();
    name_graph(made);
    made->is_inside = true;
    return made;
}

void for_each_in_order(Graph const& graph, std::function<void(Node&)> const& visit) {
    for (Node* const node : graph.order()) {
        if (auto const* child = std::get_if<ChildWork>(&node->work)) for_each_in_order(*child->graph, visit);
        else visit(*node);
    }
}

}  // namespace warpsim::cuda
