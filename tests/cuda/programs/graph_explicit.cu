// Graphs made node by node: every kind of node, changes before and after instantiation, and what is refused.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

__global__ void add(int* values, int n, int amount) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += amount;
}
__global__ void multiply(int* values, int n, int factor) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}
__constant__ int table[4];
__device__ int result_word;

constexpr int n = 256;
static int host_in[n], host_out[n];

static cudaKernelNodeParams kernel_node(void* f, void** arguments) {
    cudaKernelNodeParams p{};
    p.func = f;
    p.gridDim = dim3(2);
    p.blockDim = dim3(128);
    p.kernelParams = arguments;
    return p;
}

static void whole() {
    int* values;
    OK(cudaMalloc(&values, sizeof host_in));
    for (int i = 0; i < n; ++i) host_in[i] = i;
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    IS(cudaGraphCreate(&graph, 1), cudaErrorInvalidValue);
    cudaGraphNode_t in, a, m, out, call, set, empty;
    OK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, values, host_in, sizeof host_in, cudaMemcpyHostToDevice));
    int count = n, amount = 3, factor = 5;
    void* add_arguments[] = {&values, &count, &amount};
    void* multiply_arguments[] = {&values, &count, &factor};
    cudaKernelNodeParams ap = kernel_node((void*)add, add_arguments), mp = kernel_node((void*)multiply, multiply_arguments);
    OK(cudaGraphAddKernelNode(&a, graph, &in, 1, &ap));
    // Made before the node that it follows.
    OK(cudaGraphAddMemcpyNode1D(&out, graph, nullptr, 0, host_out, values, sizeof host_out, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddKernelNode(&m, graph, &a, 1, &mp));
    OK(cudaGraphAddDependencies(graph, &m, &out, nullptr, 1));
    IS(cudaGraphAddDependencies(graph, &m, &out, nullptr, 1), cudaErrorInvalidValue);
    static int calls = 0;
    cudaHostNodeParams hp{[](void* p) { ++*static_cast<int*>(p); }, &calls};
    OK(cudaGraphAddHostNode(&call, graph, &out, 1, &hp));
    cudaMemsetParams sp{};
    sp.dst = values;
    sp.elementSize = 4;
    sp.width = n;
    sp.height = 1;
    sp.value = 77;
    OK(cudaGraphAddMemsetNode(&set, graph, &call, 1, &sp));
    OK(cudaGraphAddEmptyNode(&empty, graph, &set, 1));
    add_arguments[2] = nullptr;      // parameters were taken when the node was made
    amount = 1000;

    std::size_t nodes = 0, roots = 0, edges = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 7);
    std::vector<cudaGraphNode_t> list(nodes);
    OK(cudaGraphGetNodes(graph, list.data(), &nodes));
    CHECK(list[0] == in && list[3] == m);
    OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    CHECK(roots == 1);
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    CHECK(edges == 6);
    std::size_t few = 1;
    cudaGraphNode_t before = nullptr;
    OK(cudaGraphNodeGetDependencies(out, &before, nullptr, &few));
    CHECK(few == 1 && before == m);
    OK(cudaGraphNodeGetDependentNodes(out, nullptr, nullptr, &few));
    CHECK(few == 1);
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(set, &type));
    CHECK(type == cudaGraphNodeTypeMemset);
    cudaKernelNodeParams read{};
    OK(cudaGraphKernelNodeGetParams(a, &read));
    CHECK(read.func == (void*)add && read.gridDim.x == 2 && read.blockDim.x == 128);
    CHECK(*static_cast<int*>(read.kernelParams[2]) == 3);
    cudaMemsetParams read_set{};
    OK(cudaGraphMemsetNodeGetParams(set, &read_set));
    CHECK(read_set.width == n && read_set.value == 77 && read_set.dst == values);
    cudaMemcpy3DParms read_copy{};
    OK(cudaGraphMemcpyNodeGetParams(in, &read_copy));
    CHECK(read_copy.srcPtr.ptr == host_in && read_copy.extent.width == sizeof host_in);

    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaGraphUpload(exec, stream));
    for (int round = 1; round <= 3; ++round) {
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        CHECK(calls == round);
        for (int i = 0; i < n; ++i) CHECK(host_out[i] == (i + 3) * 5);
        int word = 0;
        OK(cudaMemcpy(&word, values + 7, 4, cudaMemcpyDeviceToHost));
        CHECK(word == 77);
    }

    // Other parameters in what is launched, while the graph stays as it is.
    int other = 10;
    add_arguments[2] = &other;
    OK(cudaGraphExecKernelNodeSetParams(exec, a, &ap));
    OK(cudaGraphNodeSetEnabled(exec, m, 0));
    unsigned is_enabled = 1;
    OK(cudaGraphNodeGetEnabled(exec, m, &is_enabled));
    CHECK(is_enabled == 0);
    IS(cudaGraphNodeSetEnabled(exec, call, 0), cudaErrorInvalidValue);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) CHECK(host_out[i] == i + 10);
    IS(cudaGraphExecKernelNodeSetParams(exec, in, &ap), cudaErrorInvalidValue);

    // A graph of the same shape in place of the first.
    cudaGraph_t copy;
    cudaGraphNode_t a2;
    OK(cudaGraphClone(&copy, graph));
    OK(cudaGraphNodeFindInClone(&a2, a, copy));
    CHECK(a2 != a);
    int third = 100;
    add_arguments[2] = &third;
    OK(cudaGraphKernelNodeSetParams(a2, &ap));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, copy, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphNodeSetEnabled(exec, m, 1));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) CHECK(host_out[i] == (i + 100) * 5);
    cudaGraphNode_t more;
    OK(cudaGraphAddEmptyNode(&more, copy, nullptr, 0));
    IS(cudaGraphExecUpdate(exec, copy, &info), cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphDestroyNode(more));
    IS(cudaGraphDestroyNode(more), cudaErrorInvalidValue);

    OK(cudaGraphRemoveDependencies(graph, &set, &empty, nullptr, 1));
    IS(cudaGraphRemoveDependencies(graph, &set, &empty, nullptr, 1), cudaErrorInvalidValue);
    // A cycle.
    OK(cudaGraphAddDependencies(graph, &out, &in, nullptr, 1));
    cudaGraphExec_t none;
    IS(cudaGraphInstantiate(&none, graph, 0), cudaErrorInvalidValue);

    OK(cudaGraphExecDestroy(exec));
    IS(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
    IS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    IS(cudaGraphKernelNodeGetParams(a, &read), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(copy));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(values));
    (void)cudaGetLastError();
}

