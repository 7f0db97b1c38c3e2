#include "runtime/cuda/graphs/calls.hpp"

#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/copies.hpp"
#include "runtime/cuda/runtime_api/registration.hpp"

#include <cstring>

using namespace warpsim::cuda;

namespace {

std::shared_ptr<Kernel> find_kernel(void const* function) { return Registrations::get().kernel(function); }

KernelNodeParameters kernel_parameters(NodeParameters const& p) {
    KernelNodeParameters one;
    std::memcpy(&one, p.value, sizeof one);
    return one;
}

using CopyParameters = cudaMemcpy3DParms;

CopyWork copy_work(cudaMemcpy3DParms const& p) {
    CopyWork const work = work_of_copy(p);
    check(work);
    return work;
}

cudaMemcpy3DParms parameters_of(CopyWork const& work) { return description_of(work); }

/// The runtime has no such nodes.
Work value_work(NodeParameters const&) { throw Failure(Result::invalid_value); }

/// A copy of plain bytes, as a node.
CopyWork plain_copy(void* to, void const* from, std::size_t bytes, int kind) {
    CopyWork const work{
        {address(to), bytes, bytes}, {address(from), bytes, bytes}, {bytes, 1, 1}, static_cast<Direction>(kind)};
    if (bytes == 0) throw Failure(Result::invalid_value);
    check(work);
    return work;
}

CopyWork to_symbol(void const* symbol, void const* from, std::size_t bytes, std::size_t offset, int kind) {
    return plain_copy(Registrations::get().part(symbol, bytes, offset, Process::get().current()), from, bytes,
                      kind);
}

CopyWork from_symbol(void* to, void const* symbol, std::size_t bytes, std::size_t offset, int kind) {
    return plain_copy(to, Registrations::get().part(symbol, bytes, offset, Process::get().current()), bytes, kind);
}

}  // namespace

#include "runtime/cuda/interface/graphs.hpp"

namespace {

using Nodes = void* const*;
using Count = std::size_t;

cudaError_t add(void** out, void* graph, Nodes after, Count count, std::function<Work()> const& work) {
    return call([&] { add_node(out, graph, after, nullptr, count, work()); });
}

cudaError_t change(void* node, std::function<Work()> const& work) {
    return call([&] { set_work(*node_of(node), work()); });
}

cudaError_t change_in(void* exec, void* node, std::function<Work()> const& work) {
    return call([&] { set_work(exec_of(exec)->node(node), work()); });
}

}  // namespace

WARPSIM_API cudaError_t cudaGraphInstantiate(void** out, void* graph, unsigned long long flags) {
    return call([&] { instantiate(out, graph, flags); });
}

WARPSIM_API cudaError_t cudaGraphConditionalHandleCreate(std::uint64_t* out, void* graph, unsigned initial,
                                                         unsigned flags) {
    return call([&] { give(out, create_condition(graph, initial, flags)); });
}

WARPSIM_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, int* status, unsigned long long* id, void** graph,
                                                 void const* const** nodes, EdgeData const** data,
                                                 std::size_t* count) {
    return call([&] {
        auto const stream = Process::get().stream(s);
        give(status, capture_status(*stream));
        std::uint64_t number = 0;
        describe_capture(*stream, &number, graph, nodes, data, count);
        if (id != nullptr) *id = number;
    });
}
WARPSIM_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz)

WARPSIM_API cudaError_t cudaGraphAddMemcpyNode(void** out, void* graph, Nodes after, Count n,
                                               cudaMemcpy3DParms const* p) {
    return add(out, graph, after, n, [&] { return copy_work(given(p)); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParams(void* exec, void* node, cudaMemcpy3DParms const* p) {
    return change_in(exec, node, [&] { return copy_work(given(p)); });
}

WARPSIM_API cudaError_t cudaGraphAddMemcpyNode1D(void** out, void* graph, Nodes after, Count n, void* to,
                                                 void const* from, std::size_t bytes, int kind) {
    return add(out, graph, after, n, [&] { return plain_copy(to, from, bytes, kind); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeSetParams1D(void* node, void* to, void const* from, std::size_t bytes,
                                                       int kind) {
    return change(node, [&] { return plain_copy(to, from, bytes, kind); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(void* exec, void* node, void* to, void const* from,
                                                           std::size_t bytes, int kind) {
    return change_in(exec, node, [&] { return plain_copy(to, from, bytes, kind); });
}

WARPSIM_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(void** out, void* graph, Nodes after, Count n,
                                                       void const* symbol, void const* from, std::size_t bytes,
                                                       std::size_t offset, int kind) {
    return add(out, graph, after, n, [&] { return to_symbol(symbol, from, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(void* node, void const* symbol, void const* from,
                                                             std::size_t bytes, std::size_t offset, int kind) {
    return change(node, [&] { return to_symbol(symbol, from, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(void* exec, void* node, void const* symbol,
                                                                 void const* from, std::size_t bytes,
                                                                 std::size_t offset, int kind) {
    return change_in(exec, node, [&] { return to_symbol(symbol, from, bytes, offset, kind); });
}

WARPSIM_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(void** out, void* graph, Nodes after, Count n, void* to,
                                                         void const* symbol, std::size_t bytes, std::size_t offset,
                                                         int kind) {
    return add(out, graph, after, n, [&] { return from_symbol(to, symbol, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(void* node, void* to, void const* symbol,
                                                               std::size_t bytes, std::size_t offset, int kind) {
    return change(node, [&] { return from_symbol(to, symbol, bytes, offset, kind); });
}
WARPSIM_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(void* exec, void* node, void* to,
                                                                   void const* symbol, std::size_t bytes,
                                                                   std::size_t offset, int kind) {
    return change_in(exec, node, [&] { return from_symbol(to, symbol, bytes, offset, kind); });
}

WARPSIM_API cudaError_t cudaGraphAddMemsetNode(void** out, void* graph, Nodes after, Count n,
                                               FillNodeParameters const* p) {
    return add(out, graph, after, n, [&] { return fill_work(given(p)); });
}
WARPSIM_API cudaError_t cudaGraphExecMemsetNodeSetParams(void* exec, void* node, FillNodeParameters const* p) {
    return change_in(exec, node, [&] { return fill_work(given(p)); });
}
