// Graphs in timing mode: nodes take simulated time, those that do not depend on each other at the same time, and nothing
// depends on how fast the host is.
// exec: --mode timing --config v100 --threads 1
// exec: --mode timing --config v100 --threads 2
// exec: --mode timing --config v100 --threads 2
// same: output
#include "check.hpp"

__global__ void chain(float* p, int n) {
    float x = p[threadIdx.x];
    for (int i = 0; i < n; ++i) x = x * 1.0001f + 0.5f;
    p[threadIdx.x] = x;
}

int main() {
    constexpr int length = 4000, wide = 3;
    float* p;
    OK(cudaMalloc(&p, (wide + 1) * 32 * sizeof(float)));
    OK(cudaMemset(p, 0, (wide + 1) * 32 * sizeof(float)));
    cudaEvent_t begin, middle, end, after;
    for (cudaEvent_t* e : {&begin, &middle, &end, &after}) OK(cudaEventCreate(e));

    // begin -> three chains beside one another -> middle -> one ten times as long -> end
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first, beside[wide], between, long_one, last;
    OK(cudaGraphAddEventRecordNode(&first, graph, nullptr, 0, begin));
    auto const add = [&](cudaGraphNode_t* node, cudaGraphNode_t const* after_nodes, int n, int which) {
        float* const at = p + which * 32;
        void* arguments[] = {const_cast<float**>(&at), &n};
        cudaKernelNodeParams k{};
        k.func = (void*)chain;
        k.gridDim = dim3(1);
        k.blockDim = dim3(32);
        k.kernelParams = arguments;
        OK(cudaGraphAddKernelNode(node, graph, after_nodes, 1, &k));
    };
    for (int i = 0; i < wide; ++i) add(&beside[i], &first, length, i);
    OK(cudaGraphAddEventRecordNode(&between, graph, beside, wide, middle));
    add(&long_one, &between, 10 * length, wide);
    OK(cudaGraphAddEventRecordNode(&last, graph, &long_one, 1, end));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    for (int round = 0; round < 3; ++round) {
        OK(cudaGraphLaunch(exec, s));
        OK(cudaEventRecord(after, s));
        OK(cudaStreamSynchronize(s));
        float short_ones = 0, ten = 0, rest = -1;
        OK(cudaEventElapsedTime(&short_ones, begin, middle));
        OK(cudaEventElapsedTime(&ten, middle, end));
        OK(cudaEventElapsedTime(&rest, end, after));
        // A multiply-add takes 4 cycles of V100's; a launch takes its time too.
        float const one_ms = length * 4 / 1.53e6f;
        CHECK(short_ones > one_ms && short_ones < 2 * one_ms);
        CHECK(ten > 9 * one_ms && ten < 20 * one_ms);
        CHECK(rest == 0);  // events take no time
        std::printf("%.6f %.6f\n", short_ones, ten);
    }
    // The same by a captured stream: as long as the node was, and the host's call.
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    chain<<<1, 32, 0, s>>>(p + wide * 32, 10 * length);
    cudaGraph_t captured;
    OK(cudaStreamEndCapture(s, &captured));
    cudaGraphExec_t again;
    OK(cudaGraphInstantiate(&again, captured, 0));
    float ten = 0, captured_ten = 0;
    OK(cudaEventElapsedTime(&ten, middle, end));
    OK(cudaEventRecord(begin, s));
    OK(cudaGraphLaunch(again, s));
    OK(cudaEventRecord(after, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaEventElapsedTime(&captured_ten, begin, after));
    CHECK(captured_ten > 0.99f * ten && captured_ten < 1.01f * ten + 0.003f);
    std::printf("%.6f\n", captured_ten);
    OK(cudaGraphExecDestroy(again));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(captured));
    OK(cudaGraphDestroy(graph));
    return result();
}
