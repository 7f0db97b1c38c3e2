#include "runtime/cuda/graphs/calls.hpp"

#include "runtime/cuda/graphs/capture.hpp"
#include "runtime/cuda/graphs/graph_memory.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace warpsim::cuda {

std::shared_ptr<Graph> graph_of(Process& process, void* handle) {
    return process.graphs.get(handle, Result::invalid_value);
}
std::shared_ptr<Node> node_of(Process& process, void* handle) {
    return process.nodes.get(handle, Result::invalid_value);
}
std::shared_ptr<GraphExec> exec_of(Process& process, void* handle) {
    return process.graph_execs.get(handle, Result::invalid_value);
}

namespace {

/// A function of a module runs in the module's context; another one in that which is named, or the current one.
Gpu& gpu_of(Process& process, Kernel const& kernel, void* named) {
    Gpu& current = process.current();
    void* const own = kernel.library != nullptr ? process.libraries.get(kernel.library)->context : nullptr;
    void* const context = own != nullptr ? own : named;
    return context != nullptr ? process.gpu(process.contexts.get(context)->device) : current;
}

}  // namespace

KernelWork kernel_work(Process& process, KernelNodeParameters const& p, KernelFinder find, void* context) {
    KernelWork work;
    work.kernel = find(process, p.function);
    Gpu& gpu = gpu_of(process, *work.kernel, context);
    work.device = gpu.ordinal;
    work.function = p.function;
    work.shape.grid = {p.grid[0], p.grid[1], p.grid[2]};
    work.shape.block = {p.block[0], p.block[1], p.block[2]};
    work.shape.dynamic_shared = p.dynamic_shared;
    work.shape.non_portable_cluster = work.kernel->non_portable_cluster;
    work.arguments = arguments_from(gpu, *work.kernel, p.arguments, p.extra);
    check(gpu, work);
    return work;
}

KernelNodeParameters parameters_of(Node& node, KernelWork const& work) {
    KernelNodeParameters p{};
    p.function = work.function;
    std::copy_n(work.shape.grid.data(), 3, p.grid);
    std::copy_n(work.shape.block.data(), 3, p.block);
    p.dynamic_shared = work.shape.dynamic_shared;
    node.arguments.clear();
    std::byte* const block = const_cast<std::byte*>(work.arguments.bytes().data());
    for (Kernel::Parameter const& one : work.kernel->parameters(node.graph->process.current())) {
        node.arguments.push_back(block + one.offset);
    }
    p.arguments = node.arguments.empty() ? nullptr : node.arguments.data();
    return p;
}

FillWork fill_work(Process& process, FillNodeParameters const& p) {
    bool const is_size = p.element_bytes == 1 || p.element_bytes == 2 || p.element_bytes == 4;
    if (!is_size || p.width == 0 || p.height == 0) throw Failure(Result::invalid_value);
    std::size_t const bytes = p.width * p.element_bytes, row = p.height > 1 ? p.pitch : bytes;
    FillWork const work{{p.to, row, row * p.height}, {bytes, p.height, 1}, p.value, p.element_bytes, p.pitch};
    check(process, work);
    return work;
}

FillNodeParameters parameters_of(FillWork const& w) {
    std::size_t const pitch = w.extent.height > 1 ? w.to.row_distance : w.pitch_of_one_row;
    return {w.to.address, pitch, w.value, w.element_bytes, w.extent.width / w.element_bytes, w.extent.height};
}

std::vector<Edge> edges_of(Process& process, void* const* nodes, EdgeData const* data, std::size_t count) {
    if (count != 0 && nodes == nullptr) throw Failure(Result::invalid_value);
    std::vector<Edge> list;
    for (std::size_t i = 0; i < count; ++i)
        list.push_back({node_of(process, nodes[i]).get(), data != nullptr ? data[i] : EdgeData{}});
    return list;
}

void add_node(Process& process, void** out, void* graph, void* const* after, EdgeData const* data,
              std::size_t count, NodeWork work) {
    if (out == nullptr) throw Failure(Result::invalid_value);
    std::shared_ptr<Graph> const to = graph_of(process, graph);
    *out = to->add(std::move(work), edges_of(process, after, data, count)).handle;
}

