// The functions for graphs and captures that both interfaces spell alike but for the beginning of their names.
// Included once in each library, behind the definitions of
//   COMMON_FUNCTION(name)       begins a function: its linkage, result and full name
//   NEWER_FUNCTION(name)       the same for those that the driver calls _v2
//   COMMON_PER_THREAD(name), NEWER_PER_THREAD(name)
//   find_kernel                a KernelFinder
//   CopyParameters             a structure that describes a copy
//   copy_work(p), parameters_of(CopyWork)
//   value_work(p)              of NodeParameters
// and of call() and give().
#include "runtime/cuda/graphs/calls.hpp"
#include "runtime/cuda/graphs/capture.hpp"
#include "runtime/cuda/interface/per_thread.hpp"

#include <cstring>

using namespace warpsim::cuda;

namespace {

template <class T> T value_at(NodeParameters const& p, std::size_t offset = 0) {
    T value;
    std::memcpy(&value, p.value + offset, sizeof value);
    return value;
}

/// What a node of any type does. Answers go into the parameters.
Work work_from(NodeParameters& p, void* graph) {
    auto const event = [&] { return Process::get().events.get(value_at<void*>(p)); };
    switch (static_cast<NodeType>(p.type)) {
        case NodeType::kernel: return kernel_work(kernel_parameters(p), find_kernel);
        case NodeType::copy: return copy_work(value_at<CopyParameters>(p, 16));
        case NodeType::fill: return fill_work(value_at<FillNodeParameters>(p));
        case NodeType::host: return host_work(value_at<HostNodeParameters>(p));
        case NodeType::graph: return child_work(value_at<void*>(p));
        case NodeType::empty: return EmptyWork{};
        case NodeType::wait: return WaitWork{event(), value_at<void*>(p)};
        case NodeType::record: return RecordWork{event(), value_at<void*>(p)};
        case NodeType::free: return free_work(value_at<std::uint64_t>(p));
        case NodeType::values: return value_work(p);
        case NodeType::allocation: {
            auto answer = value_at<AllocationNodeParameters>(p);
            Work work = allocation_work(answer);
            std::memcpy(p.value, &answer, sizeof answer);
            return work;
        }
        case NodeType::conditional: {
            auto answer = value_at<ConditionalNodeParameters>(p);
            Work work = conditional_work(answer, graph);
            std::memcpy(p.value, &answer, sizeof answer);
            return work;
        }
    }
    throw Failure(Result::not_supported);
}

/// Other parameters of the same type. Memory, graphs inside and conditions stay what they are.
void change(Node& node, NodeParameters& p) {
    NodeType const type = node.type();
    bool const can_change = type != NodeType::allocation && type != NodeType::free && type != NodeType::graph &&
                            type != NodeType::conditional;
    if (static_cast<int>(type) != p.type || !can_change) throw Failure(Result::invalid_value);
    if (type == NodeType::kernel) set_kernel(node, kernel_parameters(p), find_kernel);
    else set_work(node, work_from(p, nullptr));
}

}  // namespace

