// ptx: driver_kernels_part.cu
// Graphs by the driver's explicit names: nodes of every kind, what can be asked of them and changed in them, copies, graphs in
// graphs, updates, and what is refused.
// exec: --threads 1
// exec: --threads 2
#include "check_driver.h"

#include <unistd.h>

enum { n = 300 };
static CUcontext context;
static CUfunction multiply, add;

static CUDA_KERNEL_NODE_PARAMS kernel_node(CUfunction f, void** arguments) {
    CUDA_KERNEL_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.func = f;
    p.gridDimX = 3;
    p.gridDimY = p.gridDimZ = 1;
    p.blockDimX = 128;
    p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = arguments;
    return p;
}

static CUDA_MEMSET_NODE_PARAMS set_node(CUdeviceptr to, unsigned value, size_t width) {
    CUDA_MEMSET_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.dst = to;
    p.value = value;
    p.elementSize = 4;
    p.width = width;
    p.height = 1;
    return p;
}

static CUDA_MEMCPY3D out_node(void* to, CUdeviceptr from, size_t bytes) {
    CUDA_MEMCPY3D p;
    memset(&p, 0, sizeof p);
    p.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    p.srcDevice = from;
    p.dstMemoryType = CU_MEMORYTYPE_HOST;
    p.dstHost = to;
    p.WidthInBytes = bytes;
    p.Height = p.Depth = 1;
    return p;
}

static int calls;
static void CUDA_CB called(void* data) { calls += *(int*)data; }

static int is_all(int const* values, int wanted) {
    int right = 0;
    for (int i = 0; i < n; ++i) right += values[i] == wanted;
    return right == n;
}

static int finds(char const* path, char const* const* wanted) {
    static char text[8192];
    FILE* const file = fopen(path, "r");
    if (file == NULL) return 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    remove(path);
    for (; *wanted != NULL; ++wanted) {
        if (strstr(text, *wanted) == NULL) {
            printf("no %s in %s\n", *wanted, text);
            return 0;
        }
    }
    return 1;
}

