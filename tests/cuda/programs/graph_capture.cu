// Graphs from captured streams: forks and joins by events, memory, and what cannot be captured.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cstring>
#include <thread>

__global__ void add(int* values, int n, int amount) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += amount;
}
__global__ void sum(int const* a, int const* b, int* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

constexpr int n = 200;

static void forked() {
    int *a, *b, *c;
    static int host[n];
    OK(cudaMalloc(&a, n * sizeof(int)));
    OK(cudaMalloc(&b, n * sizeof(int)));
    OK(cudaMalloc(&c, n * sizeof(int)));
    cudaStream_t first, second;
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaEvent_t fork, join;
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(first, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    IS(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    OK(cudaMemsetAsync(a, 0, n * sizeof(int), first));
    OK(cudaEventRecord(fork, first));
    OK(cudaStreamWaitEvent(second, fork, 0));
    OK(cudaMemsetAsync(b, 0, n * sizeof(int), second));
    add<<<2, 128, 0, first>>>(a, n, 10);
    add<<<2, 128, 0, second>>>(b, n, 7);
    OK(cudaStreamIsCapturing(second, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaEventRecord(join, second));
    OK(cudaStreamWaitEvent(first, join, 0));
    cudaGraph_t under_way = nullptr;
    unsigned long long id = 0;
    cudaGraphNode_t const* after = nullptr;
    std::size_t count = 0;
    OK(cudaStreamGetCaptureInfo(first, &status, &id, &under_way, &after, nullptr, &count));
    CHECK(status == cudaStreamCaptureStatusActive && id != 0 && under_way != nullptr && count == 2 && after != nullptr);
    sum<<<2, 128, 0, first>>>(a, b, c, n);
    OK(cudaMemcpyAsync(host, c, sizeof host, cudaMemcpyDeviceToHost, first));
    static int calls = 0;
    OK(cudaLaunchHostFunc(first, [](void* p) { ++*static_cast<int*>(p); }, &calls));
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(first, &graph));
    CHECK(graph == under_way);
    CHECK(calls == 0 && host[0] == 0);
    std::size_t nodes = 0, edges = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    CHECK(nodes == 7 && edges == 7);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, second));
    OK(cudaStreamSynchronize(second));
    CHECK(calls == 3);
    for (int i = 0; i < n; ++i) CHECK(host[i] == 17);

    // A launch in a captured stream becomes a graph in the graph.
    OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
    OK(cudaGraphLaunch(exec, first));
    add<<<2, 128, 0, first>>>(c, n, 1000);
    cudaGraph_t outer;
    OK(cudaStreamEndCapture(first, &outer));
    cudaGraphExec_t outer_exec;
    OK(cudaGraphInstantiate(&outer_exec, outer, 0));
    OK(cudaGraphLaunch(outer_exec, first));
    OK(cudaMemcpyAsync(host, c, sizeof host, cudaMemcpyDeviceToHost, first));
    OK(cudaStreamSynchronize(first));
    for (int i = 0; i < n; ++i) CHECK(host[i] == 1017);

    // The same again with another number, into the graph that is there.
    OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    OK(cudaGraphLaunch(exec, first));
    add<<<2, 128, 0, first>>>(c, n, 2000);
    cudaGraph_t again;
    OK(cudaStreamEndCapture(first, &again));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(outer_exec, again, &info));
    OK(cudaGraphLaunch(outer_exec, first));
    OK(cudaMemcpyAsync(host, c, sizeof host, cudaMemcpyDeviceToHost, first));
    OK(cudaStreamSynchronize(first));
    for (int i = 0; i < n; ++i) CHECK(host[i] == 2017);
    (void)cudaGetLastError();
}

static void memory() {
    cudaStream_t stream;
    static int host[n];
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    int* values;
    OK(cudaMallocAsync(&values, n * sizeof(int), stream));
    OK(cudaMemsetAsync(values, 0, n * sizeof(int), stream));
    add<<<2, 128, 0, stream>>>(values, n, 5);
    OK(cudaMemcpyAsync(host, values, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(values, stream));
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) CHECK(host[i] == 5);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static void refused() {
    cudaStream_t stream, other;
    cudaGraph_t graph;
    cudaEvent_t event;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
    OK(cudaEventCreate(&event));
    int* values;
    OK(cudaMalloc(&values, n * sizeof(int)));
    IS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);

    // Waiting for a stream that is captured.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    IS(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(stream, &status));
    CHECK(status == cudaStreamCaptureStatusInvalidated);
    IS(cudaMemsetAsync(values, 0, 4, stream), cudaErrorStreamCaptureInvalidated);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    OK(cudaMemsetAsync(values, 0, 4, stream));

    // The default stream would wait for it: to ask for its status is an error, but breaks nothing.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    IS(cudaStreamIsCapturing(cudaStreamLegacy, &status), cudaErrorStreamCaptureImplicit);
    OK(cudaStreamIsCapturing(stream, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamIsCapturing(cudaStreamLegacy, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    // ... any work in it does.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    IS(cudaMemset(values, 0, 4), cudaErrorStreamCaptureImplicit);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);

    // Memory while any thread's capture is global; not while it is relaxed.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    int* more = nullptr;
    IS(cudaMalloc(&more, 100), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&more, 100));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphDestroy(graph));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeGlobal);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaFree(more));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaThreadExchangeStreamCaptureMode(&mode));

    // A stream that does not come back.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(other, event, 0));
    OK(cudaMemsetAsync(values, 0, 4, other));
    IS(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(other, event, 0));
    OK(cudaMemsetAsync(values, 0, 4, other));
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);

    // An event from outside; an event of the capture asked outside; two captures that meet.
    OK(cudaEventRecord(event, other));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    IS(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, stream));
    IS(cudaEventQuery(event), cudaErrorCapturedEvent);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(event, stream));
    IS(cudaStreamWaitEvent(other, event, 0), cudaErrorStreamCaptureMerge);
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    IS(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureInvalidated);

    // Another thread cannot end it.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    std::thread([&] { IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureWrongThread); }).join();
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaMemset(values, 0, 4));
    OK(cudaDeviceSynchronize());
    (void)cudaGetLastError();
}