COMMON_FUNCTION(GraphCreate)(void** out, unsigned flags) {
    return call([&] {
        if (out == nullptr || flags != 0) throw Failure(Result::invalid_value);
        *out = add_graph()->handle;
    });
}
COMMON_FUNCTION(GraphDestroy)(void* graph) {
    return call([&] { destroy_graph(graph); });
}
COMMON_FUNCTION(GraphClone)(void** out, void* graph) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        if (graph_of(graph)->has_memory_nodes()) throw Failure(Result::not_supported);
        std::shared_ptr<Graph> const made = graph_of(graph)->copy();
        name_graph(made);
        *out = made->handle;
    });
}
COMMON_FUNCTION(GraphNodeFindInClone)(void** out, void* original, void* graph) {
    return call([&] { find_in_copy(out, original, graph); });
}
COMMON_FUNCTION(GraphDestroyNode)(void* node) {
    return call([&] { destroy_node(node); });
}
COMMON_FUNCTION(GraphNodeGetType)(void* node, int* out) {
    return call([&] { give(out, node_of(node)->type()); });
}
COMMON_FUNCTION(GraphGetNodes)(void* graph, void** out, std::size_t* count) {
    return call([&] {
        std::vector<Node*> all;
        for (auto const& node : graph_of(graph)->nodes()) all.push_back(node.get());
        list_nodes(all, out, count);
    });
}
COMMON_FUNCTION(GraphGetRootNodes)(void* graph, void** out, std::size_t* count) {
    return call([&] { list_nodes(graph_of(graph)->roots(), out, count); });
}
NEWER_FUNCTION(GraphGetEdges)(void* graph, void** from, void** to, EdgeData* data, std::size_t* count) {
    return call([&] { list_edges(*graph_of(graph), from, to, data, count); });
}
NEWER_FUNCTION(GraphNodeGetDependencies)(void* node, void** out, EdgeData* data, std::size_t* count) {
    return call([&] { list_edges(node_of(node)->dependencies, out, data, count); });
}
NEWER_FUNCTION(GraphNodeGetDependentNodes)(void* node, void** out, EdgeData* data, std::size_t* count) {
    return call([&] { list_edges(node_of(node)->dependents, out, data, count); });
}
NEWER_FUNCTION(GraphAddDependencies)
(void* graph, void* const* from, void* const* to, EdgeData const* data, std::size_t count) {
    return call([&] { connect(graph, from, to, data, count); });
}
NEWER_FUNCTION(GraphRemoveDependencies)
(void* graph, void* const* from, void* const* to, EdgeData const*, std::size_t count) {
    return call([&] { disconnect(graph, from, to, count); });
}
COMMON_FUNCTION(GraphAddEmptyNode)(void** out, void* graph, void* const* after, std::size_t count) {
    return call([&] { add_node(out, graph, after, nullptr, count, EmptyWork{}); });
}
COMMON_FUNCTION(GraphAddKernelNode)
(void** out, void* graph, void* const* after, std::size_t count, KernelNodeParameters const* p) {
    return call([&] { add_node(out, graph, after, nullptr, count, kernel_work(given(p), find_kernel)); });
}
COMMON_FUNCTION(GraphKernelNodeGetParams)(void* node, KernelNodeParameters* p) {
    return call([&] {
        auto const n = node_of(node);
        give(p, parameters_of(*n, work_of<KernelWork>(*n)));
    });
}
COMMON_FUNCTION(GraphKernelNodeSetParams)(void* node, KernelNodeParameters const* p) {
    return call([&] { set_kernel(*node_of(node), given(p), find_kernel); });
}
COMMON_FUNCTION(GraphExecKernelNodeSetParams)(void* exec, void* node, KernelNodeParameters const* p) {
    return call([&] { set_kernel(exec_of(exec)->node(node), given(p), find_kernel); });
}
COMMON_FUNCTION(GraphKernelNodeGetAttribute)(void* node, unsigned id, void* out) {
    return call([&] { get_attribute(node, id, out); });
}
COMMON_FUNCTION(GraphKernelNodeSetAttribute)(void* node, unsigned id, void const* value) {
    return call([&] { set_attribute(node, id, value); });
}
COMMON_FUNCTION(GraphKernelNodeCopyAttributes)(void* to, void* from) {
    return call([&] { copy_attributes(to, from); });
}
COMMON_FUNCTION(GraphMemsetNodeGetParams)(void* node, FillNodeParameters* p) {
    return call([&] { give(p, parameters_of(work_of<FillWork>(*node_of(node)))); });
}
COMMON_FUNCTION(GraphMemsetNodeSetParams)(void* node, FillNodeParameters const* p) {
    return call([&] { set_work(*node_of(node), fill_work(given(p))); });
}
COMMON_FUNCTION(GraphAddHostNode)
(void** out, void* graph, void* const* after, std::size_t count, HostNodeParameters const* p) {
    return call([&] { add_node(out, graph, after, nullptr, count, host_work(given(p))); });
}
COMMON_FUNCTION(GraphHostNodeGetParams)(void* node, HostNodeParameters* p) {
    return call([&] {
        HostWork const& work = work_of<HostWork>(*node_of(node));
        give(p, HostNodeParameters{work.function, work.data});
    });
}
COMMON_FUNCTION(GraphHostNodeSetParams)(void* node, HostNodeParameters const* p) {
    return call([&] { set_work(*node_of(node), host_work(given(p))); });
}
COMMON_FUNCTION(GraphExecHostNodeSetParams)(void* exec, void* node, HostNodeParameters const* p) {
    return call([&] { set_work(exec_of(exec)->node(node), host_work(given(p))); });
}
COMMON_FUNCTION(GraphAddChildGraphNode)
(void** out, void* graph, void* const* after, std::size_t count, void* inner) {
    return call([&] { add_node(out, graph, after, nullptr, count, child_work(inner)); });
}
COMMON_FUNCTION(GraphChildGraphNodeGetGraph)(void* node, void** out) {
    return call([&] { give(out, work_of<ChildWork>(*node_of(node)).graph->handle); });
}
COMMON_FUNCTION(GraphExecChildGraphNodeSetParams)(void* exec, void* node, void* graph) {
    return call([&] { set_child(*exec_of(exec), node, graph); });
}
COMMON_FUNCTION(GraphAddEventRecordNode)
(void** out, void* graph, void* const* after, std::size_t count, void* event) {
    return call([&] {
        add_node(out, graph, after, nullptr, count, RecordWork{Process::get().events.get(event), event});
    });
}
COMMON_FUNCTION(GraphEventRecordNodeGetEvent)(void* node, void** out) {
    return call([&] { give(out, work_of<RecordWork>(*node_of(node)).handle); });
}
COMMON_FUNCTION(GraphEventRecordNodeSetEvent)(void* node, void* event) {
    return call([&] { set_work(*node_of(node), RecordWork{Process::get().events.get(event), event}); });
}
COMMON_FUNCTION(GraphExecEventRecordNodeSetEvent)(void* exec, void* node, void* event) {
    return call([&] { set_work(exec_of(exec)->node(node), RecordWork{Process::get().events.get(event), event}); });
}
COMMON_FUNCTION(GraphAddEventWaitNode)
(void** out, void* graph, void* const* after, std::size_t count, void* event) {
    return call([&] {
        add_node(out, graph, after, nullptr, count, WaitWork{Process::get().events.get(event), event});
    });
}
COMMON_FUNCTION(GraphEventWaitNodeGetEvent)(void* node, void** out) {
    return call([&] { give(out, work_of<WaitWork>(*node_of(node)).handle); });
}
COMMON_FUNCTION(GraphEventWaitNodeSetEvent)(void* node, void* event) {
    return call([&] { set_work(*node_of(node), WaitWork{Process::get().events.get(event), event}); });
}
COMMON_FUNCTION(GraphExecEventWaitNodeSetEvent)(void* exec, void* node, void* event) {
    return call([&] { set_work(exec_of(exec)->node(node), WaitWork{Process::get().events.get(event), event}); });
}
COMMON_FUNCTION(GraphAddMemAllocNode)
(void** out, void* graph, void* const* after, std::size_t count, AllocationNodeParameters* p) {
    return call([&] {
        if (p == nullptr) throw Failure(Result::invalid_value);
        add_node(out, graph, after, nullptr, count, allocation_work(*p));
    });
}
COMMON_FUNCTION(GraphMemAllocNodeGetParams)(void* node, AllocationNodeParameters* p) {
    return call([&] { give(p, parameters_of(work_of<AllocationWork>(*node_of(node)))); });
}
COMMON_FUNCTION(GraphAddMemFreeNode)
(void** out, void* graph, void* const* after, std::size_t count, std::uint64_t address) {
    return call([&] { add_node(out, graph, after, nullptr, count, free_work(address)); });
}
COMMON_FUNCTION(GraphMemFreeNodeGetParams)(void* node, std::uint64_t* out) {
    return call([&] { give(out, work_of<FreeWork>(*node_of(node)).address); });
}
COMMON_FUNCTION(DeviceGraphMemTrim)(int device) {
    return call([&] { Process::get().gpu(device); });
}
COMMON_FUNCTION(DeviceGetGraphMemAttribute)(int device, int attribute, void* value) {
    return call([&] { give(static_cast<std::uint64_t*>(value), graph_memory_attribute(device, attribute)); });
}
COMMON_FUNCTION(DeviceSetGraphMemAttribute)(int device, int attribute, void* value) {
    return call(
        [&] { reset_graph_memory_attribute(device, attribute, given(static_cast<std::uint64_t const*>(value))); });
}
COMMON_FUNCTION(GraphInstantiateWithFlags)(void** out, void* graph, unsigned long long flags) {
    return call([&] { instantiate(out, graph, flags); });
}
COMMON_FUNCTION(GraphInstantiateWithParams)(void** out, void* graph, InstantiateParameters* p) {
    return call([&] { instantiate(out, graph, p); });
}
COMMON_PER_THREAD(GraphInstantiateWithParams)
COMMON_FUNCTION(GraphExecGetFlags)(void* exec, unsigned long long* out) {
    return call([&] { give(out, exec_of(exec)->flags); });
}
COMMON_FUNCTION(GraphNodeSetEnabled)(void* exec, void* node, unsigned is_enabled) {
    return call([&] { enable(exec_of(exec)->node(node), is_enabled != 0); });
}
COMMON_FUNCTION(GraphNodeGetEnabled)(void* exec, void* node, unsigned* out) {
    return call([&] { give(out, exec_of(exec)->node(node).is_enabled); });
}
COMMON_FUNCTION(GraphUpload)(void* exec, void* stream) {
    return call([&] {
        exec_of(exec);
        Process::get().stream(stream);
    });
}
COMMON_PER_THREAD(GraphUpload)
COMMON_FUNCTION(GraphLaunch)(void* exec, void* stream) {
    return call([&] { exec_of(exec)->launch(*Process::get().stream(stream)); });
}
COMMON_PER_THREAD(GraphLaunch)
COMMON_FUNCTION(GraphExecDestroy)(void* exec) {
    return call([&] {
        exec_of(exec);
        Process::get().graph_execs.remove(exec);
    });
}
COMMON_FUNCTION(GraphDebugDotPrint)(void* graph, char const* path, unsigned flags) {
    return call([&] { print_dot(graph, path, flags); });
}
COMMON_FUNCTION(UserObjectCreate)(void** out, void* pointer, void (*end)(void*), unsigned count, unsigned flags) {
    return call([&] { create_user_object(out, pointer, end, count, flags); });
}
COMMON_FUNCTION(UserObjectRetain)(void* object, unsigned count) {
    return call([&] { retain_user_object(object, count); });
}
COMMON_FUNCTION(UserObjectRelease)(void* object, unsigned count) {
    return call([&] { release_user_object(object, count); });
}
COMMON_FUNCTION(GraphRetainUserObject)(void* graph, void* object, unsigned count, unsigned flags) {
    return call([&] { retain_for_graph(graph, object, count, flags); });
}
COMMON_FUNCTION(GraphReleaseUserObject)(void* graph, void* object, unsigned count) {
    return call([&] { release_for_graph(graph, object, count); });
}
COMMON_FUNCTION(StreamBeginCaptureToGraph)
(void* stream, void* graph, void* const* after, EdgeData const* data, std::size_t count, int mode) {
    return call([&] {
        begin_capture(*Process::get().stream(stream), static_cast<CaptureMode>(mode), graph_of(graph),
                      edges_of(after, data, count));
    });
}
COMMON_PER_THREAD(StreamBeginCaptureToGraph)
COMMON_FUNCTION(ThreadExchangeStreamCaptureMode)(int* mode) {
    return call([&] {
        if (mode == nullptr) throw Failure(Result::invalid_value);
        *mode = static_cast<int>(exchange_capture_mode(static_cast<CaptureMode>(*mode)));
    });
}
COMMON_FUNCTION(StreamEndCapture)(void* stream, void** graph) {
    return call([&] {
        auto const captured = Process::get().stream(stream);
        if (graph != nullptr) *graph = nullptr;
        else if (!is_captured_into_given_graph(*captured)) throw Failure(Result::invalid_value);
        void* const handle = end_capture(*captured);
        if (graph != nullptr) *graph = handle;
    });
}
COMMON_PER_THREAD(StreamEndCapture)
COMMON_FUNCTION(StreamIsCapturing)(void* stream, int* out) {
    return call([&] { give(out, capture_status(*Process::get().stream(stream))); });
}
COMMON_PER_THREAD(StreamIsCapturing)

