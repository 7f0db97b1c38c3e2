#include "runtime/cuda/graphs/node_parameters.hpp"

#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/copies.hpp"
#include "runtime/cuda/runtime_api/newest_names.hpp"
#include "runtime/cuda/runtime_api/registration.hpp"

#include <cstring>
#include <functional>

using namespace warpsim::cuda;

namespace {

std::shared_ptr<Kernel> find_kernel(Process& process, void const* function) {
    return Registrations::get().kernel(process, function);
}

KernelNodeParameters kernel_parameters(NodeParameters const& p) {
    KernelNodeParameters one;
    std::memcpy(&one, p.value, sizeof one);
    return one;
}

CopyWork copy_work(Process& process, cudaMemcpy3DParms const& p) {
    CopyWork const work = work_of_copy(process, p);
    check(process, work);
    return work;
}

cudaMemcpy3DParms parameters_of(CopyWork const& work) { return description_of(work); }

NodeDialect const dialect{
    find_kernel,
    kernel_parameters,
    [](NodeParameters const&) -> void* { return nullptr; },
    [](Process& process, NodeParameters const& p) {
        return copy_work(process, value_at<cudaMemcpy3DParms>(p, 16));
    },
    // The runtime has no such nodes.
    [](Process&, NodeParameters const&) -> ValueWork { throw Failure(Result::invalid_value); },
};

/// A copy of consecutive bytes, as a node.
CopyWork plain_copy(Process& process, void* to, void const* from, std::size_t bytes, int kind) {
    CopyWork const work{
        {address(to), bytes, bytes}, {address(from), bytes, bytes}, {bytes, 1, 1}, static_cast<Direction>(kind)};
    if (bytes == 0) throw Failure(Result::invalid_value);
    check(process, work);
    return work;
}

CopyWork to_symbol(Process& process, void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
                   int kind) {
    return plain_copy(process, Registrations::get().part(process, symbol, bytes, offset, process.current()), from,
                      bytes, kind);
}

CopyWork from_symbol(Process& process, void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                     int kind) {
    return plain_copy(process, to, Registrations::get().part(process, symbol, bytes, offset, process.current()),
                      bytes, kind);
}

using Nodes = void* const*;
using Count = std::size_t;

cudaError_t add(void** out, void* graph, Nodes after, Count count, std::function<NodeWork(Process&)> const& work) {
    return call([&](Process& process) { add_node(process, out, graph, after, nullptr, count, work(process)); });
}

cudaError_t change(void* node, std::function<NodeWork(Process&)> const& work) {
    return call([&](Process& process) { set_work(*node_of(process, node), work(process)); });
}

cudaError_t change_in(void* exec, void* node, std::function<NodeWork(Process&)> const& work) {
    return call([&](Process& process) { set_work(exec_of(process, exec)->node(node), work(process)); });
}

}  // namespace