static void symbols_and_events() {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    int given[4] = {4, 3, 2, 1}, back = 0, word = 42;
    cudaEvent_t begin, end;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    cudaGraphNode_t first, to, from, last, to_word;
    OK(cudaGraphAddEventRecordNode(&first, graph, nullptr, 0, begin));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &first, 1, table, given, sizeof given, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to_word, graph, &to, 1, result_word, &word, 4, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to_word, 1, &back, result_word, 4, 0, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddEventRecordNode(&last, graph, &from, 1, end));
    cudaEvent_t asked;
    OK(cudaGraphEventRecordNodeGetEvent(last, &asked));
    CHECK(asked == end);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, cudaStreamPerThread));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(back == 42);
    int read[4] = {};
    OK(cudaMemcpyFromSymbol(read, table, sizeof read));
    CHECK(std::memcmp(read, given, sizeof read) == 0);
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void inner_graphs() {
    int* values;
    OK(cudaMallocManaged(&values, n * sizeof(int)));
    std::memset(values, 0, n * sizeof(int));
    cudaGraph_t inner, outer, inside;
    OK(cudaGraphCreate(&inner, 0));
    OK(cudaGraphCreate(&outer, 0));
    int count = n, one = 1, two = 2;
    void* arguments[] = {&values, &count, &one};
    cudaKernelNodeParams p = kernel_node((void*)add, arguments);
    cudaGraphNode_t a, b, child;
    OK(cudaGraphAddKernelNode(&a, inner, nullptr, 0, &p));
    OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
    OK(cudaGraphChildGraphNodeGetGraph(child, &inside));
    CHECK(inside != inner);
    arguments[2] = &two;
    cudaKernelNodeParams q = kernel_node((void*)multiply, arguments);
    OK(cudaGraphAddKernelNode(&b, outer, &child, 1, &q));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, outer, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(values[i] == 6);
    int ten = 10;
    arguments[2] = &ten;
    OK(cudaGraphKernelNodeSetParams(a, &p));
    OK(cudaGraphExecChildGraphNodeSetParams(exec, child, inner));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(values[i] == 32);
    OK(cudaGraphDebugDotPrint(outer, "/tmp/warpsim_graph_test.dot", cudaGraphDebugDotFlagsVerbose));
    FILE* const file = std::fopen("/tmp/warpsim_graph_test.dot", "r");
    CHECK(file != nullptr);
    if (file != nullptr) {
        std::string text(4096, 0);
        text.resize(std::fread(text.data(), 1, text.size(), file));
        CHECK(text.find("digraph") == 0 && text.find("multiply") != std::string::npos && text.find("->") != std::string::npos);
        std::fclose(file);
        std::remove("/tmp/warpsim_graph_test.dot");
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(outer));
    OK(cudaGraphDestroy(inner));
    OK(cudaFree(values));
}