NEWER_FUNCTION(StreamBeginCapture)(void* stream, int mode) {
    return call([&] { begin_capture(*Process::get().stream(stream), static_cast<CaptureMode>(mode)); });
}
NEWER_PER_THREAD(StreamBeginCapture)
NEWER_FUNCTION(StreamUpdateCaptureDependencies)
(void* stream, void* const* nodes, EdgeData const* data, std::size_t count, unsigned flags) {
    return call([&] {
        if (flags > 1) throw Failure(Result::invalid_value);
        set_capture_dependencies(*Process::get().stream(stream), edges_of(nodes, data, count), flags == 1);
    });
}
NEWER_PER_THREAD(StreamUpdateCaptureDependencies)

COMMON_FUNCTION(GraphMemcpyNodeGetParams)(void* node, CopyParameters* p) {
    return call([&] { give(p, parameters_of(work_of<CopyWork>(*node_of(node)))); });
}
COMMON_FUNCTION(GraphMemcpyNodeSetParams)(void* node, CopyParameters const* p) {
    return call([&] { set_work(*node_of(node), copy_work(given(p))); });
}

NEWER_FUNCTION(GraphExecUpdate)(void* exec, void* graph, UpdateResultInfo* info) {
    return call([&] { update(*exec_of(exec), graph, info); });
}

NEWER_FUNCTION(GraphAddNode)
(void** out, void* graph, void* const* after, EdgeData const* data, std::size_t count, NodeParameters* p) {
    return call([&] {
        if (p == nullptr) throw Failure(Result::invalid_value);
        add_node(out, graph, after, data, count, work_from(*p, graph));
    });
}
COMMON_FUNCTION(GraphNodeSetParams)(void* node, NodeParameters* p) {
    return call([&] {
        if (p == nullptr) throw Failure(Result::invalid_value);
        change(*node_of(node), *p);
    });
}
COMMON_FUNCTION(GraphExecNodeSetParams)(void* exec, void* node, NodeParameters* p) {
    return call([&] {
        if (p == nullptr) throw Failure(Result::invalid_value);
        if (static_cast<NodeType>(p->type) == NodeType::graph)
            set_child(*exec_of(exec), node, value_at<void*>(*p));
        else change(exec_of(exec)->node(node), *p);
    });
}