/* set -> multiply -> out -> call, with an empty node and events. */
static void whole(void) {
    static int host[n];
    CUdeviceptr values;
    int count = n, one = 1;
    CUgraph graph, copy;
    CUgraphNode set, kernel, out, call, empty, begin, end, wait, nodes[16], from[16], to[16], in_copy;
    CUgraphExec exec;
    CUstream stream;
    CUevent first, last, found = NULL;
    CUgraphNodeType type;
    size_t number = 0;
    float ms = -1;
    OK(cuMemAlloc(&values, n * 4));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&first, 0));
    OK(cuEventCreate(&last, 0));
    OK(cuGraphCreate(&graph, 0));
    IS(cuGraphCreate(&copy, 1), CUDA_ERROR_INVALID_VALUE);

    void* arguments[] = {&values, &count};
    CUDA_KERNEL_NODE_PARAMS k = kernel_node(multiply, arguments);
    CUDA_MEMSET_NODE_PARAMS s = set_node(values, 5, n);
    CUDA_MEMCPY3D c = out_node(host, values, sizeof host);
    CUDA_HOST_NODE_PARAMS h = {called, &one};
    OK(cuGraphAddEventRecordNode(&begin, graph, NULL, 0, first));
    OK(cuGraphAddMemsetNode(&set, graph, &begin, 1, &s, context));
    OK(cuGraphAddKernelNode(&kernel, graph, &set, 1, &k));
    OK(cuGraphAddMemcpyNode(&out, graph, &kernel, 1, &c, context));
    OK(cuGraphAddHostNode(&call, graph, NULL, 0, &h));
    OK(cuGraphAddEmptyNode(&empty, graph, &call, 1));
    OK(cuGraphAddEventRecordNode(&end, graph, &empty, 1, last));
    OK(cuGraphAddEventWaitNode(&wait, graph, &end, 1, last));
    OK(cuGraphAddDependencies(graph, &out, &call, NULL, 1));
    IS(cuGraphAddDependencies(graph, &out, &call, NULL, 1), CUDA_ERROR_INVALID_VALUE);      // twice
    IS(cuGraphAddKernelNode(&kernel, graph, (CUgraphNode const*)&graph, 1, &k), CUDA_ERROR_INVALID_VALUE);      // behind what is no node

    // What there is.
    OK(cuGraphGetNodes(graph, NULL, &number));
    CHECK(number == 8);
    number = 16;
    OK(cuGraphGetNodes(graph, nodes, &number));
    CHECK(number == 8 && nodes[0] == begin && nodes[7] == wait && nodes[8] == NULL);
    OK(cuGraphGetRootNodes(graph, NULL, &number));
    CHECK(number == 1);
    number = 16;
    OK(cuGraphGetEdges(graph, from, to, NULL, &number));
    CHECK(number == 7);
    number = 16;
    OK(cuGraphNodeGetDependencies(call, nodes, NULL, &number));
    CHECK(number == 1 && nodes[0] == out);
    number = 16;
    OK(cuGraphNodeGetDependentNodes(call, nodes, NULL, &number));
    CHECK(number == 1 && nodes[0] == empty);
    struct {
        CUgraphNode node;
        CUgraphNodeType type;
    } const kinds[] = {{set, CU_GRAPH_NODE_TYPE_MEMSET},       {kernel, CU_GRAPH_NODE_TYPE_KERNEL}, {out, CU_GRAPH_NODE_TYPE_MEMCPY},
                       {call, CU_GRAPH_NODE_TYPE_HOST},        {empty, CU_GRAPH_NODE_TYPE_EMPTY},   {end, CU_GRAPH_NODE_TYPE_EVENT_RECORD},
                       {wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        OK(cuGraphNodeGetType(kinds[i].node, &type));
        CHECK(type == kinds[i].type);
    }
    CUDA_KERNEL_NODE_PARAMS k_back;
    OK(cuGraphKernelNodeGetParams(kernel, &k_back));
    CHECK(k_back.gridDimX == 3 && k_back.blockDimX == 128 && (k_back.func == multiply || k_back.func == NULL) &&
          *(CUdeviceptr*)k_back.kernelParams[0] == values && *(int*)k_back.kernelParams[1] == n);
    CUDA_MEMSET_NODE_PARAMS s_back;
    OK(cuGraphMemsetNodeGetParams(set, &s_back));
    CHECK(s_back.dst == values && s_back.value == 5 && s_back.elementSize == 4 && s_back.width == n && s_back.pitch == s.pitch);
    CUDA_MEMCPY3D c_back;
    OK(cuGraphMemcpyNodeGetParams(out, &c_back));
    CHECK(c_back.srcMemoryType == CU_MEMORYTYPE_DEVICE && c_back.srcDevice == values && c_back.srcPitch == 0 &&
          c_back.dstMemoryType == CU_MEMORYTYPE_HOST && c_back.dstHost == host && c_back.WidthInBytes == sizeof host &&
          c_back.Height == 1);      // as it was said
    CUDA_HOST_NODE_PARAMS h_back;
    OK(cuGraphHostNodeGetParams(call, &h_back));
    CHECK(h_back.fn == called && h_back.userData == &one);
    OK(cuGraphEventRecordNodeGetEvent(end, &found));
    CHECK(found == last);
    OK(cuGraphEventWaitNodeGetEvent(wait, &found));
    CHECK(found == last);
    IS(cuGraphEventRecordNodeGetEvent(wait, &found), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphMemsetNodeGetParams(kernel, &s_back), CUDA_ERROR_INVALID_VALUE);
    char const* const words[] = {"digraph", "KERNEL", "multiply", "MEMSET", "MEMCPY", "HOST", "EMPTY", "EVENT_RECORD", "EVENT_WAIT", "->", NULL};
    char path[64];
    snprintf(path, sizeof path, "/tmp/warpsim-driver-graphs-%d.dot", (int)getpid());
    OK(cuGraphDebugDotPrint(graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    CHECK(finds(path, words));
    IS(cuGraphDebugDotPrint(graph, "/nowhere/at/all.dot", 0), CUDA_ERROR_OPERATING_SYSTEM);

    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphUpload(exec, stream));
    for (int round = 1; round <= 3; ++round) {
        memset(host, 0, sizeof host);
        OK(cuGraphLaunch(exec, stream));
        OK(cuStreamSynchronize(stream));
        CHECK(is_all(host, 15) && calls == round);
    }
    OK(cuEventQuery(last));
    OK(cuEventElapsedTime(&ms, first, last));
    CHECK(ms >= 0);

    // In what is launched, while the graph stays as it is.
    s.value = 7;
    OK(cuGraphExecMemsetNodeSetParams(exec, set, &s, context));
    int half = n / 2;
    arguments[1] = &half;
    OK(cuGraphExecKernelNodeSetParams(exec, kernel, &k));
    int two = 2;
    h.userData = &two;
    OK(cuGraphExecHostNodeSetParams(exec, call, &h));
    OK(cuGraphExecEventRecordNodeSetEvent(exec, end, first));
    OK(cuGraphExecEventWaitNodeSetEvent(exec, wait, first));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(host[0] == 21 && host[n - 1] == 7 && calls == 5);
    unsigned is_enabled = 9;
    OK(cuGraphNodeSetEnabled(exec, kernel, 0));
    OK(cuGraphNodeGetEnabled(exec, kernel, &is_enabled));
    CHECK(is_enabled == 0);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(is_all(host, 7));
    OK(cuGraphNodeSetEnabled(exec, kernel, 1));
    IS(cuGraphNodeSetEnabled(exec, call, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphExecKernelNodeSetParams(exec, set, &k), CUDA_ERROR_INVALID_VALUE);
    k.blockDimX = 4096;
    IS(cuGraphExecKernelNodeSetParams(exec, kernel, &k), CUDA_ERROR_INVALID_VALUE);
    k.blockDimX = 128;
    IS(cuGraphExecHostNodeSetParams(exec, (CUgraphNode)&h, &h), CUDA_ERROR_INVALID_VALUE);

    // A copy of the graph, changed, in place of the first.
    CUgraphExecUpdateResultInfo info;
    OK(cuGraphClone(&copy, graph));
    OK(cuGraphNodeFindInClone(&in_copy, set, copy));
    CHECK(in_copy != set);
    IS(cuGraphNodeFindInClone(&in_copy, set, graph), CUDA_ERROR_INVALID_VALUE);
    s.value = 100;
    OK(cuGraphMemsetNodeSetParams(in_copy, &s));
    OK(cuGraphExecUpdate(exec, copy, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(is_all(host, 300));
    OK(cuGraphMemsetNodeGetParams(set, &s_back));
    CHECK(s_back.value == 5);      // the first is as it was
    OK(cuGraphAddEmptyNode(&in_copy, copy, NULL, 0));
    IS(cuGraphExecUpdate(exec, copy, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    OK(cuGraphDestroyNode(in_copy));
    IS(cuGraphDestroyNode(in_copy), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphNodeFindInClone(&in_copy, kernel, copy));
    IS(cuGraphAddDependencies(graph, &in_copy, &call, NULL, 1), CUDA_ERROR_INVALID_VALUE);      // of another graph

    // The graph itself; a cycle.
    OK(cuGraphKernelNodeSetParams(kernel, &k));
    OK(cuGraphHostNodeSetParams(call, &h));
    OK(cuGraphMemcpyNodeSetParams(out, &c));
    OK(cuGraphEventRecordNodeSetEvent(end, first));
    OK(cuGraphEventWaitNodeSetEvent(wait, first));
    OK(cuGraphRemoveDependencies(graph, &out, &call, NULL, 1));
    IS(cuGraphRemoveDependencies(graph, &out, &call, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphAddDependencies(graph, &out, &set, NULL, 1));
    CUgraphExec none;
    IS(cuGraphInstantiate(&none, graph, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_GRAPH_INSTANTIATE_PARAMS with;
    memset(&with, 0, sizeof with);
    IS(cuGraphInstantiateWithParams(&none, graph, &with), CUDA_ERROR_INVALID_VALUE);
    CHECK(with.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    IS(cuGraphInstantiate(&none, graph, 1u << 20), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphInstantiate(&none, copy, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH), CUDA_ERROR_NOT_SUPPORTED);
    unsigned long long flags = 9;
    OK(cuGraphExecGetFlags(exec, (cuuint64_t*)&flags));
    CHECK(flags == 0);

    OK(cuGraphExecDestroy(exec));
    IS(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(graph));
    IS(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphKernelNodeGetParams(kernel, &k_back), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(copy));
    OK(cuEventDestroy(first));
    OK(cuEventDestroy(last));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(values));
}

/* A graph in a graph, and one that is captured into another. */
static void inner(void) {
    static int host[n];
    CUdeviceptr values;
    int count = n;
    CUgraph graph, small, inside = NULL;
    CUgraphNode set, child, out, in_small;
    CUgraphExec exec, again;
    CUstream stream;
    OK(cuMemAlloc(&values, n * 4));
    OK(cuStreamCreate(&stream, 0));
    void* arguments[] = {&values, &count};
    CUDA_KERNEL_NODE_PARAMS k = kernel_node(multiply, arguments);
    CUDA_MEMSET_NODE_PARAMS s = set_node(values, 2, n);
    CUDA_MEMCPY3D c = out_node(host, values, sizeof host);
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphCreate(&small, 0));
    OK(cuGraphAddKernelNode(&in_small, small, NULL, 0, &k));
    OK(cuGraphAddKernelNode(&in_small, small, &in_small, 1, &k));
    OK(cuGraphAddMemsetNode(&set, graph, NULL, 0, &s, context));
    OK(cuGraphAddChildGraphNode(&child, graph, &set, 1, small));
    OK(cuGraphAddMemcpyNode(&out, graph, &child, 1, &c, context));
    OK(cuGraphChildGraphNodeGetGraph(child, &inside));
    CHECK(inside != NULL && inside != small);
    IS(cuGraphDestroy(inside), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    CHECK(is_all(host, 18));
    // Other parameters inside.
    count = 10;
    OK(cuGraphKernelNodeSetParams(in_small, &k));
    OK(cuGraphExecChildGraphNodeSetParams(exec, child, small));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    CHECK(host[9] == 18 && host[10] == 6);
    // Another graph inside, of another shape, for what is instantiated from now on.
    CUgraphNodeParams other;
    memset(&other, 0, sizeof other);
    other.type = CU_GRAPH_NODE_TYPE_GRAPH;
    other.graph.graph = inside;
    IS(cuGraphNodeSetParams(child, &other), CUDA_ERROR_INVALID_VALUE);      // which is there
    OK(cuGraphAddKernelNode(&in_small, small, &in_small, 1, &k));
    other.graph.graph = small;
    OK(cuGraphNodeSetParams(child, &other));
    size_t number = 0;
    IS(cuGraphGetNodes(inside, NULL, &number), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphChildGraphNodeGetGraph(child, &inside));
    OK(cuGraphGetNodes(inside, NULL, &number));
    CHECK(inside != small && number == 3);
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    CHECK(host[9] == 18 && host[10] == 6);
    OK(cuGraphInstantiate(&again, graph, 0));
    OK(cuGraphLaunch(again, NULL));
    OK(cuCtxSynchronize());
    CHECK(host[9] == 54 && host[10] == 6);
    OK(cuGraphExecDestroy(again));

    // Captured behind a node that is there.
    CUstreamCaptureStatus status;
    OK(cuStreamBeginCaptureToGraph(stream, graph, &out, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(values, 1, n, stream));
    OK(cuLaunchKernel(multiply, 3, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    OK(cuMemcpyDtoHAsync(host, values, sizeof host, stream));
    OK(cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuStreamEndCapture(stream, &inside));
    CHECK(inside == graph);
    OK(cuGraphGetNodes(graph, NULL, &number));
    CHECK(number == 6);
    OK(cuGraphInstantiate(&again, graph, 0));
    OK(cuGraphLaunch(again, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(host[9] == 3 && host[10] == 1);
    OK(cuGraphExecDestroy(again));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(small));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(values));
}

/* Memory of the graph's own, operations on values, nodes by their common form, attributes of kernels. */
static void others(void) {
    static int host[n];
    CUgraph graph;
    CUgraphNode allocation, set, write, kernel, out, release, node;
    CUgraphExec exec;
    CUdeviceptr flag;
    int count = n;
    OK(cuMemAllocManaged(&flag, 64, CU_MEM_ATTACH_GLOBAL));
    volatile unsigned* const seen = (volatile unsigned*)flag;
    seen[0] = 0;
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEM_ALLOC_NODE_PARAMS a, a_back;
    memset(&a, 0, sizeof a);
    a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    a.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    a.bytesize = n * 4;
    OK(cuGraphAddMemAllocNode(&allocation, graph, NULL, 0, &a));
    OK(cuGraphMemAllocNodeGetParams(allocation, &a_back));
    CHECK(a.dptr != 0 && a_back.dptr == a.dptr && a_back.bytesize == n * 4);
    CUDA_MEMSET_NODE_PARAMS s = set_node(a.dptr, 4, n);
    OK(cuGraphAddMemsetNode(&set, graph, &allocation, 1, &s, context));
    void* arguments[] = {&a.dptr, &count};
    CUgraphNodeParams p;
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_KERNEL;
    p.kernel.func = multiply;
    p.kernel.gridDimX = 3;
    p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = 128;
    p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.kernelParams = arguments;
    OK(cuGraphAddNode(&kernel, graph, &set, NULL, 1, &p));
    CUstreamBatchMemOpParams operations[2];
    memset(operations, 0, sizeof operations);
    operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = flag;
    operations[0].writeValue.value = 77;
    operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[1].waitValue.address = flag;
    operations[1].waitValue.value = 70;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    CUDA_BATCH_MEM_OP_NODE_PARAMS b = {context, 2, operations, 0}, b_back;
    OK(cuGraphAddBatchMemOpNode(&write, graph, &kernel, 1, &b));
    memset(&b_back, 0, sizeof b_back);
    OK(cuGraphBatchMemOpNodeGetParams(write, &b_back));
    CHECK(b_back.count == 2 && b_back.paramArray != operations && b_back.paramArray[0].writeValue.value == 77 &&
          b_back.paramArray[1].waitValue.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 && b_back.paramArray[1].waitValue.address == flag);
    operations[0].writeValue.address = 8;
    IS(cuGraphBatchMemOpNodeSetParams(write, &b), CUDA_ERROR_INVALID_VALUE);
    operations[0].writeValue.address = flag;
    b.flags = 1;
    IS(cuGraphBatchMemOpNodeSetParams(write, &b), CUDA_ERROR_INVALID_VALUE);
    b.flags = 0;
    CUDA_MEMCPY3D c = out_node(host, a.dptr, sizeof host);
    OK(cuGraphAddMemcpyNode(&out, graph, &write, 1, &c, context));
    OK(cuGraphAddMemFreeNode(&release, graph, &out, 1, a.dptr));
    CUdeviceptr released = 0;
    OK(cuGraphMemFreeNodeGetParams(release, &released));
    CHECK(released == a.dptr);
    IS(cuGraphDestroyNode(allocation), CUDA_ERROR_NOT_SUPPORTED);
    IS(cuGraphClone(&graph, graph), CUDA_ERROR_NOT_SUPPORTED);      // memory has one address

    CUkernelNodeAttrValue value;
    memset(&value, 0, sizeof value);
    OK(cuGraphKernelNodeGetAttribute(kernel, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
    value.priority = -2;
    OK(cuGraphKernelNodeSetAttribute(kernel, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
    value.priority = 0;
    OK(cuGraphKernelNodeGetAttribute(kernel, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
    CHECK(value.priority == -2);
    IS(cuGraphKernelNodeSetAttribute(set, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value), CUDA_ERROR_INVALID_VALUE);

    OK(cuGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < 2; ++round) {
        OK(cuGraphLaunch(exec, NULL));
        OK(cuCtxSynchronize());
        CHECK(is_all(host, 12) && seen[0] == 77);
    }
    operations[0].writeValue.value = 78;
    OK(cuGraphExecBatchMemOpNodeSetParams(exec, write, &b));
    count = 1;
    OK(cuGraphExecNodeSetParams(exec, kernel, &p));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    CHECK(host[0] == 12 && host[1] == 4 && seen[0] == 78);
    size_t used = 1;
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used > 0);  // of what was freed
    OK(cuDeviceGraphMemTrim(0));
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0);

    // Other processes' and other interfaces' semaphores.
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signal;
    CUDA_EXT_SEM_WAIT_NODE_PARAMS wait;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle;
    CUexternalSemaphore semaphore;
    memset(&signal, 0, sizeof signal);
    memset(&wait, 0, sizeof wait);
    memset(&handle, 0, sizeof handle);
    IS(cuImportExternalSemaphore(&semaphore, &handle), CUDA_ERROR_NOT_SUPPORTED);
    IS(cuGraphAddExternalSemaphoresSignalNode(&node, graph, NULL, 0, &signal), CUDA_ERROR_NOT_SUPPORTED);
    IS(cuGraphAddExternalSemaphoresWaitNode(&node, graph, NULL, 0, &wait), CUDA_ERROR_NOT_SUPPORTED);
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
    IS(cuGraphAddNode(&node, graph, NULL, NULL, 0, &p), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuMemFree(flag));
}

/* What a graph was made for is gone when it is launched. */
static void without_memory(void) {
    static int host[n];
    CUdeviceptr values;
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec fill, copy;
    OK(cuMemAlloc(&values, n * 4));
    CUDA_MEMSET_NODE_PARAMS s = set_node(values, 2, n);
    CUDA_MEMCPY3D c = out_node(host, values, sizeof host);
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemsetNode(&node, graph, NULL, 0, &s, context));
    OK(cuGraphInstantiate(&fill, graph, 0));
    OK(cuGraphDestroyNode(node));
    OK(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &c, context));
    OK(cuGraphInstantiate(&copy, graph, 0));
    OK(cuMemFree(values));
    IS(cuGraphLaunch(fill, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &c, context), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize());
    OK(cuGraphExecDestroy(fill));
    OK(cuGraphExecDestroy(copy));
    OK(cuGraphDestroy(graph));
}

int main(int argc, char** argv) {
    CUmodule module;
    if (argc < 2) return 2;
    context = use_primary();
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&multiply, module, "multiply"));
    OK(cuModuleGetFunction(&add, module, "add"));
    whole();
    inner();
    others();
    without_memory();
    OK(cuModuleUnload(module));
    return result();
}