static void memory() {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams p{};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = 1024;
    cudaGraphNode_t allocation, set, out, free;
    OK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &p));
    CHECK(p.dptr != nullptr);
    IS(cudaMemset(p.dptr, 0, 4), cudaErrorInvalidValue);     // not there before the launch
    (void)cudaGetLastError();
    cudaMemsetParams sp{};
    sp.dst = p.dptr;
    sp.elementSize = 1;
    sp.width = 1024;
    sp.height = 1;
    sp.value = 9;
    OK(cudaGraphAddMemsetNode(&set, graph, &allocation, 1, &sp));
    static unsigned char got[1024];
    OK(cudaGraphAddMemcpyNode1D(&out, graph, &set, 1, got, p.dptr, 1024, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemFreeNode(&free, graph, &out, 1, p.dptr));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    std::size_t used = 0;
    for (int i = 0; i < 3; ++i) {
        OK(cudaGraphLaunch(exec, nullptr));
        OK(cudaDeviceSynchronize());
        CHECK(got[1023] == 9);
        OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
        CHECK(used == 1024);  // until it is trimmed
    }
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    CHECK(used == 1024);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    // Memory that outlives the launch.
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &p));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaMemset(p.dptr, 1, 1024));
    IS(cudaGraphLaunch(exec, nullptr), cudaErrorInvalidValue);
    OK(cudaFreeAsync(p.dptr, nullptr));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaFree(p.dptr));
    (void)cudaGetLastError();
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

// A graph that is destroyed before its launch has begun: its memory stays until the launch has ended.
static void memory_of_destroyed() {
    static std::atomic<bool> may_go_on;
    static int got[n];
    may_go_on = false;
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams p{};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = sizeof got;
    cudaGraphNode_t allocation, set, work, out, free;
    OK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &p));
    cudaMemsetParams sp{};
    sp.dst = p.dptr;
    sp.elementSize = 1;
    sp.width = sizeof got;
    sp.height = 1;
    OK(cudaGraphAddMemsetNode(&set, graph, &allocation, 1, &sp));
    int size = n, amount = 5;
    void* arguments[] = {&p.dptr, &size, &amount};
    cudaKernelNodeParams const kp = kernel_node((void*)add, arguments);
    OK(cudaGraphAddKernelNode(&work, graph, &set, 1, &kp));
    OK(cudaGraphAddMemcpyNode1D(&out, graph, &work, 1, got, p.dptr, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemFreeNode(&free, graph, &out, 1, p.dptr));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaLaunchHostFunc(nullptr, [](void*) { while (!may_go_on) std::this_thread::yield(); }, nullptr));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    may_go_on = true;
    OK(cudaDeviceSynchronize());
    CHECK(got[0] == 5 && got[n - 1] == 5);
}

static void user_objects() {
    static int ended = 0;
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, &ended, [](void* p) { ++*static_cast<int*>(p); }, 1, cudaUserObjectNoDestructorSync));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    CHECK(ended == 0);
    OK(cudaGraphExecDestroy(exec));
    CHECK(ended == 1);
    IS(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
    (void)cudaGetLastError();
}

enum class Changed { graph, graph_around, child };