HostWork host_work(HostNodeParameters const& p) {
    if (p.function == nullptr) throw Failure(Result::invalid_value);
    return {p.function, p.data};
}

FreeWork free_work(std::uint64_t address) {
    if (address == 0) throw Failure(Result::invalid_value);
    return {address};
}

AllocationNodeParameters parameters_of(AllocationWork const& work) {
    AllocationNodeParameters p{};
    PoolPlace const& place = work.memory->place();
    p.pool.allocation_type = place.kind == MemoryKind::managed ? 2 : 1;
    p.pool.location = location_of(place);
    p.bytes = work.memory->bytes();
    p.address = work.memory->address();
    return p;
}

void set_kernel(Process& process, Node& node, KernelNodeParameters const& p, KernelFinder find) {
    KernelWork const& before = work_of<KernelWork>(node);
    KernelWork made = kernel_work(process, p, find);
    made.shape.cooperative = before.shape.cooperative;
    made.shape.cluster = before.shape.cluster;
    made.priority = before.priority;
    made.device = before.device;
    check(process.gpu(made.device), made);
    node.work = std::move(made);
}

void enable(Node& node, bool is_enabled) {
    NodeType const type = node.type();
    if (type != NodeType::kernel && type != NodeType::copy && type != NodeType::fill)
        throw Failure(Result::invalid_value);
    node.is_enabled = is_enabled;
}

void update(Process& process, GraphExec& exec, void* graph, UpdateResultInfo* info) {
    GraphExec::Update const answer = exec.update(*graph_of(process, graph));
    if (info != nullptr) *info = {static_cast<int>(answer.result), answer.node, answer.from};
    if (answer.result != UpdateResult::success) throw Failure(Result::graph_exec_update_failure);
}

NodeWork child_work(Process& process, void* graph) {
    std::shared_ptr<Graph> const inner = graph_of(process, graph);
    // Graph memory has one address, which two nodes cannot share.
    if (inner->has_memory_nodes()) throw Failure(Result::not_supported);
    return ChildWork{inner_copy(*inner)};
}

NodeWork allocation_work(Process& process, AllocationNodeParameters& p) {
    if (p.bytes == 0 || p.pool.handle_types != 0) throw Failure(Result::invalid_value);
    PoolPlace const place = place_of(process.memory, &p.pool.location, p.pool.allocation_type);
    auto memory = std::make_shared<GraphMemory>(process.memory, place, p.bytes);
    p.address = memory->address();
    return AllocationWork{std::move(memory)};
}

std::uint64_t create_condition(Process& process, void* graph, unsigned initial, unsigned flags) {
    if (flags > 1) throw Failure(Result::invalid_value);
    auto condition = std::make_shared<Condition>(process.memory, Thread::current().device, initial, flags == 1);
    std::uint64_t const address = condition->address();
    graph_of(process, graph)->conditions.push_back(std::move(condition));
    return address;
}

NodeWork conditional_work(Process& process, ConditionalNodeParameters& p, void* graph) {
    auto const& known = graph_of(process, graph)->conditions;
    auto const at =
        std::find_if(known.begin(), known.end(), [&](auto const& c) { return c->address() == p.handle; });
    bool const is_size =
        p.size == 1 || (p.type == 0 && p.size == 2) || (p.type == 2 && p.size > 0 && p.size <= 1024);
    if (at == known.end() || p.type < 0 || p.type > 2 || !is_size) throw Failure(Result::invalid_value);
    ConditionalWork work{*at, p.type, {}, std::make_shared<std::vector<void*>>()};
    for (std::uint32_t i = 0; i < p.size; ++i) {
        work.bodies.push_back(add_graph(process));
        work.bodies.back()->is_inside = true;
        work.handles->push_back(work.bodies.back()->handle);
    }
    p.bodies = work.handles->data();
    return work;
}

void set_child(Process& process, Node& node, void* graph) {
    std::shared_ptr<Graph> const before = work_of<ChildWork>(node).graph;
    if (graph_of(process, graph) == before) throw Failure(Result::invalid_value);
    node.work = child_work(process, graph);
    process.graphs.forget(before->handle);
}

