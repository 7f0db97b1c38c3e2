#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/copies.hpp"
#include "runtime/cuda/driver_api/values.hpp"
#include "runtime/cuda/graphs/node_parameters.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// The second form adds a kernel of a library, used when there is no function, and a context.
struct KernelNodeParametersV2 {
    KernelNodeParameters first;
    void* kernel;
    void* context;
};

struct ValueNodeParameters {
    void* context;
    unsigned count;
    CUstreamBatchMemOpParams* list;
    unsigned flags;
};

std::shared_ptr<Kernel> find_kernel(Process& process, void const* function) {
    return process.kernels.get(function);
}

KernelNodeParameters with_function(KernelNodeParametersV2 const& p) {
    KernelNodeParameters one = p.first;
    if (one.function == nullptr) one.function = p.kernel;
    return one;
}

/// It is ignored beside a function, which has a context of its own.
void* context_of(KernelNodeParametersV2 const& p) { return p.first.function == nullptr ? p.context : nullptr; }

KernelNodeParameters kernel_parameters(NodeParameters const& p) {
    return with_function(value_at<KernelNodeParametersV2>(p));
}

CopyWork copy_work(Process& process, CUDA_MEMCPY3D const& p) {
    CopyWork work = work_of_copy(process, p);
    check(process, work);
    work.description = std::make_shared<CUDA_MEMCPY3D const>(p);
    return work;
}

CUDA_MEMCPY3D parameters_of(CopyWork const& work) {
    if (work.description) return *static_cast<CUDA_MEMCPY3D const*>(work.description.get());
    return description_of(work);
}

ValueWork value_work(Process& process, ValueNodeParameters const& p) {
    ValueWork work = operations(p.list, p.count, p.flags);
    check(process, work);
    return work;
}

NodeDialect const dialect{
    find_kernel,
    kernel_parameters,
    [](NodeParameters const& p) { return context_of(value_at<KernelNodeParametersV2>(p)); },
    [](Process& process, NodeParameters const& p) { return copy_work(process, value_at<CUDA_MEMCPY3D>(p, 16)); },
    [](Process& process, NodeParameters const& p) {
        return value_work(process, value_at<ValueNodeParameters>(p));
    },
};

using Nodes = void* const*;
using Count = std::size_t;

}  // namespace

