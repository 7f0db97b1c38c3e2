// Graphs: work with its dependencies, made node by node or by capturing streams.
#pragma once

#include "runtime/cuda/graphs/user_objects.hpp"
#include "runtime/cuda/streams/work.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpsim::cuda {

/// The numbers of CUgraphNodeType.
enum class NodeType : int {
    kernel = 0,
    copy = 1,
    fill = 2,
    host = 3,
    graph = 4,
    empty = 5,
    wait = 6,
    record = 7,
    allocation = 10,
    free = 11,
    values = 12,
    conditional = 13,
};

/// What an edge says beyond "after": kept for the program, and treated as a full dependency, which is always
/// correct.
struct EdgeData {
    unsigned char from_port = 0;
    unsigned char to_port = 0;
    unsigned char type = 0;
    unsigned char reserved[5] = {};

    bool operator==(EdgeData const&) const = default;
};

class Condition;
class Graph;
class GraphMemory;

struct AllocationWork {
    std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
    std::uint64_t address = 0;
};
struct ChildWork {
    std::shared_ptr<Graph> graph;
};
/// Bodies that run as often as a value, which kernels set, demands.
struct ConditionalWork {
    std::shared_ptr<Condition> condition;
    int type = 0;  // 0 if (and else), 1 while, 2 switch
    std::vector<std::shared_ptr<Graph>> bodies;
    std::shared_ptr<std::vector<void*>> handles;  // of the bodies, for the program to read
};

/// What a node does: everything that can be put into a stream, and what only graphs have.
using NodeWork = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, RecordWork, WaitWork, ValueWork,
                              AllocationWork, FreeWork, ChildWork, ConditionalWork>;

struct Node;
struct Edge {
    Node* node = nullptr;
    EdgeData data;
};

struct Node {
    NodeWork work;
    Graph* graph = nullptr;
    void* handle = nullptr;
    void* original = nullptr;  // the handle of the node that this is a copy of
    bool is_enabled = true;    // in an executable graph
    std::vector<Edge> dependencies;
    std::vector<Edge> dependents;

    NodeType type() const;
    /// Addresses of a kernel's arguments within its parameter block, as programs pass and get them.
    std::vector<void*> arguments;
    /// Operations on values in the layout of the program's interface; filled when they are first queried.
    std::vector<std::uint64_t> value_operations;
};

class Graph {
public:
    explicit Graph(Process& of) : process(of) {}
    ~Graph();
    Graph(Graph const&) = delete;
    Graph& operator=(Graph const&) = delete;

    Process& process;
    void* handle = nullptr;
    bool is_inside = false;                              // a node of another graph
    std::vector<std::shared_ptr<Condition>> conditions;  // that its nodes may use

    /// Throws Failure(invalid_value) for dependencies that belong to another graph or are listed twice.
    Node& add(NodeWork work, std::span<Edge const> dependencies = {});
    void remove(Node& node);
    /// Throw Failure(invalid_value) when the edge exists already, does not exist, or leads to another graph.
    void connect(Node& from, Node& to, EdgeData const& data = {});
    void disconnect(Node& from, Node& to);
    std::vector<std::shared_ptr<Node>> const& nodes() const { return nodes_; }
    std::vector<Node*> roots() const;
    /// Each node after those it depends on, and otherwise in the order in which the nodes were made. Throws
    /// Failure(invalid_value) for a cycle.
    std::vector<Node*> order() const;
    /// Child graphs are copied as well. Each copied node knows its original.
    std::shared_ptr<Graph> copy() const;
    /// The copy of the node with this handle; null when there is none.
    Node* copy_of(void const* original) const;
    bool has_memory_nodes() const;

    ObjectUses& objects() { return *objects_; }
    /// Keeps the objects of a graph with the same shape, in place of its own. So do the graphs inside.
    void take_objects(Graph const& other);
    /// Appends what it and the graphs inside keep: objects, and the memory that their nodes allocate.
    void append_kept(std::vector<std::shared_ptr<void const>>& list) const;

private:
    std::vector<std::shared_ptr<Node>> nodes_;
    std::shared_ptr<ObjectUses> objects_ = std::make_shared<ObjectUses>();
};

/// Gives a new graph a handle.
std::shared_ptr<Graph> add_graph(Process& process);
/// The same for an existing graph.
void name_graph(std::shared_ptr<Graph> const& graph);
/// A copy, with a handle, that becomes part of another graph.
std::shared_ptr<Graph> inner_copy(Graph const& graph);

/// Visits the nodes of a graph in order, and those of child graphs in their place. Bodies of conditions are left
/// out.
void for_each_in_order(Graph const& graph, std::function<void(Node&)> const& visit);

/// GraphViz text. `is_verbose`: with what each node does.
std::string dot(Graph const& graph, bool is_verbose);

}  // namespace warpsim::cuda