void set_child(Process& process, GraphExec& exec, void* handle, void* graph) {
    ChildWork const& child = work_of<ChildWork>(exec.node(handle));
    std::vector<Node*> now, then;
    std::shared_ptr<Graph> const other = graph_of(process, graph);
    for_each_in_order(*child.graph, [&](Node& n) { now.push_back(&n); });
    for_each_in_order(*other, [&](Node& n) { then.push_back(&n); });
    bool const is_same =
        std::equal(now.begin(), now.end(), then.begin(), then.end(), [](Node const* a, Node const* b) {
            return a->type() == b->type() && a->dependencies.size() == b->dependencies.size();
        });
    if (!is_same) throw Failure(Result::graph_exec_update_failure);
    for (std::size_t i = 0; i < now.size(); ++i) set_work(*now[i], then[i]->work);
    child.graph->take_objects(*other);
}

void instantiate(Process& process, void** out, void* graph, std::uint64_t flags) {
    if (out == nullptr) throw Failure(Result::invalid_value);
    *out = process.graph_execs.add(std::make_shared<GraphExec>(*graph_of(process, graph), flags));
}

void instantiate(Process& process, void** out, void* graph, InstantiateParameters* p) {
    enum Answer : int { success = 0, error = 1, invalid_structure = 2, not_supported = 3 };
    if (p == nullptr) throw Failure(Result::invalid_value);
    p->error_node = nullptr;
    try {
        instantiate(process, out, graph, p->flags);
        p->result = success;
    } catch (Failure const& failure) {
        p->result = failure.result() == Result::not_supported   ? not_supported
                    : failure.result() == Result::invalid_value ? invalid_structure
                                                                : error;
        throw;
    }
}

namespace {

/// How many entries of a list to write: as many as there is room for; the entry after the last becomes null.
std::size_t room(std::size_t there, std::size_t* count) {
    if (count == nullptr) throw Failure(Result::invalid_value);
    return std::min(std::exchange(*count, there), there);
}

}  // namespace

void list_nodes(std::vector<Node*> const& nodes, void** out, std::size_t* count) {
    if (count == nullptr) throw Failure(Result::invalid_value);
    if (out != nullptr) {
        std::size_t const asked = *count;
        for (std::size_t i = 0; i < asked; ++i) out[i] = i < nodes.size() ? nodes[i]->handle : nullptr;
        *count = std::min(asked, nodes.size());
        return;
    }
    *count = nodes.size();
}

void list_edges(std::vector<Edge> const& edges, void** out, EdgeData* data, std::size_t* count) {
    if (out == nullptr) {
        room(edges.size(), count);
        return;
    }
    std::size_t const n = room(edges.size(), count);
    *count = n;
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = edges[i].node->handle;
        if (data != nullptr) data[i] = edges[i].data;
    }
}

void list_edges(Graph const& graph, void** from, void** to, EdgeData* data, std::size_t* count) {
    if ((from == nullptr) != (to == nullptr)) throw Failure(Result::invalid_value);
    std::vector<std::pair<Node*, Edge>> all;
    for (auto const& node : graph.nodes()) {
        for (Edge const& e : node->dependents) all.emplace_back(node.get(), e);
    }
    std::size_t const n = room(all.size(), count);
    if (from == nullptr) return;
    *count = n;
    for (std::size_t i = 0; i < n; ++i) {
        from[i] = all[i].first->handle;
        to[i] = all[i].second.node->handle;
        if (data != nullptr) data[i] = all[i].second.data;
    }
}

void connect(Process& process, void* graph, void* const* from, void* const* to, EdgeData const* data,
             std::size_t count) {
    if (count != 0 && (from == nullptr || to == nullptr)) throw Failure(Result::invalid_value);
    std::shared_ptr<Graph> const g = graph_of(process, graph);
    for (std::size_t i = 0; i < count; ++i) {
        g->connect(*node_of(process, from[i]), *node_of(process, to[i]), data != nullptr ? data[i] : EdgeData{});
    }
}

void disconnect(Process& process, void* graph, void* const* from, void* const* to, std::size_t count) {
    if (count != 0 && (from == nullptr || to == nullptr)) throw Failure(Result::invalid_value);
    std::shared_ptr<Graph> const g = graph_of(process, graph);
    for (std::size_t i = 0; i < count; ++i) g->disconnect(*node_of(process, from[i]), *node_of(process, to[i]));
}

