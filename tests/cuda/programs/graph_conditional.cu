// compile: -arch=compute_90
// Nodes whose bodies run as a value says that kernels set: loops, alternatives, choices.
#include "check.hpp"

__global__ void count_down(int* left, int* rounds, cudaGraphConditionalHandle handle) {
    ++*rounds;
    cudaGraphSetConditional(handle, --*left > 0 ? 1u : 0u);
}
__global__ void choose(int const* value, cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, static_cast<unsigned>(*value));
}
__global__ void note(int* to, int value) { *to = value; }

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t const* after, std::size_t n, void* f, void** arguments) {
    cudaKernelNodeParams p{};
    p.func = f;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    OK(cudaGraphAddKernelNode(&node, graph, after, n, &p));
    return node;
}

int main() {
    int* words;
    OK(cudaMallocManaged(&words, 16 * sizeof(int)));
    int *left = words, *rounds = words + 1, *seen = words + 2;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;

    // while
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p{};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    cudaGraphNode_t node;
    OK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(node, &type));
    CHECK(type == cudaGraphNodeTypeConditional);
    void* loop_arguments[] = {&left, &rounds, &handle};
    add_kernel(p.conditional.phGraph_out[0], nullptr, 0, (void*)count_down, loop_arguments);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int n = 1; n < 6; n += 2) {
        *left = n;
        *rounds = 0;
        OK(cudaGraphLaunch(exec, nullptr));
        OK(cudaDeviceSynchronize());
        CHECK(*rounds == n && *left == 0);
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    // if and else, and one of several
    for (int type_of_it = 0; type_of_it < 2; ++type_of_it) {
        OK(cudaGraphCreate(&graph, 0));
        OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
        int* value = words + 4;
        void* choose_arguments[] = {&value, &handle};
        cudaGraphNode_t const first = add_kernel(graph, nullptr, 0, (void*)choose, choose_arguments);
        p.conditional.handle = handle;
        p.conditional.type = type_of_it == 0 ? cudaGraphCondTypeIf : cudaGraphCondTypeSwitch;
        p.conditional.size = type_of_it == 0 ? 2 : 3;
        OK(cudaGraphAddNode(&node, graph, &first, nullptr, 1, &p));
        for (int body = 0; body < static_cast<int>(p.conditional.size); ++body) {
            int result_of_it = 10 + body;
            void* note_arguments[] = {&seen, &result_of_it};
            add_kernel(p.conditional.phGraph_out[body], nullptr, 0, (void*)note, note_arguments);
        }
        OK(cudaGraphInstantiate(&exec, graph, 0));
        for (int v = 0; v < 4; ++v) {
            *value = v;
            *seen = -1;
            OK(cudaGraphLaunch(exec, nullptr));
            OK(cudaDeviceSynchronize());
            int const wanted = type_of_it == 0 ? (v != 0 ? 10 : 11) : v < 3 ? 10 + v : -1;
            CHECK(*seen == wanted);
        }
        OK(cudaGraphExecDestroy(exec));
        OK(cudaGraphDestroy(graph));
    }

    OK(cudaGraphCreate(&graph, 0));
    p.conditional.handle = 12345;
    IS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
    return result();
}
