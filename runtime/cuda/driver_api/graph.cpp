#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/driver_api/copies.hpp"
#include "runtime/cuda/driver_api/values.hpp"
#include "runtime/cuda/graphs/calls.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// The second form adds a kernel of a library, for when there is no function, and a context.
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

std::shared_ptr<Kernel> find_kernel(void const* function) { return Process::get().kernels.get(function); }

KernelNodeParameters with_function(KernelNodeParametersV2 const& p) {
    KernelNodeParameters one = p.first;
    if (one.function == nullptr) one.function = p.kernel;
    return one;
}

KernelNodeParameters kernel_parameters(NodeParameters const& p) {
    KernelNodeParametersV2 both;
    std::memcpy(&both, p.value, sizeof both);
    return with_function(both);
}

using CopyParameters = CUDA_MEMCPY3D;

CopyWork copy_work(CUDA_MEMCPY3D const& p) {
    CopyWork const work = work_of_copy(p);
    check(work);
    return work;
}

CUDA_MEMCPY3D parameters_of(CopyWork const& work) { return description_of(work); }

ValueWork value_work(ValueNodeParameters const& p) {
    ValueWork work = operations(p.list, p.count, p.flags);
    check(work);
    return work;
}

ValueWork value_work(NodeParameters const& p) {
    ValueNodeParameters one;
    std::memcpy(&one, p.value, sizeof one);
    return value_work(one);
}

}  // namespace

#include "runtime/cuda/interface/graphs.hpp"

namespace {

using Nodes = void* const*;
using Count = std::size_t;

CUresult capture_info(CUstream s, int* status, std::uint64_t* id, void** graph, void const* const** nodes,
                      EdgeData const** data, std::size_t* count) {
    return call([&] {
        auto const stream = Process::get().stream(s);
        give(status, capture_status(*stream));
        describe_capture(*stream, id, graph, nodes, data, count);
    });
}

}  // namespace

WARPSIM_API CUresult cuStreamBeginCapture(CUstream s) { return cuStreamBeginCapture_v2(s, 0); }
WARPSIM_PER_THREAD(cuStreamBeginCapture, _ptsz)
WARPSIM_API CUresult cuStreamGetCaptureInfo(CUstream s, int* status, std::uint64_t* id) {
    return capture_info(s, status, id, nullptr, nullptr, nullptr, nullptr);
}
WARPSIM_PER_THREAD(cuStreamGetCaptureInfo, _ptsz)
WARPSIM_API CUresult cuStreamGetCaptureInfo_v2(CUstream s, int* status, std::uint64_t* id, void** graph,
                                               void const* const** nodes, std::size_t* count) {
    return capture_info(s, status, id, graph, nodes, nullptr, count);
}
WARPSIM_PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz)
WARPSIM_API CUresult cuStreamGetCaptureInfo_v3(CUstream s, int* status, std::uint64_t* id, void** graph,
                                               void const* const** nodes, EdgeData const** data,
                                               std::size_t* count) {
    return capture_info(s, status, id, graph, nodes, data, count);
}
WARPSIM_PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz)
WARPSIM_API CUresult cuStreamUpdateCaptureDependencies(CUstream s, void** nodes, Count count, unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(s, nodes, nullptr, count, flags);
}
WARPSIM_PER_THREAD(cuStreamUpdateCaptureDependencies, _ptsz)