WARPSIM_API cudaError_t cudaGraphAddEmptyNode(void** out, void* graph, void* const* after, std::size_t count) {
    Arguments const said(out, graph, after, count);
    return call([&](Process& process) { add_node(process, out, graph, after, nullptr, count, EmptyWork{}); });
}
WARPSIM_API cudaError_t cudaGraphAddKernelNode(void** out, void* graph, void* const* after, std::size_t count,
                                               KernelNodeParameters const* p) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, kernel_work(process, given(p), find_kernel));
    });
}
WARPSIM_API cudaError_t cudaGraphKernelNodeGetParams(void* node, KernelNodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        auto const n = node_of(process, node);
        give(p, parameters_of(*n, work_of<KernelWork>(*n)));
    });
}
WARPSIM_API cudaError_t cudaGraphKernelNodeSetParams(void* node, KernelNodeParameters const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_kernel(process, *node_of(process, node), given(p), find_kernel); });
}
WARPSIM_API cudaError_t cudaGraphExecKernelNodeSetParams(void* exec, void* node, KernelNodeParameters const* p) {
    Arguments const said(exec, node, p);
    return call(
        [&](Process& process) { set_kernel(process, exec_of(process, exec)->node(node), given(p), find_kernel); });
}
WARPSIM_API cudaError_t cudaGraphKernelNodeGetAttribute(void* node, unsigned id, void* out) {
    Arguments const said(node, id, out);
    return call([&](Process& process) { get_attribute(process, node, id, out); });
}
WARPSIM_API cudaError_t cudaGraphKernelNodeSetAttribute(void* node, unsigned id, void const* value) {
    Arguments const said(node, id, value);
    return call([&](Process& process) { set_attribute(process, node, id, value); });
}
WARPSIM_API cudaError_t cudaGraphKernelNodeCopyAttributes(void* to, void* from) {
    Arguments const said(to, from);
    return call([&](Process& process) { copy_attributes(process, to, from); });
}
WARPSIM_API cudaError_t cudaGraphMemsetNodeGetParams(void* node, FillNodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { give(p, parameters_of(work_of<FillWork>(*node_of(process, node)))); });
}
WARPSIM_API cudaError_t cudaGraphMemsetNodeSetParams(void* node, FillNodeParameters const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_work(*node_of(process, node), fill_work(process, given(p))); });
}
WARPSIM_API cudaError_t cudaGraphAddHostNode(void** out, void* graph, void* const* after, std::size_t count,
                                             HostNodeParameters const* p) {
    Arguments const said(out, graph, after, count, p);
    return call(
        [&](Process& process) { add_node(process, out, graph, after, nullptr, count, host_work(given(p))); });
}
WARPSIM_API cudaError_t cudaGraphHostNodeGetParams(void* node, HostNodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        HostWork const& work = work_of<HostWork>(*node_of(process, node));
        give(p, HostNodeParameters{work.function, work.data});
    });
}
WARPSIM_API cudaError_t cudaGraphHostNodeSetParams(void* node, HostNodeParameters const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_work(*node_of(process, node), host_work(given(p))); });
}
WARPSIM_API cudaError_t cudaGraphExecHostNodeSetParams(void* exec, void* node, HostNodeParameters const* p) {
    Arguments const said(exec, node, p);
    return call([&](Process& process) { set_work(exec_of(process, exec)->node(node), host_work(given(p))); });
}
WARPSIM_API cudaError_t cudaGraphAddChildGraphNode(void** out, void* graph, void* const* after, std::size_t count,
                                                   void* inner) {
    Arguments const said(out, graph, after, count, inner);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, child_work(process, inner));
    });
}
WARPSIM_API cudaError_t cudaGraphChildGraphNodeGetGraph(void* node, void** out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<ChildWork>(*node_of(process, node)).graph->handle); });
}
WARPSIM_API cudaError_t cudaGraphExecChildGraphNodeSetParams(void* exec, void* node, void* graph) {
    Arguments const said(exec, node, graph);
    return call([&](Process& process) { set_child(process, *exec_of(process, exec), node, graph); });
}
WARPSIM_API cudaError_t cudaGraphAddEventRecordNode(void** out, void* graph, void* const* after, std::size_t count,
                                                    void* event) {
    Arguments const said(out, graph, after, count, event);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, RecordWork{process.events.get(event), event});
    });
}
WARPSIM_API cudaError_t cudaGraphEventRecordNodeGetEvent(void* node, void** out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<RecordWork>(*node_of(process, node)).handle); });
}
WARPSIM_API cudaError_t cudaGraphEventRecordNodeSetEvent(void* node, void* event) {
    Arguments const said(node, event);
    return call([&](Process& process) {
        set_work(*node_of(process, node), RecordWork{process.events.get(event), event});
    });
}
WARPSIM_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(void* exec, void* node, void* event) {
    Arguments const said(exec, node, event);
    return call([&](Process& process) {
        set_work(exec_of(process, exec)->node(node), RecordWork{process.events.get(event), event});
    });
}
WARPSIM_API cudaError_t cudaGraphAddEventWaitNode(void** out, void* graph, void* const* after, std::size_t count,
                                                  void* event) {
    Arguments const said(out, graph, after, count, event);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, WaitWork{process.events.get(event), event});
    });
}
WARPSIM_API cudaError_t cudaGraphEventWaitNodeGetEvent(void* node, void** out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<WaitWork>(*node_of(process, node)).handle); });
}
WARPSIM_API cudaError_t cudaGraphEventWaitNodeSetEvent(void* node, void* event) {
    Arguments const said(node, event);
    return call([&](Process& process) {
        set_work(*node_of(process, node), WaitWork{process.events.get(event), event});
    });
}
WARPSIM_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(void* exec, void* node, void* event) {
    Arguments const said(exec, node, event);
    return call([&](Process& process) {
        set_work(exec_of(process, exec)->node(node), WaitWork{process.events.get(event), event});
    });
}
WARPSIM_API cudaError_t cudaGraphAddMemAllocNode(void** out, void* graph, void* const* after, std::size_t count,
                                                 AllocationNodeParameters* p) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        add_node(process, out, graph, after, nullptr, count, allocation_work(process, *p));
    });
}
WARPSIM_API cudaError_t cudaGraphMemAllocNodeGetParams(void* node, AllocationNodeParameters* p) {
    Arguments const said(node, p);
    return call(
        [&](Process& process) { give(p, parameters_of(work_of<AllocationWork>(*node_of(process, node)))); });
}
WARPSIM_API cudaError_t cudaGraphAddMemFreeNode(void** out, void* graph, void* const* after, std::size_t count,
                                                std::uint64_t address) {
    Arguments const said(out, graph, after, count, address);
    return call(
        [&](Process& process) { add_node(process, out, graph, after, nullptr, count, free_work(address)); });
}
WARPSIM_API cudaError_t cudaGraphMemFreeNodeGetParams(void* node, std::uint64_t* out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<FreeWork>(*node_of(process, node)).address); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeGetParams(void* node, cudaMemcpy3DParms* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { give(p, parameters_of(work_of<CopyWork>(*node_of(process, node)))); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeSetParams(void* node, cudaMemcpy3DParms const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_work(*node_of(process, node), copy_work(process, given(p))); });
}
WARPSIM_API cudaError_t cudaGraphAddNode(void** out, void* graph, void* const* after, EdgeData const* data,
                                         std::size_t count, NodeParameters* p) {
    Arguments const said(out, graph, after, data, count, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        add_node(process, out, graph, after, data, count, work_from(process, dialect, *p, graph));
    });
}
WARPSIM_API cudaError_t cudaGraphNodeSetParams(void* node, NodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        change(process, dialect, *node_of(process, node), *p);
    });
}
WARPSIM_API cudaError_t cudaGraphExecNodeSetParams(void* exec, void* node, NodeParameters* p) {
    Arguments const said(exec, node, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        if (static_cast<NodeType>(p->type) == NodeType::graph)
            set_child(process, *exec_of(process, exec), node, value_at<void*>(*p));
        else change(process, dialect, exec_of(process, exec)->node(node), *p);
    });
}
WARPSIM_API cudaError_t cudaGraphAddMemcpyNode(void** out, void* graph, Nodes after, Count n,
                                               cudaMemcpy3DParms const* p) {
    Arguments const said(out, graph, after, n, p);
    return add(out, graph, after, n, [&](Process& process) { return copy_work(process, given(p)); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParams(void* exec, void* node, cudaMemcpy3DParms const* p) {
    Arguments const said(exec, node, p);
    return change_in(exec, node, [&](Process& process) { return copy_work(process, given(p)); });
}
WARPSIM_API cudaError_t cudaGraphAddMemcpyNode1D(void** out, void* graph, Nodes after, Count n, void* to,
                                                 void const* from, std::size_t bytes, int kind) {
    Arguments const said(out, graph, after, n, to, from, bytes, kind);
    return add(out, graph, after, n, [&](Process& process) { return plain_copy(process, to, from, bytes, kind); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeSetParams1D(void* node, void* to, void const* from, std::size_t bytes,
                                                       int kind) {
    Arguments const said(node, to, from, bytes, kind);
    return change(node, [&](Process& process) { return plain_copy(process, to, from, bytes, kind); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(void* exec, void* node, void* to, void const* from,
                                                           std::size_t bytes, int kind) {
    Arguments const said(exec, node, to, from, bytes, kind);
    return change_in(exec, node, [&](Process& process) { return plain_copy(process, to, from, bytes, kind); });
}
WARPSIM_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(void** out, void* graph, Nodes after, Count n,
                                                       void const* symbol, void const* from, std::size_t bytes,
                                                       std::size_t offset, int kind) {
    Arguments const said(out, graph, after, n, symbol, from, bytes, offset, kind);
    return add(out, graph, after, n,
               [&](Process& process) { return to_symbol(process, symbol, from, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(void* node, void const* symbol, void const* from,
                                                             std::size_t bytes, std::size_t offset, int kind) {
    Arguments const said(node, symbol, from, bytes, offset, kind);
    return change(node, [&](Process& process) { return to_symbol(process, symbol, from, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(void* exec, void* node, void const* symbol,
                                                                 void const* from, std::size_t bytes,
                                                                 std::size_t offset, int kind) {
    Arguments const said(exec, node, symbol, from, bytes, offset, kind);
    return change_in(exec, node,
                     [&](Process& process) { return to_symbol(process, symbol, from, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(void** out, void* graph, Nodes after, Count n, void* to,
                                                         void const* symbol, std::size_t bytes, std::size_t offset,
                                                         int kind) {
    Arguments const said(out, graph, after, n, to, symbol, bytes, offset, kind);
    return add(out, graph, after, n,
               [&](Process& process) { return from_symbol(process, to, symbol, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(void* node, void* to, void const* symbol,
                                                               std::size_t bytes, std::size_t offset, int kind) {
    Arguments const said(node, to, symbol, bytes, offset, kind);
    return change(node, [&](Process& process) { return from_symbol(process, to, symbol, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(void* exec, void* node, void* to,
                                                                   void const* symbol, std::size_t bytes,
                                                                   std::size_t offset, int kind) {
    Arguments const said(exec, node, to, symbol, bytes, offset, kind);
    return change_in(exec, node,
                     [&](Process& process) { return from_symbol(process, to, symbol, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphAddMemsetNode(void** out, void* graph, Nodes after, Count n,
                                               FillNodeParameters const* p) {
    Arguments const said(out, graph, after, n, p);
    return add(out, graph, after, n, [&](Process& process) { return fill_work(process, given(p)); });
}
WARPSIM_API cudaError_t cudaGraphExecMemsetNodeSetParams(void* exec, void* node, FillNodeParameters const* p) {
    Arguments const said(exec, node, p);
    return change_in(exec, node, [&](Process& process) { return fill_work(process, given(p)); });
}
