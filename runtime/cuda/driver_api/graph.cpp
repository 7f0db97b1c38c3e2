#include "runtime/cuda/graphs/calls.hpp"

#include "runtime/cuda/driver_api/call.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

using Nodes = void* const*;
using Count = std::size_t;

/// The forms that also report a node and a message.
CUresult instantiate_with_log(void** out, void* graph, void** error_node, char* log, Count bytes) {
    return call([&](Process& process) {
        if (error_node != nullptr) *error_node = nullptr;
        if (log != nullptr && bytes != 0) *log = 0;
        instantiate(process, out, graph, std::uint64_t{0});
    });
}

}  // namespace

WARPSIM_API CUresult cuGraphCreate(void** out, unsigned flags) {
    Arguments const said(out, flags);
    return call([&](Process& process) {
        if (out == nullptr || flags != 0) throw Failure(Result::invalid_value);
        *out = add_graph(process)->handle;
    });
}
WARPSIM_API CUresult cuGraphDestroy(void* graph) {
    Arguments const said(graph);
    return call([&](Process& process) { destroy_graph(process, graph); });
}
WARPSIM_API CUresult cuGraphClone(void** out, void* graph) {
    Arguments const said(out, graph);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        if (graph_of(process, graph)->has_memory_nodes()) throw Failure(Result::not_supported);
        std::shared_ptr<Graph> const made = graph_of(process, graph)->copy();
        name_graph(made);
        *out = made->handle;
    });
}
WARPSIM_API CUresult cuGraphNodeFindInClone(void** out, void* original, void* graph) {
    Arguments const said(out, original, graph);
    return call([&](Process& process) { find_in_copy(process, out, original, graph); });
}
WARPSIM_API CUresult cuGraphDestroyNode(void* node) {
    Arguments const said(node);
    return call([&](Process& process) { destroy_node(process, node); });
}
WARPSIM_API CUresult cuGraphNodeGetType(void* node, int* out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, node_of(process, node)->type()); });
}
WARPSIM_API CUresult cuGraphGetNodes(void* graph, void** out, std::size_t* count) {
    Arguments const said(graph, out, count);
    return call([&](Process& process) {
        std::vector<Node*> all;
        for (auto const& node : graph_of(process, graph)->nodes()) all.push_back(node.get());
        list_nodes(all, out, count);
    });
}
WARPSIM_API CUresult cuGraphGetRootNodes(void* graph, void** out, std::size_t* count) {
    Arguments const said(graph, out, count);
    return call([&](Process& process) { list_nodes(graph_of(process, graph)->roots(), out, count); });
}
WARPSIM_API CUresult cuGraphGetEdges_v2(void* graph, void** from, void** to, EdgeData* data, std::size_t* count) {
    Arguments const said(graph, from, to, data, count);
    return call([&](Process& process) { list_edges(*graph_of(process, graph), from, to, data, count); });
}
WARPSIM_API CUresult cuGraphNodeGetDependencies_v2(void* node, void** out, EdgeData* data, std::size_t* count) {
    Arguments const said(node, out, data, count);
    return call([&](Process& process) { list_edges(node_of(process, node)->dependencies, out, data, count); });
}
WARPSIM_API CUresult cuGraphNodeGetDependentNodes_v2(void* node, void** out, EdgeData* data, std::size_t* count) {
    Arguments const said(node, out, data, count);
    return call([&](Process& process) { list_edges(node_of(process, node)->dependents, out, data, count); });
}
WARPSIM_API CUresult cuGraphAddDependencies_v2(void* graph, void* const* from, void* const* to,
                                               EdgeData const* data, std::size_t count) {
    Arguments const said(graph, from, to, data, count);
    return call([&](Process& process) { connect(process, graph, from, to, data, count); });
}
WARPSIM_API CUresult cuGraphRemoveDependencies_v2(void* graph, void* const* from, void* const* to, EdgeData const*,
                                                  std::size_t count) {
    Arguments const said(graph, from, to, count);
    return call([&](Process& process) { disconnect(process, graph, from, to, count); });
}
WARPSIM_API CUresult cuDeviceGraphMemTrim(int device) {
    Arguments const said(device);
    return call([&](Process& process) { trim_graph_memory(process, device); });
}
WARPSIM_API CUresult cuDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
    Arguments const said(device, attribute, value);
    return call([&](Process& process) {
        give(static_cast<std::uint64_t*>(value), graph_memory_attribute(process, device, attribute));
    });
}
WARPSIM_API CUresult cuDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
    Arguments const said(device, attribute, value);
    return call([&](Process& process) {
        reset_graph_memory_attribute(process, device, attribute, given(static_cast<std::uint64_t const*>(value)));
    });
}
WARPSIM_API CUresult cuGraphInstantiateWithFlags(void** out, void* graph, unsigned long long flags) {
    Arguments const said(out, graph, flags);
    return call([&](Process& process) { instantiate(process, out, graph, flags); });
}
WARPSIM_API CUresult cuGraphInstantiateWithParams(void** out, void* graph, InstantiateParameters* p) {
    Arguments const said(out, graph, p);
    return call([&](Process& process) { instantiate(process, out, graph, p); });
}
WARPSIM_PER_THREAD(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz)
WARPSIM_API CUresult cuGraphExecGetFlags(void* exec, unsigned long long* out) {
    Arguments const said(exec, out);
    return call([&](Process& process) { give(out, exec_of(process, exec)->flags); });
}
WARPSIM_API CUresult cuGraphNodeSetEnabled(void* exec, void* node, unsigned is_enabled) {
    Arguments const said(exec, node, is_enabled);
    return call([&](Process& process) { enable(exec_of(process, exec)->node(node), is_enabled != 0); });
}
WARPSIM_API CUresult cuGraphNodeGetEnabled(void* exec, void* node, unsigned* out) {
    Arguments const said(exec, node, out);
    return call([&](Process& process) { give(out, exec_of(process, exec)->node(node).is_enabled); });
}
WARPSIM_API CUresult cuGraphUpload(void* exec, void* stream) {
    Arguments const said(exec, stream);
    return call([&](Process& process) {
        exec_of(process, exec);
        process.stream(stream);
    });
}
WARPSIM_PER_THREAD(cuGraphUpload, cuGraphUpload_ptsz)
WARPSIM_API CUresult cuGraphLaunch(void* exec, void* stream) {
    Arguments const said(exec, stream);
    return call([&](Process& process) { exec_of(process, exec)->launch(*process.stream(stream)); });
}
WARPSIM_PER_THREAD(cuGraphLaunch, cuGraphLaunch_ptsz)
WARPSIM_API CUresult cuGraphExecDestroy(void* exec) {
    Arguments const said(exec);
    return call([&](Process& process) {
        exec_of(process, exec);
        process.graph_execs.remove(exec);
    });
}
WARPSIM_API CUresult cuGraphDebugDotPrint(void* graph, char const* path, unsigned flags) {
    Arguments const said(graph, path, flags);
    return call([&](Process& process) { print_dot(process, graph, path, flags); });
}
WARPSIM_API CUresult cuUserObjectCreate(void** out, void* pointer, void (*end)(void*), unsigned count,
                                        unsigned flags) {
    return call([&](Process& process) { create_user_object(process, out, pointer, end, count, flags); });
}
WARPSIM_API CUresult cuUserObjectRetain(void* object, unsigned count) {
    Arguments const said(object, count);
    return call([&](Process& process) { retain_user_object(process, object, count); });
}
WARPSIM_API CUresult cuUserObjectRelease(void* object, unsigned count) {
    Arguments const said(object, count);
    return call([&](Process& process) { release_user_object(process, object, count); });
}
WARPSIM_API CUresult cuGraphRetainUserObject(void* graph, void* object, unsigned count, unsigned flags) {
    Arguments const said(graph, object, count, flags);
    return call([&](Process& process) { retain_for_graph(process, graph, object, count, flags); });
}
WARPSIM_API CUresult cuGraphReleaseUserObject(void* graph, void* object, unsigned count) {
    Arguments const said(graph, object, count);
    return call([&](Process& process) { release_for_graph(process, graph, object, count); });
}
WARPSIM_API CUresult cuGraphExecUpdate_v2(void* exec, void* graph, UpdateResultInfo* info) {
    Arguments const said(exec, graph, info);
    return call([&](Process& process) { update(process, *exec_of(process, exec), graph, info); });
}
// The forms from before edges had data.
WARPSIM_API CUresult cuGraphGetEdges(void* graph, void** from, void** to, Count* count) {
    Arguments const said(graph, from, to, count);
    return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
WARPSIM_API CUresult cuGraphNodeGetDependencies(void* node, void** out, Count* count) {
    Arguments const said(node, out, count);
    return cuGraphNodeGetDependencies_v2(node, out, nullptr, count);
}
WARPSIM_API CUresult cuGraphNodeGetDependentNodes(void* node, void** out, Count* count) {
    Arguments const said(node, out, count);
    return cuGraphNodeGetDependentNodes_v2(node, out, nullptr, count);
}
WARPSIM_API CUresult cuGraphAddDependencies(void* graph, Nodes from, Nodes to, Count count) {
    Arguments const said(graph, from, to, count);
    return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
WARPSIM_API CUresult cuGraphRemoveDependencies(void* graph, Nodes from, Nodes to, Count count) {
    Arguments const said(graph, from, to, count);
    return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
WARPSIM_API CUresult cuGraphConditionalHandleCreate(std::uint64_t* out, void* graph, CUcontext, unsigned initial,
                                                    unsigned flags) {
    Arguments const said(out, graph, initial, flags);
    return call([&](Process& process) { give(out, create_condition(process, graph, initial, flags)); });
}
WARPSIM_API CUresult cuGraphInstantiate(void** out, void* graph, void** error_node, char* log, Count bytes) {
    Arguments const said(out, graph, error_node, log, bytes);
    return instantiate_with_log(out, graph, error_node, log, bytes);
}
WARPSIM_API CUresult cuGraphInstantiate_v2(void** out, void* graph, void** error_node, char* log, Count bytes) {
    Arguments const said(out, graph, error_node, log, bytes);
    return instantiate_with_log(out, graph, error_node, log, bytes);
}
WARPSIM_API CUresult cuGraphExecUpdate(void* exec, void* graph, void** error_node, int* result) {
    Arguments const said(exec, graph, error_node, result);
    UpdateResultInfo info{};
    CUresult const status = cuGraphExecUpdate_v2(exec, graph, &info);
    if (error_node != nullptr) *error_node = info.error_node;
    if (result != nullptr) *result = info.result;
    return status;
}
