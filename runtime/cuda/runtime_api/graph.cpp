#include "runtime/cuda/graphs/calls.hpp"

#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/newest_names.hpp"

using namespace warpsim::cuda;

WARPSIM_API cudaError_t cudaGraphCreate(void** out, unsigned flags) {
    Arguments const said(out, flags);
    return call([&](Process& process) {
        if (out == nullptr || flags != 0) throw Failure(Result::invalid_value);
        *out = add_graph(process)->handle;
    });
}
WARPSIM_API cudaError_t cudaGraphDestroy(void* graph) {
    Arguments const said(graph);
    return call([&](Process& process) { destroy_graph(process, graph); });
}
WARPSIM_API cudaError_t cudaGraphClone(void** out, void* graph) {
    Arguments const said(out, graph);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        if (graph_of(process, graph)->has_memory_nodes()) throw Failure(Result::not_supported);
        std::shared_ptr<Graph> const made = graph_of(process, graph)->copy();
        name_graph(made);
        *out = made->handle;
    });
}
WARPSIM_API cudaError_t cudaGraphNodeFindInClone(void** out, void* original, void* graph) {
    Arguments const said(out, original, graph);
    return call([&](Process& process) { find_in_copy(process, out, original, graph); });
}
WARPSIM_API cudaError_t cudaGraphDestroyNode(void* node) {
    Arguments const said(node);
    return call([&](Process& process) { destroy_node(process, node); });
}
WARPSIM_API cudaError_t cudaGraphNodeGetType(void* node, int* out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, node_of(process, node)->type()); });
}
WARPSIM_API cudaError_t cudaGraphGetNodes(void* graph, void** out, std::size_t* count) {
    Arguments const said(graph, out, count);
    return call([&](Process& process) {
        std::vector<Node*> all;
        for (auto const& node : graph_of(process, graph)->nodes()) all.push_back(node.get());
        list_nodes(all, out, count);
    });
}
WARPSIM_API cudaError_t cudaGraphGetRootNodes(void* graph, void** out, std::size_t* count) {
    Arguments const said(graph, out, count);
    return call([&](Process& process) { list_nodes(graph_of(process, graph)->roots(), out, count); });
}
WARPSIM_API cudaError_t cudaGraphGetEdges(void* graph, void** from, void** to, EdgeData* data,
                                          std::size_t* count) {
    Arguments const said(graph, from, to, data, count);
    return call([&](Process& process) { list_edges(*graph_of(process, graph), from, to, data, count); });
}
WARPSIM_API cudaError_t cudaGraphNodeGetDependencies(void* node, void** out, EdgeData* data, std::size_t* count) {
    Arguments const said(node, out, data, count);
    return call([&](Process& process) { list_edges(node_of(process, node)->dependencies, out, data, count); });
}
WARPSIM_API cudaError_t cudaGraphNodeGetDependentNodes(void* node, void** out, EdgeData* data,
                                                       std::size_t* count) {
    Arguments const said(node, out, data, count);
    return call([&](Process& process) { list_edges(node_of(process, node)->dependents, out, data, count); });
}
WARPSIM_API cudaError_t cudaGraphAddDependencies(void* graph, void* const* from, void* const* to,
                                                 EdgeData const* data, std::size_t count) {
    Arguments const said(graph, from, to, data, count);
    return call([&](Process& process) { connect(process, graph, from, to, data, count); });
}
WARPSIM_API cudaError_t cudaGraphRemoveDependencies(void* graph, void* const* from, void* const* to,
                                                    EdgeData const*, std::size_t count) {
    Arguments const said(graph, from, to, count);
    return call([&](Process& process) { disconnect(process, graph, from, to, count); });
}
WARPSIM_API cudaError_t cudaDeviceGraphMemTrim(int device) {
    Arguments const said(device);
    return call([&](Process& process) { trim_graph_memory(process, device); });
}
WARPSIM_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
    Arguments const said(device, attribute, value);
    return call([&](Process& process) {
        give(static_cast<std::uint64_t*>(value), graph_memory_attribute(process, device, attribute));
    });
}
WARPSIM_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
    Arguments const said(device, attribute, value);
    return call([&](Process& process) {
        reset_graph_memory_attribute(process, device, attribute, given(static_cast<std::uint64_t const*>(value)));
    });
}
WARPSIM_API cudaError_t cudaGraphInstantiateWithFlags(void** out, void* graph, unsigned long long flags) {
    Arguments const said(out, graph, flags);
    return call([&](Process& process) { instantiate(process, out, graph, flags); });
}
WARPSIM_API cudaError_t cudaGraphInstantiateWithParams(void** out, void* graph, InstantiateParameters* p) {
    Arguments const said(out, graph, p);
    return call([&](Process& process) { instantiate(process, out, graph, p); });
}
WARPSIM_PER_THREAD(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz)
WARPSIM_API cudaError_t cudaGraphExecGetFlags(void* exec, unsigned long long* out) {
    Arguments const said(exec, out);
    return call([&](Process& process) { give(out, exec_of(process, exec)->flags); });
}
WARPSIM_API cudaError_t cudaGraphNodeSetEnabled(void* exec, void* node, unsigned is_enabled) {
    Arguments const said(exec, node, is_enabled);
    return call([&](Process& process) { enable(exec_of(process, exec)->node(node), is_enabled != 0); });
}
WARPSIM_API cudaError_t cudaGraphNodeGetEnabled(void* exec, void* node, unsigned* out) {
    Arguments const said(exec, node, out);
    return call([&](Process& process) { give(out, exec_of(process, exec)->node(node).is_enabled); });
}
WARPSIM_API cudaError_t cudaGraphUpload(void* exec, void* stream) {
    Arguments const said(exec, stream);
    return call([&](Process& process) {
        exec_of(process, exec);
        process.stream(stream);
    });
}
WARPSIM_PER_THREAD(cudaGraphUpload, cudaGraphUpload_ptsz)
WARPSIM_API cudaError_t cudaGraphLaunch(void* exec, void* stream) {
    Arguments const said(exec, stream);
    return call([&](Process& process) { exec_of(process, exec)->launch(*process.stream(stream)); });
}
WARPSIM_PER_THREAD(cudaGraphLaunch, cudaGraphLaunch_ptsz)
WARPSIM_API cudaError_t cudaGraphExecDestroy(void* exec) {
    Arguments const said(exec);
    return call([&](Process& process) {
        exec_of(process, exec);
        process.graph_execs.remove(exec);
    });
}
WARPSIM_API cudaError_t cudaGraphDebugDotPrint(void* graph, char const* path, unsigned flags) {
    Arguments const said(graph, path, flags);
    return call([&](Process& process) { print_dot(process, graph, path, flags); });
}
WARPSIM_API cudaError_t cudaUserObjectCreate(void** out, void* pointer, void (*end)(void*), unsigned count,
                                             unsigned flags) {
    return call([&](Process& process) { create_user_object(process, out, pointer, end, count, flags); });
}
WARPSIM_API cudaError_t cudaUserObjectRetain(void* object, unsigned count) {
    Arguments const said(object, count);
    return call([&](Process& process) { retain_user_object(process, object, count); });
}
WARPSIM_API cudaError_t cudaUserObjectRelease(void* object, unsigned count) {
    Arguments const said(object, count);
    return call([&](Process& process) { release_user_object(process, object, count); });
}
WARPSIM_API cudaError_t cudaGraphRetainUserObject(void* graph, void* object, unsigned count, unsigned flags) {
    Arguments const said(graph, object, count, flags);
    return call([&](Process& process) { retain_for_graph(process, graph, object, count, flags); });
}
WARPSIM_API cudaError_t cudaGraphReleaseUserObject(void* graph, void* object, unsigned count) {
    Arguments const said(graph, object, count);
    return call([&](Process& process) { release_for_graph(process, graph, object, count); });
}
WARPSIM_API cudaError_t cudaGraphExecUpdate(void* exec, void* graph, UpdateResultInfo* info) {
    Arguments const said(exec, graph, info);
    return call([&](Process& process) { update(process, *exec_of(process, exec), graph, info); });
}
WARPSIM_API cudaError_t cudaGraphInstantiate(void** out, void* graph, unsigned long long flags) {
    Arguments const said(out, graph, flags);
    return call([&](Process& process) { instantiate(process, out, graph, flags); });
}
WARPSIM_API cudaError_t cudaGraphConditionalHandleCreate(std::uint64_t* out, void* graph, unsigned initial,
                                                         unsigned flags) {
    Arguments const said(out, graph, initial, flags);
    return call([&](Process& process) { give(out, create_condition(process, graph, initial, flags)); });
}