static void into_a_graph() {
    int* values;
    OK(cudaMallocManaged(&values, 2 * n * sizeof(int)));
    std::memset(values, 0, 2 * n * sizeof(int));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaGraph_t graph, same;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t empty;
    OK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
    OK(cudaStreamBeginCaptureToGraph(stream, graph, &empty, nullptr, 1, cudaStreamCaptureModeGlobal));
    add<<<2, 128, 0, stream>>>(values, n, 3);
    OK(cudaStreamUpdateCaptureDependencies(stream, &empty, nullptr, 1, cudaStreamSetCaptureDependencies));
    add<<<2, 128, 0, stream>>>(values + n, n, 4);  // nothing orders the two
    OK(cudaStreamEndCapture(stream, &same));
    CHECK(same == graph);
    // Whose graph it is needs no answer; who has none wants one.
    OK(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    OK(cudaStreamEndCapture(stream, nullptr));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    IS(cudaStreamEndCapture(stream, nullptr), cudaErrorInvalidValue);
    cudaGraph_t other = nullptr;
    OK(cudaStreamEndCapture(stream, &other));
    OK(cudaGraphDestroy(other));
    cudaGetLastError();
    std::size_t count = 0;
    OK(cudaGraphNodeGetDependentNodes(empty, nullptr, nullptr, &count));
    CHECK(count == 2);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) CHECK(values[i] == 3 && values[n + i] == 4);
}

// A kernel that may begin early depends on what the kernel before it triggers, and on the end of anything else.
static void early() {
    int* values;
    OK(cudaMallocManaged(&values, n * sizeof(int)));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(2);
    config.blockDim = dim3(128);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(values, 0, n * sizeof(int), stream));
    for (int amount : {1, 2}) OK(cudaLaunchKernelEx(&config, add, values, n, amount));
    add<<<2, 128, 0, stream>>>(values, n, 4);
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t from[3], to[3];
    cudaGraphEdgeData data[3];
    std::size_t count = 3, triggered = 0;
    OK(cudaGraphGetEdges(graph, from, to, data, &count));
    CHECK(count == 3);
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(data[i].to_port == 0);
        if (data[i].type == cudaGraphDependencyTypeDefault) {
            CHECK(data[i].from_port == cudaGraphKernelNodePortDefault);
            continue;
        }
        cudaKernelNodeParams first{}, second{};
        CHECK(data[i].from_port == cudaGraphKernelNodePortProgrammatic);
        OK(cudaGraphKernelNodeGetParams(from[i], &first));
        OK(cudaGraphKernelNodeGetParams(to[i], &second));
        CHECK(*static_cast<int*>(first.kernelParams[2]) == 1 && *static_cast<int*>(second.kernelParams[2]) == 2);
        ++triggered;
    }
    CHECK(triggered == 1);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(values[0] == 7 && values[n - 1] == 7);
}

// Neither a stream that was captured along nor events of the capture keep the graph.
static void given_up() {
    static int ended;
    int* a;
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    OK(cudaMalloc(&a, sizeof(int)));
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreate(&second));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(fork, first));
    OK(cudaStreamWaitEvent(second, fork, 0));
    OK(cudaMemsetAsync(a, 0, sizeof(int), second));
    OK(cudaEventRecord(join, second));
    OK(cudaStreamWaitEvent(first, join, 0));
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(first, &graph));
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, &ended, [](void* p) { ++*static_cast<int*>(p); }, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CHECK(ended == 0);
    OK(cudaGraphDestroy(graph));
    CHECK(ended == 1);
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
    OK(cudaFree(a));
}

int main() {
    forked();
    given_up();
    memory();
    refused();
    into_a_graph();
    early();
    return result();
}
