// What both interfaces offer for graphs, in terms of handles and of the parameter structures whose layouts they
// share.
#pragma once

#include "runtime/cuda/graphs/exec.hpp"
#include "runtime/cuda/graphs/graph.hpp"
#include "runtime/cuda/memory/pool_places.hpp"

#include <cstddef>

namespace warpsim::cuda {

struct KernelNodeParameters {
    void* function;
    std::uint32_t grid[3];
    std::uint32_t block[3];
    std::uint32_t dynamic_shared;
    void** arguments;
    void** extra;
};
static_assert(sizeof(KernelNodeParameters) == 56);

struct FillNodeParameters {
    std::uint64_t to;
    std::size_t pitch;
    std::uint32_t value;
    std::uint32_t element_bytes;
    std::size_t width;  // in elements
    std::size_t height;
};
static_assert(sizeof(FillNodeParameters) == 40);

struct HostNodeParameters {
    void (*function)(void*);
    void* data;
};

struct AllocationNodeParameters {
    PoolProperties pool;
    void const* accesses;
    std::size_t access_count;
    std::size_t bytes;
    std::uint64_t address;  // the answer
};
static_assert(sizeof(AllocationNodeParameters) == 120);

struct ConditionalNodeParameters {
    std::uint64_t handle;
    int type;            // 0 if, 1 while, 2 switch
    std::uint32_t size;  // bodies
    void** bodies;       // the answer
};

struct InstantiateParameters {
    std::uint64_t flags;
    void* upload_stream;
    void* error_node;
    int result;
};

struct UpdateResultInfo {
    int result;
    void* error_node;
    void* error_from_node;
};

/// Parameters of a node of any type: the union begins at byte 16.
struct NodeParameters {
    int type;
    int reserved0[3];
    alignas(8) unsigned char value[232];
    long long reserved2;
};
static_assert(sizeof(NodeParameters) == 256);

using KernelFinder = std::shared_ptr<Kernel> (*)(Process& process, void const* function);

/// `context` is that which the parameters name, or null.
KernelWork kernel_work(Process& process, KernelNodeParameters const& p, KernelFinder find,
                       void* context = nullptr);
/// The pointers to arguments stay valid until the node is changed.
KernelNodeParameters parameters_of(Node& node, KernelWork const& work);
/// The attributes and the device are kept.
void set_kernel(Process& process, Node& node, KernelNodeParameters const& p, KernelFinder find);
HostWork host_work(HostNodeParameters const& p);
FreeWork free_work(std::uint64_t address);
AllocationNodeParameters parameters_of(AllocationWork const& work);
FillWork fill_work(Process& process, FillNodeParameters const& p);
FillNodeParameters parameters_of(FillWork const& work);

/// Dereferences a pointer to parameters. Throws Failure(invalid_value) for null.
template <class T> T const& given(T const* p) {
    if (p == nullptr) throw Failure(Result::invalid_value);
    return *p;
}

std::shared_ptr<Graph> graph_of(Process& process, void* handle);
std::shared_ptr<Node> node_of(Process& process, void* handle);
std::shared_ptr<GraphExec> exec_of(Process& process, void* handle);
/// The work of a node, if it is of that kind. Throws Failure(invalid_value).
template <class W> W& work_of(Node& node) {
    W* const work = std::get_if<W>(&node.work);
    if (work == nullptr) throw Failure(Result::invalid_value);
    return *work;
}

std::vector<Edge> edges_of(Process& process, void* const* nodes, EdgeData const* data, std::size_t count);
/// `*out` is the new node's handle.
void add_node(Process& process, void** out, void* graph, void* const* after, EdgeData const* data,
              std::size_t count, NodeWork work);
/// A copy of another graph becomes one node.
NodeWork child_work(Process& process, void* graph);
/// Allocates memory for a node; the address goes into the parameters.
NodeWork allocation_work(Process& process, AllocationNodeParameters& p);
NodeWork conditional_work(Process& process, ConditionalNodeParameters& p, void* graph);
std::uint64_t create_condition(Process& process, void* graph, unsigned initial, unsigned flags);
/// Puts a copy of another graph in the place of a child graph. Throws Failure(invalid_value) where that is the child itself.
void set_child(Process& process, Node& node, void* graph);
/// Changes the work of a child graph without changing its shape.
void set_child(Process& process, GraphExec& exec, void* node, void* graph);
/// Only kernels, copies and fills can be disabled.
void enable(Node& node, bool is_enabled);
/// Throws Failure(graph_exec_update_failure); `info`, which may be null, says why.
void update(Process& process, GraphExec& exec, void* graph, UpdateResultInfo* info);
void instantiate(Process& process, void** out, void* graph, std::uint64_t flags);
void instantiate(Process& process, void** out, void* graph, InstantiateParameters* p);

/// Lists as CUDA returns them: `*count` says how many entries there is room for, and then how many there are; with
/// a null list only the count is returned.
void list_nodes(std::vector<Node*> const& nodes, void** out, std::size_t* count);
void list_edges(std::vector<Edge> const& edges, void** out, EdgeData* data, std::size_t* count);
void list_edges(Graph const& graph, void** from, void** to, EdgeData* data, std::size_t* count);
void connect(Process& process, void* graph, void* const* from, void* const* to, EdgeData const* data,
             std::size_t count);
void disconnect(Process& process, void* graph, void* const* from, void* const* to, std::size_t count);
void destroy_node(Process& process, void* node);
void destroy_graph(Process& process, void* graph);
void print_dot(Process& process, void* graph, char const* path, unsigned flags);
void find_in_copy(Process& process, void** out, void* original, void* graph);

/// The node attributes with a meaning here: cooperative 2, cluster dimension 4, priority 8.
void get_attribute(Process& process, void* node, unsigned id, void* out);
void set_attribute(Process& process, void* node, unsigned id, void const* value);
void copy_attributes(Process& process, void* to, void* from);

void retain_for_graph(Process& process, void* graph, void* object, unsigned count, unsigned flags);
void release_for_graph(Process& process, void* graph, void* object, unsigned count);

/// 0 used, 1 peak of used, 2 reserved, 3 peak of reserved; the peaks can be reset to 0.
std::uint64_t graph_memory_attribute(Process& process, int device, int attribute);
void trim_graph_memory(Process& process, int device);
void reset_graph_memory_attribute(Process& process, int device, int attribute, std::uint64_t value);

}  // namespace warpsim::cuda