void destroy_node(Process& process, void* handle) {
    std::shared_ptr<Node> const node = node_of(process, handle);
    if (node->type() == NodeType::allocation || node->type() == NodeType::free)
        throw Failure(Result::not_supported);
    node->graph->remove(*node);
}

void destroy_graph(Process& process, void* handle) {
    std::shared_ptr<Graph> const graph = graph_of(process, handle);
    if (graph->is_inside) throw Failure(Result::invalid_value);
    process.graphs.remove(handle);
}

void print_dot(Process& process, void* handle, char const* path, unsigned flags) {
    if (path == nullptr) throw Failure(Result::invalid_value);
    std::string const text = dot(*graph_of(process, handle), flags != 0);
    std::ofstream file(path);
    file << text;
    if (!file.flush()) throw Failure(Result::operating_system);
}

void find_in_copy(Process& process, void** out, void* original, void* graph) {
    node_of(process, original);
    Node* const found = graph_of(process, graph)->copy_of(original);
    if (out == nullptr || found == nullptr) throw Failure(Result::invalid_value);
    *out = found->handle;
}

void get_attribute(Process& process, void* handle, unsigned id, void* out) {
    std::shared_ptr<Node> const node = node_of(process, handle);
    KernelWork const& work = work_of<KernelWork>(*node);
    if (out == nullptr) throw Failure(Result::invalid_value);
    std::memset(out, 0, sizeof(LaunchAttribute::value));
    int const is_cooperative = work.shape.cooperative;
    switch (id) {
        case LaunchAttribute::cooperative: std::memcpy(out, &is_cooperative, sizeof is_cooperative); break;
        case LaunchAttribute::cluster_dimension:
            std::memcpy(out, work.shape.cluster.data(), sizeof work.shape.cluster);
            break;
        case LaunchAttribute::priority: std::memcpy(out, &work.priority, sizeof work.priority); break;
        default: throw Failure(Result::invalid_value);
    }
}

void set_attribute(Process& process, void* handle, unsigned id, void const* value) {
    std::shared_ptr<Node> const node = node_of(process, handle);
    KernelWork changed = work_of<KernelWork>(*node);
    if (value == nullptr) throw Failure(Result::invalid_value);
    LaunchAttribute attribute{id, {}};
    std::memcpy(attribute.value, value, sizeof attribute.value);
    apply(attribute, changed);
    check(process.current(), changed);
    node->work = std::move(changed);
}

void copy_attributes(Process& process, void* to, void* from) {
    KernelWork& target = work_of<KernelWork>(*node_of(process, to));
    KernelWork const& source = work_of<KernelWork>(*node_of(process, from));
    target.shape.cooperative = source.shape.cooperative;
    target.shape.cluster = source.shape.cluster;
    target.priority = source.priority;
}

void retain_for_graph(Process& process, void* graph, void* object, unsigned count, unsigned flags) {
    constexpr unsigned move = 1;
    auto const target = graph_of(process, graph);
    auto const kept = process.user_objects.get(object, Result::invalid_value);
    if (count == 0 || flags > move) throw Failure(Result::invalid_value);
    if (flags != move) kept->retain(count);
    target->objects().add(kept, count);
}

void release_for_graph(Process& process, void* graph, void* object, unsigned count) {
    graph_of(process, graph)->objects().remove(*process.user_objects.get(object, Result::invalid_value), count);
}

std::uint64_t graph_memory_attribute(Process& process, int device, int attribute) {
    process.gpu(device);
    Memory::GraphUse const use = process.memory.graph_use(device);
    switch (attribute) {
        case 0: return use.used;
        case 1: return use.used_high;
        case 2: return use.reserved;
        case 3: return use.reserved_high;
        default: throw Failure(Result::invalid_value);
    }
}

void trim_graph_memory(Process& process, int device) {
    process.gpu(device);
    process.memory.trim_graph_use(device);
}

void reset_graph_memory_attribute(Process& process, int device, int attribute, std::uint64_t value) {
    process.gpu(device);
    if ((attribute != 1 && attribute != 3) || value != 0) throw Failure(Result::invalid_value);
    process.memory.reset_graph_use(device, attribute == 1);
}

}  // namespace warpsim::cuda