// The forms before edges had data.
WARPSIM_API CUresult cuGraphGetEdges(void* graph, void** from, void** to, Count* count) {
    return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
WARPSIM_API CUresult cuGraphNodeGetDependencies(void* node, void** out, Count* count) {
    return cuGraphNodeGetDependencies_v2(node, out, nullptr, count);
}
WARPSIM_API CUresult cuGraphNodeGetDependentNodes(void* node, void** out, Count* count) {
    return cuGraphNodeGetDependentNodes_v2(node, out, nullptr, count);
}
WARPSIM_API CUresult cuGraphAddDependencies(void* graph, Nodes from, Nodes to, Count count) {
    return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
WARPSIM_API CUresult cuGraphRemoveDependencies(void* graph, Nodes from, Nodes to, Count count) {
    return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
WARPSIM_API CUresult cuGraphAddNode(void** out, void* graph, Nodes after, Count count, NodeParameters* p) {
    return cuGraphAddNode_v2(out, graph, after, nullptr, count, p);
}

WARPSIM_API CUresult cuGraphAddKernelNode_v2(void** out, void* graph, Nodes after, Count count,
                                             KernelNodeParametersV2 const* p) {
    return call(
        [&] { add_node(out, graph, after, nullptr, count, kernel_work(with_function(given(p)), find_kernel)); });
}
WARPSIM_API CUresult cuGraphKernelNodeGetParams_v2(void* node, KernelNodeParametersV2* p) {
    return call([&] {
        auto const n = node_of(node);
        give(p, KernelNodeParametersV2{warpsim::cuda::parameters_of(*n, work_of<KernelWork>(*n)), nullptr,
                                       Thread::current().context()});
    });
}
WARPSIM_API CUresult cuGraphKernelNodeSetParams_v2(void* node, KernelNodeParametersV2 const* p) {
    return call([&] { set_kernel(*node_of(node), with_function(given(p)), find_kernel); });
}
WARPSIM_API CUresult cuGraphExecKernelNodeSetParams_v2(void* exec, void* node, KernelNodeParametersV2 const* p) {
    return call([&] { set_kernel(exec_of(exec)->node(node), with_function(given(p)), find_kernel); });
}

WARPSIM_API CUresult cuGraphAddMemcpyNode(void** out, void* graph, Nodes after, Count count,
                                          CUDA_MEMCPY3D const* p, CUcontext) {
    return call([&] { add_node(out, graph, after, nullptr, count, copy_work(given(p))); });
}
WARPSIM_API CUresult cuGraphExecMemcpyNodeSetParams(void* exec, void* node, CUDA_MEMCPY3D const* p, CUcontext) {
    return call([&] { set_work(exec_of(exec)->node(node), copy_work(given(p))); });
}
WARPSIM_API CUresult cuGraphAddMemsetNode(void** out, void* graph, Nodes after, Count count,
                                          FillNodeParameters const* p, CUcontext) {
    return call([&] { add_node(out, graph, after, nullptr, count, fill_work(given(p))); });
}
WARPSIM_API CUresult cuGraphExecMemsetNodeSetParams(void* exec, void* node, FillNodeParameters const* p,
                                                    CUcontext) {
    return call([&] { set_work(exec_of(exec)->node(node), fill_work(given(p))); });
}

WARPSIM_API CUresult cuGraphAddBatchMemOpNode(void** out, void* graph, Nodes after, Count count,
                                              ValueNodeParameters const* p) {
    return call([&] { add_node(out, graph, after, nullptr, count, value_work(given(p))); });
}
WARPSIM_API CUresult cuGraphBatchMemOpNodeGetParams(void* node, ValueNodeParameters* p) {
    return call([&] {
        auto const n = node_of(node);
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
    return call([&] { set_work(*node_of(node), value_work(given(p))); });
}
WARPSIM_API CUresult cuGraphExecBatchMemOpNodeSetParams(void* exec, void* node, ValueNodeParameters const* p) {
    return call([&] { set_work(exec_of(exec)->node(node), value_work(given(p))); });
}

WARPSIM_API CUresult cuGraphConditionalHandleCreate(std::uint64_t* out, void* graph, CUcontext, unsigned initial,
                                                    unsigned flags) {
    return call([&] { give(out, create_condition(graph, initial, flags)); });
}

namespace {

/// The forms that also tell a node and a message.
CUresult instantiate_with_log(void** out, void* graph, void** error_node, char* log, Count bytes) {
    return call([&] {
        if (error_node != nullptr) *error_node = nullptr;
        if (log != nullptr && bytes != 0) *log = 0;
        instantiate(out, graph, std::uint64_t{0});
    });
}

}  // namespace

WARPSIM_API CUresult cuGraphInstantiate(void** out, void* graph, void** error_node, char* log, Count bytes) {
    return instantiate_with_log(out, graph, error_node, log, bytes);
}
WARPSIM_API CUresult cuGraphInstantiate_v2(void** out, void* graph, void** error_node, char* log, Count bytes) {
    return instantiate_with_log(out, graph, error_node, log, bytes);
}

WARPSIM_API CUresult cuGraphExecUpdate(void* exec, void* graph, void** error_node, int* result) {
    UpdateResultInfo info{};
    CUresult const status = cuGraphExecUpdate_v2(exec, graph, &info);
    if (error_node != nullptr) *error_node = info.error_node;
    if (result != nullptr) *result = info.result;
    return status;
}
