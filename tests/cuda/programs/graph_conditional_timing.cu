// In timing mode the body of a conditional node takes its time beside what other streams do, copies included, and what
// follows the node waits for it.
// compile: -arch=compute_90
// exec: --mode timing --threads 1
// exec: --mode timing --threads 2
// same: output
#include "check.hpp"

__global__ void chain(float* p, int n) {
    float x = p[threadIdx.x];
    for (int i = 0; i < n; ++i) x = x * 1.0001f + 0.5f;
    p[threadIdx.x] = x;
}
__global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, --*left > 0 ? 1u : 0u);
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t const* after, void* f, void** arguments) {
    cudaKernelNodeParams p{};
    p.func = f;
    p.gridDim = dim3(1);
    p.blockDim = dim3(f == (void*)chain ? 32 : 1);
    p.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    OK(cudaGraphAddKernelNode(&node, graph, after, after != nullptr ? 1 : 0, &p));
    return node;
}

static float ms_between(cudaEvent_t a, cudaEvent_t b) {
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, a, b));
    return ms;
}

int main() {
    constexpr int rounds = 3;
    constexpr size_t bytes = 4 << 20;
    int length = 3000, beside_length = rounds * length;
    float *p, *beside;
    int* left;
    char* copied;
    OK(cudaMalloc(&p, 128));
    OK(cudaMalloc(&beside, 128));
    OK(cudaMalloc(&left, sizeof(int)));
    OK(cudaMalloc(&copied, 2 * bytes));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node;
    OK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    // A round: a chain and a copy beside each other, then the condition.
    cudaGraph_t const body = params.conditional.phGraph_out[0];
    void *chain_arguments[] = {&p, &length}, *count_arguments[] = {&left, &handle};
    cudaGraphNode_t const work = add_kernel(body, nullptr, (void*)chain, chain_arguments);
    cudaGraphNode_t copy;
    OK(cudaGraphAddMemcpyNode1D(&copy, body, nullptr, 0, copied, copied + bytes, bytes, cudaMemcpyDeviceToDevice));
    cudaGraphNode_t const both[] = {work, copy};
    cudaGraphNode_t const count = add_kernel(body, &work, (void*)count_down, count_arguments);
    OK(cudaGraphAddDependencies(body, &both[1], &count, nullptr, 1));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));

    cudaStream_t s, other;
    cudaEvent_t begin, end, other_end;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (cudaEvent_t* e : {&begin, &end, &other_end}) OK(cudaEventCreate(e));
    float alone = 0;
    for (int with_other = 0; with_other < 2; ++with_other) {
        OK(cudaMemcpy(left, &rounds, sizeof(int), cudaMemcpyHostToDevice));
        OK(cudaEventRecord(begin, s));
        OK(cudaGraphLaunch(exec, s));
        OK(cudaEventRecord(end, s));
        if (with_other) chain<<<1, 32, 0, other>>>(beside, beside_length);
        OK(cudaEventRecord(other_end, other));
        OK(cudaDeviceSynchronize());
        int now = -1;
        OK(cudaMemcpy(&now, left, sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(now == 0);
        float const ms = ms_between(begin, end);
        std::printf("%.6f\n", ms);
        CHECK(ms > rounds * length * 4 / 1.98e6f);  // a multiply-add takes 4 cycles
        CHECK(ms > rounds * 2 * bytes / 3.35e9f);   // and DRAM moves 3.35 GB in a millisecond
        if (!with_other) {
            alone = ms;
        } else {
            CHECK(ms < 1.1f * alone);
            CHECK(ms_between(begin, other_end) < 1.5f * alone);
        }
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    return result();
}