// An executable graph that is updated keeps the other graph's objects in place of its own.
static void changed_user_objects(Changed what) {
    static int ended[2];
    static std::atomic<int> calls, may_go_on;
    ended[0] = ended[1] = 0;
    calls = may_go_on = 0;
    cudaGraph_t graphs[2], inside;
    cudaGraphNode_t children[2];
    for (int i = 0; i < 2; ++i) {
        cudaUserObject_t object;
        OK(cudaUserObjectCreate(&object, &ended[i], [](void* p) { ++*static_cast<int*>(p); }, 1,
                                cudaUserObjectNoDestructorSync));
        cudaGraph_t keeps;
        cudaGraphNode_t node;
        OK(cudaGraphCreate(&keeps, 0));
        OK(cudaGraphRetainUserObject(keeps, object, 1, cudaGraphUserObjectMove));
        cudaHostNodeParams host{};
        host.fn = [](void* p) {
            while (!may_go_on) std::this_thread::yield();
            calls += *static_cast<int*>(p) == 0 ? 1 : 1000;  // the object is still there
        };
        host.userData = &ended[i];
        OK(cudaGraphAddHostNode(&node, keeps, nullptr, 0, &host));
        graphs[i] = keeps;
        if (what == Changed::graph) continue;
        OK(cudaGraphCreate(&graphs[i], 0));
        OK(cudaGraphAddChildGraphNode(&children[i], graphs[i], nullptr, 0, keeps));
        OK(cudaGraphDestroy(keeps));
    }
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info{};
    OK(cudaGraphInstantiate(&exec, graphs[0], 0));
    OK(cudaGraphLaunch(exec, nullptr));
    if (what == Changed::child) {
        OK(cudaGraphChildGraphNodeGetGraph(children[1], &inside));
        OK(cudaGraphExecChildGraphNodeSetParams(exec, children[0], inside));
    } else {
        OK(cudaGraphExecUpdate(exec, graphs[1], &info));
    }
    for (cudaGraph_t graph : graphs) OK(cudaGraphDestroy(graph));
    CHECK(ended[0] == 0);  // a launch uses it
    may_go_on = 1;
    OK(cudaDeviceSynchronize());
    CHECK(ended[0] == 1 && ended[1] == 0 && calls == 1);
    may_go_on = 0;
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaGraphExecDestroy(exec));
    CHECK(ended[1] == 0);
    may_go_on = 1;
    OK(cudaDeviceSynchronize());
    CHECK(ended[0] == 1 && ended[1] == 1 && calls == 2);
}

// A graph that kernels may launch, if they could: the host may.
static void for_kernels() {
    int* values;
    OK(cudaMallocManaged(&values, n * sizeof(int)));
    std::memset(values, 0, n * sizeof(int));
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec, none;
    int count = n, amount = 6;
    void* arguments[] = {&values, &count, &amount};
    cudaKernelNodeParams const p = kernel_node((void*)add, arguments);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
    OK(cudaGraphUpload(exec, nullptr));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(values[0] == 6 && values[n - 1] == 6);
    cudaHostNodeParams host{};
    host.fn = [](void*) {};
    OK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &host));
    IS(cudaGraphInstantiate(&none, graph, cudaGraphInstantiateFlagDeviceLaunch), cudaErrorNotSupported);
    (void)cudaGetLastError();
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(values));
}

static void nodes_of_any_type() {
    int* values;
    OK(cudaMallocManaged(&values, n * sizeof(int)));
    std::memset(values, 0, n * sizeof(int));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    int count = n, amount = 4;
    void* arguments[] = {&values, &count, &amount};
    cudaGraphNodeParams p{};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = (void*)add;
    p.kernel.gridDim = dim3(2);
    p.kernel.blockDim = dim3(128);
    p.kernel.kernelParams = arguments;
    cudaGraphNode_t a, m;
    OK(cudaGraphAddNode(&a, graph, nullptr, nullptr, 0, &p));
    cudaGraphNodeParams s{};
    s.type = cudaGraphNodeTypeMemset;
    s.memset.dst = values;
    s.memset.elementSize = 4;
    s.memset.width = 10;
    s.memset.height = 1;
    s.memset.value = 50;
    OK(cudaGraphAddNode(&m, graph, &a, nullptr, 1, &s));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(values[9] == 50 && values[10] == 4);
    s.memset.value = 60;
    OK(cudaGraphExecNodeSetParams(exec, m, &s));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(values[9] == 60 && values[10] == 8);
    IS(cudaGraphExecNodeSetParams(exec, a, &s), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(values));
}

int main() {
    whole();
    symbols_and_events();
    inner_graphs();
    memory();
    memory_of_destroyed();
    user_objects();
    for (Changed const what : {Changed::graph, Changed::graph_around, Changed::child}) changed_user_objects(what);
    for_kernels();
    nodes_of_any_type();
    return result();
}