WARPSIM_API CUresult cuGraphAddEmptyNode(void** out, void* graph, void* const* after, std::size_t count) {
    Arguments const said(out, graph, after, count);
    return call([&](Process& process) { add_node(process, out, graph, after, nullptr, count, EmptyWork{}); });
}
WARPSIM_API CUresult cuGraphAddKernelNode(void** out, void* graph, void* const* after, std::size_t count,
                                          KernelNodeParameters const* p) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, kernel_work(process, given(p), find_kernel));
    });
}
WARPSIM_API CUresult cuGraphKernelNodeGetParams(void* node, KernelNodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        auto const n = node_of(process, node);
        give(p, parameters_of(*n, work_of<KernelWork>(*n)));
    });
}
WARPSIM_API CUresult cuGraphKernelNodeSetParams(void* node, KernelNodeParameters const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_kernel(process, *node_of(process, node), given(p), find_kernel); });
}
WARPSIM_API CUresult cuGraphExecKernelNodeSetParams(void* exec, void* node, KernelNodeParameters const* p) {
    Arguments const said(exec, node, p);
    return call(
        [&](Process& process) { set_kernel(process, exec_of(process, exec)->node(node), given(p), find_kernel); });
}
WARPSIM_API CUresult cuGraphKernelNodeGetAttribute(void* node, unsigned id, void* out) {
    Arguments const said(node, id, out);
    return call([&](Process& process) { get_attribute(process, node, id, out); });
}
WARPSIM_API CUresult cuGraphKernelNodeSetAttribute(void* node, unsigned id, void const* value) {
    Arguments const said(node, id, value);
    return call([&](Process& process) { set_attribute(process, node, id, value); });
}
WARPSIM_API CUresult cuGraphKernelNodeCopyAttributes(void* to, void* from) {
    Arguments const said(to, from);
    return call([&](Process& process) { copy_attributes(process, to, from); });
}
WARPSIM_API CUresult cuGraphMemsetNodeGetParams(void* node, FillNodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { give(p, parameters_of(work_of<FillWork>(*node_of(process, node)))); });
}
WARPSIM_API CUresult cuGraphMemsetNodeSetParams(void* node, FillNodeParameters const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_work(*node_of(process, node), fill_work(process, given(p))); });
}
WARPSIM_API CUresult cuGraphAddHostNode(void** out, void* graph, void* const* after, std::size_t count,
                                        HostNodeParameters const* p) {
    Arguments const said(out, graph, after, count, p);
    return call(
        [&](Process& process) { add_node(process, out, graph, after, nullptr, count, host_work(given(p))); });
}
WARPSIM_API CUresult cuGraphHostNodeGetParams(void* node, HostNodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        HostWork const& work = work_of<HostWork>(*node_of(process, node));
        give(p, HostNodeParameters{work.function, work.data});
    });
}
WARPSIM_API CUresult cuGraphHostNodeSetParams(void* node, HostNodeParameters const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_work(*node_of(process, node), host_work(given(p))); });
}
WARPSIM_API CUresult cuGraphExecHostNodeSetParams(void* exec, void* node, HostNodeParameters const* p) {
    Arguments const said(exec, node, p);
    return call([&](Process& process) { set_work(exec_of(process, exec)->node(node), host_work(given(p))); });
}
WARPSIM_API CUresult cuGraphAddChildGraphNode(void** out, void* graph, void* const* after, std::size_t count,
                                              void* inner) {
    Arguments const said(out, graph, after, count, inner);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, child_work(process, inner));
    });
}
WARPSIM_API CUresult cuGraphChildGraphNodeGetGraph(void* node, void** out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<ChildWork>(*node_of(process, node)).graph->handle); });
}
WARPSIM_API CUresult cuGraphExecChildGraphNodeSetParams(void* exec, void* node, void* graph) {
    Arguments const said(exec, node, graph);
    return call([&](Process& process) { set_child(process, *exec_of(process, exec), node, graph); });
}
WARPSIM_API CUresult cuGraphAddEventRecordNode(void** out, void* graph, void* const* after, std::size_t count,
                                               void* event) {
    Arguments const said(out, graph, after, count, event);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, RecordWork{process.events.get(event), event});
    });
}
WARPSIM_API CUresult cuGraphEventRecordNodeGetEvent(void* node, void** out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<RecordWork>(*node_of(process, node)).handle); });
}
WARPSIM_API CUresult cuGraphEventRecordNodeSetEvent(void* node, void* event) {
    Arguments const said(node, event);
    return call([&](Process& process) {
        set_work(*node_of(process, node), RecordWork{process.events.get(event), event});
    });
}
WARPSIM_API CUresult cuGraphExecEventRecordNodeSetEvent(void* exec, void* node, void* event) {
    Arguments const said(exec, node, event);
    return call([&](Process& process) {
        set_work(exec_of(process, exec)->node(node), RecordWork{process.events.get(event), event});
    });
}
WARPSIM_API CUresult cuGraphAddEventWaitNode(void** out, void* graph, void* const* after, std::size_t count,
                                             void* event) {
    Arguments const said(out, graph, after, count, event);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, WaitWork{process.events.get(event), event});
    });
}
WARPSIM_API CUresult cuGraphEventWaitNodeGetEvent(void* node, void** out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<WaitWork>(*node_of(process, node)).handle); });
}
WARPSIM_API CUresult cuGraphEventWaitNodeSetEvent(void* node, void* event) {
    Arguments const said(node, event);
    return call([&](Process& process) {
        set_work(*node_of(process, node), WaitWork{process.events.get(event), event});
    });
}
WARPSIM_API CUresult cuGraphExecEventWaitNodeSetEvent(void* exec, void* node, void* event) {
    Arguments const said(exec, node, event);
    return call([&](Process& process) {
        set_work(exec_of(process, exec)->node(node), WaitWork{process.events.get(event), event});
    });
}
WARPSIM_API CUresult cuGraphAddMemAllocNode(void** out, void* graph, void* const* after, std::size_t count,
                                            AllocationNodeParameters* p) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        add_node(process, out, graph, after, nullptr, count, allocation_work(process, *p));
    });
}
WARPSIM_API CUresult cuGraphMemAllocNodeGetParams(void* node, AllocationNodeParameters* p) {
    Arguments const said(node, p);
    return call(
        [&](Process& process) { give(p, parameters_of(work_of<AllocationWork>(*node_of(process, node)))); });
}
WARPSIM_API CUresult cuGraphAddMemFreeNode(void** out, void* graph, void* const* after, std::size_t count,
                                           std::uint64_t address) {
    Arguments const said(out, graph, after, count, address);
    return call(
        [&](Process& process) { add_node(process, out, graph, after, nullptr, count, free_work(address)); });
}
WARPSIM_API CUresult cuGraphMemFreeNodeGetParams(void* node, std::uint64_t* out) {
    Arguments const said(node, out);
    return call([&](Process& process) { give(out, work_of<FreeWork>(*node_of(process, node)).address); });
}
WARPSIM_API CUresult cuGraphMemcpyNodeGetParams(void* node, CUDA_MEMCPY3D* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { give(p, parameters_of(work_of<CopyWork>(*node_of(process, node)))); });
}
WARPSIM_API CUresult cuGraphMemcpyNodeSetParams(void* node, CUDA_MEMCPY3D const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_work(*node_of(process, node), copy_work(process, given(p))); });
}
WARPSIM_API CUresult cuGraphAddNode_v2(void** out, void* graph, void* const* after, EdgeData const* data,
                                       std::size_t count, NodeParameters* p) {
    Arguments const said(out, graph, after, data, count, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        add_node(process, out, graph, after, data, count, work_from(process, dialect, *p, graph));
    });
}
WARPSIM_API CUresult cuGraphNodeSetParams(void* node, NodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        change(process, dialect, *node_of(process, node), *p);
    });
}
WARPSIM_API CUresult cuGraphExecNodeSetParams(void* exec, void* node, NodeParameters* p) {
    Arguments const said(exec, node, p);
    return call([&](Process& process) {
        if (p == nullptr) throw Failure(Result::invalid_value);
        if (static_cast<NodeType>(p->type) == NodeType::graph)
            set_child(process, *exec_of(process, exec), node, value_at<void*>(*p));
        else change(process, dialect, exec_of(process, exec)->node(node), *p);
    });
}
WARPSIM_API CUresult cuGraphAddNode(void** out, void* graph, Nodes after, Count count, NodeParameters* p) {
    Arguments const said(out, graph, after, count, p);
    return cuGraphAddNode_v2(out, graph, after, nullptr, count, p);
}
WARPSIM_API CUresult cuGraphAddKernelNode_v2(void** out, void* graph, Nodes after, Count count,
                                             KernelNodeParametersV2 const* p) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count,
                 kernel_work(process, with_function(given(p)), find_kernel, context_of(*p)));
    });
}
WARPSIM_API CUresult cuGraphKernelNodeGetParams_v2(void* node, KernelNodeParametersV2* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        auto const n = node_of(process, node);
        give(p, KernelNodeParametersV2{warpsim::cuda::parameters_of(*n, work_of<KernelWork>(*n)), nullptr,
                                       Thread::current().context()});
    });
}
WARPSIM_API CUresult cuGraphKernelNodeSetParams_v2(void* node, KernelNodeParametersV2 const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        set_kernel(process, *node_of(process, node), with_function(given(p)), find_kernel);
    });
}
WARPSIM_API CUresult cuGraphExecKernelNodeSetParams_v2(void* exec, void* node, KernelNodeParametersV2 const* p) {
    Arguments const said(exec, node, p);
    return call([&](Process& process) {
        set_kernel(process, exec_of(process, exec)->node(node), with_function(given(p)), find_kernel);
    });
}
WARPSIM_API CUresult cuGraphAddMemcpyNode(void** out, void* graph, Nodes after, Count count,
                                          CUDA_MEMCPY3D const* p, CUcontext) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, copy_work(process, given(p)));
    });
}
WARPSIM_API CUresult cuGraphExecMemcpyNodeSetParams(void* exec, void* node, CUDA_MEMCPY3D const* p, CUcontext) {
    Arguments const said(exec, node, p);
    return call(
        [&](Process& process) { set_work(exec_of(process, exec)->node(node), copy_work(process, given(p))); });
}
WARPSIM_API CUresult cuGraphAddMemsetNode(void** out, void* graph, Nodes after, Count count,
                                          FillNodeParameters const* p, CUcontext) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, fill_work(process, given(p)));
    });
}
WARPSIM_API CUresult cuGraphExecMemsetNodeSetParams(void* exec, void* node, FillNodeParameters const* p,
                                                    CUcontext) {
    Arguments const said(exec, node, p);
    return call(
        [&](Process& process) { set_work(exec_of(process, exec)->node(node), fill_work(process, given(p))); });
}
WARPSIM_API CUresult cuGraphAddBatchMemOpNode(void** out, void* graph, Nodes after, Count count,
                                              ValueNodeParameters const* p) {
    Arguments const said(out, graph, after, count, p);
    return call([&](Process& process) {
        add_node(process, out, graph, after, nullptr, count, value_work(process, given(p)));
    });
}
WARPSIM_API CUresult cuGraphBatchMemOpNodeGetParams(void* node, ValueNodeParameters* p) {
    Arguments const said(node, p);
    return call([&](Process& process) {
        auto const n = node_of(process, node);
        auto const& operations = work_of<ValueWork>(*n).operations;
        constexpr std::size_t words = sizeof(CUstreamBatchMemOpParams) / sizeof(std::uint64_t);
        n->value_operations.resize(operations.size() * words);
        auto* const list = reinterpret_cast<CUstreamBatchMemOpParams*>(n->value_operations.data());
        for (std::size_t i = 0; i < operations.size(); ++i) list[i] = driver::description_of(operations[i]);
        give(p,
             ValueNodeParameters{Thread::current().context(), static_cast<unsigned>(operations.size()), list, 0});
    });
}
WARPSIM_API CUresult cuGraphBatchMemOpNodeSetParams(void* node, ValueNodeParameters const* p) {
    Arguments const said(node, p);
    return call([&](Process& process) { set_work(*node_of(process, node), value_work(process, given(p))); });
}
WARPSIM_API CUresult cuGraphExecBatchMemOpNodeSetParams(void* exec, void* node, ValueNodeParameters const* p) {
    Arguments const said(exec, node, p);
    return call(
        [&](Process& process) { set_work(exec_of(process, exec)->node(node), value_work(process, given(p))); });
}
