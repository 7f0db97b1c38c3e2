// compile: -arch=compute_90
// exec: --threads 2
// exec: --mode timing --set sm.count=4
// An alternative inside of a loop, updates of graphs with conditions, managed memory of graphs, and what queries say of it.
#include "check.hpp"

/// Says whether the round is odd, and whether another follows.
__global__ void decide(int* left, cudaGraphConditionalHandle loop, cudaGraphConditionalHandle is_odd) {
    cudaGraphSetConditional(is_odd, static_cast<unsigned>(*left & 1));
    cudaGraphSetConditional(loop, --*left > 0 ? 1u : 0u);
}
__global__ void add(int* to, int amount) { *to += amount; }
__global__ void fill(int* to, int value) { to[threadIdx.x] = value + static_cast<int>(threadIdx.x); }

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t const* after, std::size_t n, void* f, void** arguments,
                                  unsigned threads = 1) {
    cudaKernelNodeParams p{};
    p.func = f;
    p.gridDim = dim3(1);
    p.blockDim = dim3(threads);
    p.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    OK(cudaGraphAddKernelNode(&node, graph, after, n, &p));
    return node;
}

static cudaGraphNodeParams condition(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams p{};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    return p;
}

/// A loop whose rounds add to odd or to even: other amounts, and another first condition, in each graph.
static cudaGraph_t loop(int* words, int to_odd, int to_even, unsigned runs, unsigned alternatives) {
    cudaGraph_t graph;
    cudaGraphConditionalHandle outer, inner;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&outer, graph, runs, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = condition(outer, cudaGraphCondTypeWhile, 1);
    OK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
    cudaGraph_t const body = p.conditional.phGraph_out[0];
    OK(cudaGraphConditionalHandleCreate(&inner, body, 0, 0));
    int *left = words, *odd = words + 1, *even = words + 2;
    void* decide_arguments[] = {&left, &outer, &inner};
    cudaGraphNode_t const first = add_kernel(body, nullptr, 0, (void*)decide, decide_arguments);
    cudaGraphNodeParams q = condition(inner, cudaGraphCondTypeIf, alternatives);
    OK(cudaGraphAddNode(&node, body, &first, nullptr, 1, &q));
    void* odd_arguments[] = {&odd, &to_odd};
    void* even_arguments[] = {&even, &to_even};
    add_kernel(q.conditional.phGraph_out[0], nullptr, 0, (void*)add, odd_arguments);
    if (alternatives == 2) add_kernel(q.conditional.phGraph_out[1], nullptr, 0, (void*)add, even_arguments);
    return graph;
}

static void run(cudaGraphExec_t exec, int* words, int rounds, int odd, int even) {
    words[0] = rounds;
    words[1] = words[2] = 0;
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(words[1] == odd);
    CHECK(words[2] == even);
}

static std::size_t told(cudaGraphMemAttributeType what) {
    std::size_t bytes = 1;
    OK(cudaDeviceGetGraphMemAttribute(0, what, &bytes));
    return bytes;
}

static void memory() {
    constexpr std::size_t bytes = 4096;
    CHECK(told(cudaGraphMemAttrReservedMemCurrent) == 0);
    cudaGraph_t graph;
    cudaGraphNode_t allocation;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams p{};
    p.poolProps.allocType = cudaMemAllocationTypeManaged;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = bytes;
    OK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &p));
    cudaMemAllocNodeParams back{};
    OK(cudaGraphMemAllocNodeGetParams(allocation, &back));
    CHECK(back.poolProps.allocType == cudaMemAllocationTypeManaged && back.dptr == p.dptr);
    int* const made = static_cast<int*>(p.dptr);
    int value = 500;
    void* arguments[] = {&p.dptr, &value};
    add_kernel(graph, &allocation, 1, (void*)fill, arguments, 64);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(told(cudaGraphMemAttrReservedMemCurrent) == 0);  // before a launch nothing is
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(made[0] == 500 && made[63] == 563);  // the host reads it
    cudaPointerAttributes attributes{};
    OK(cudaPointerGetAttributes(&attributes, made));
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == made);
    CHECK(told(cudaGraphMemAttrUsedMemCurrent) == bytes && told(cudaGraphMemAttrReservedMemCurrent) >= bytes);
    OK(cudaFreeAsync(made, nullptr));
    OK(cudaDeviceSynchronize());
    // Graphs have it in use, although nothing is allocated, until it is trimmed.
    CHECK(told(cudaGraphMemAttrUsedMemCurrent) == bytes && told(cudaGraphMemAttrReservedMemCurrent) >= bytes);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    CHECK(told(cudaGraphMemAttrReservedMemCurrent) >= bytes);  // for other graphs, until it is trimmed
    OK(cudaDeviceGraphMemTrim(0));
    CHECK(told(cudaGraphMemAttrReservedMemCurrent) == 0 && told(cudaGraphMemAttrReservedMemHigh) >= bytes);
    CHECK(told(cudaGraphMemAttrUsedMemCurrent) == 0 && told(cudaGraphMemAttrUsedMemHigh) == bytes);
    std::size_t zero = 0;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
    CHECK(told(cudaGraphMemAttrReservedMemHigh) == 0);
}

int main() {
    memory();
    int* words;
    OK(cudaMallocManaged(&words, 16 * sizeof(int)));
    cudaGraph_t const graph = loop(words, 1, 1, 1, 2);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int rounds = 1; rounds < 8; ++rounds) run(exec, words, rounds, (rounds + 1) / 2, rounds / 2);

    cudaGraphExecUpdateResultInfo info{};
    cudaGraph_t const changed = loop(words, 10, 100, 1, 2);
    OK(cudaGraphExecUpdate(exec, changed, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    run(exec, words, 5, 30, 200);
    cudaGraph_t const never = loop(words, 10, 100, 0, 2);  // its condition is false at first
    OK(cudaGraphExecUpdate(exec, never, &info));
    run(exec, words, 5, 0, 0);
    OK(cudaGraphExecUpdate(exec, graph, &info));
    OK(cudaGraphDestroy(changed));
    OK(cudaGraphDestroy(never));
    run(exec, words, 4, 2, 2);
    // What a conditional node is cannot change, in a body neither.
    cudaGraph_t const other = loop(words, 10, 100, 1, 1);
    IS(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorParametersChanged && info.errorNode != nullptr);
    (void)cudaGetLastError();
    run(exec, words, 3, 2, 1);
    OK(cudaGraphDestroy(other));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(words));
    return result();
}
