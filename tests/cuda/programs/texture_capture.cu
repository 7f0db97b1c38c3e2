// Graphs whose kernels know textures and surfaces: captured with the copies between arrays and memory, launched again and again
// with other texels, cloned, updated to another texture; and launched after the object or its array is gone.
// exec:
// exec: --mode timing
// error: the texture object 0xa1
// error: the memory of a surface
#include "check.hpp"

#include <vector>

constexpr int width = 40, height = 24, count = width * height;

/// The mean of the texel and its right neighbour, times the factor, into the surface; and what the texture has into memory.
__global__ void smooth(cudaTextureObject_t from, cudaSurfaceObject_t to, float* seen, float factor) {
    int const x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
    surf2Dwrite(factor * tex2D<float>(from, static_cast<float>(x) + 1.0f, static_cast<float>(y) + 0.5f), to, 4 * x, y);
    seen[y * width + x] = tex2D<float>(from, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
}

static cudaArray_t make_array() {
    cudaArray_t array = nullptr;
    auto const format = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    return array;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaTextureObject_t texture_of(cudaArray_t array) {
    cudaTextureObject_t texture = 0;
    cudaResourceDesc const resource = resource_of(array);
    cudaTextureDesc how{};
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

struct Filter {
    cudaArray_t in = make_array(), out = make_array();
    cudaTextureObject_t texture = texture_of(in);
    cudaSurfaceObject_t surface = 0;
    float *from = nullptr, *to = nullptr, *seen = nullptr;
    cudaGraph_t graph = nullptr;

    Filter() {
        cudaResourceDesc const resource = resource_of(out);
        OK(cudaCreateSurfaceObject(&surface, &resource));
        for (float** p : {&from, &to, &seen}) OK(cudaMallocManaged(p, count * sizeof(float)));
        cudaStream_t stream = nullptr;
        OK(cudaStreamCreate(&stream));
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        constexpr std::size_t row = width * sizeof(float);
        OK(cudaMemcpy2DToArrayAsync(in, 0, 0, from, row, row, height, cudaMemcpyDefault, stream));
        smooth<<<height, width, 0, stream>>>(texture, surface, seen, 2);
        OK(cudaMemcpy2DFromArrayAsync(to, row, out, 0, 0, row, height, cudaMemcpyDefault, stream));
        OK(cudaStreamEndCapture(stream, &graph));
        OK(cudaStreamDestroy(stream));
    }

    void fill(int seed) const {
        for (int i = 0; i < count; ++i) from[i] = static_cast<float>((i * seed) % 251);
    }
    void check(float factor, std::vector<float> const& texels) const {
        int wrong = 0;
        for (int i = 0; i < count; ++i) {
            int const right = i % width == width - 1 ? i : i + 1;
            auto const at = [&](int k) { return texels[static_cast<std::size_t>(k)]; };
            wrong += to[i] != factor * (at(i) + at(right)) / 2 || seen[i] != at(i);
        }
        CHECK(wrong == 0);
    }
    std::vector<float> texels() const { return {from, from + count}; }
};

static cudaGraphNode_t kernel_of(cudaGraph_t graph) {
    cudaGraphNode_t nodes[8] = {};
    std::size_t nodes_count = 8;
    OK(cudaGraphGetNodes(graph, nodes, &nodes_count));
    CHECK(nodes_count == 3);
    for (cudaGraphNode_t const node : nodes) {
        cudaGraphNodeType type{};
        if (node != nullptr && cudaGraphNodeGetType(node, &type) == cudaSuccess && type == cudaGraphNodeTypeKernel)
            return node;
    }
    return nullptr;
}

static void replays() {
    Filter f;
    cudaGraphExec_t exec = nullptr;
    OK(cudaGraphInstantiate(&exec, f.graph, 0));
    for (int const seed : {7, 19, 123}) {
        f.fill(seed);
        OK(cudaGraphLaunch(exec, nullptr));
        OK(cudaDeviceSynchronize());
        f.check(2, f.texels());
    }
    cudaGraph_t clone = nullptr;
    cudaGraphExec_t of_clone = nullptr;
    OK(cudaGraphClone(&clone, f.graph));
    OK(cudaGraphInstantiate(&of_clone, clone, 0));
    f.fill(41);
    OK(cudaGraphLaunch(of_clone, nullptr));
    OK(cudaDeviceSynchronize());
    f.check(2, f.texels());

    // Another texture and factor in the kernel's node, of an array that no copy of the graph changes.
    cudaArray_t const other = make_array();
    std::vector<float> texels(count);
    for (int i = 0; i < count; ++i) texels[static_cast<std::size_t>(i)] = static_cast<float>(i % 97);
    constexpr std::size_t row = width * sizeof(float);
    OK(cudaMemcpy2DToArray(other, 0, 0, texels.data(), row, row, height, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(other);
    float factor = 4;
    void* arguments[] = {&texture, &f.surface, &f.seen, &factor};
    cudaKernelNodeParams p{};
    OK(cudaGraphKernelNodeGetParams(kernel_of(f.graph), &p));
    p.kernelParams = arguments;
    OK(cudaGraphExecKernelNodeSetParams(exec, kernel_of(f.graph), &p));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    f.check(4, texels);
}

// The device fails until it is reset.
static void fails(cudaGraphExec_t exec) {
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    OK(cudaDeviceReset());
}

int main() {
    replays();
    {
        Filter f;
        cudaGraphExec_t exec = nullptr;
        OK(cudaGraphInstantiate(&exec, f.graph, 0));
        OK(cudaDestroyTextureObject(f.texture));
        fails(exec);
    }
    {
        // Only the kernel's node: a copy would be refused when it is launched.
        Filter f;
        cudaGraphNode_t nodes[3];
        std::size_t nodes_count = 3;
        OK(cudaGraphGetNodes(f.graph, nodes, &nodes_count));
        for (cudaGraphNode_t const node : nodes) {
            if (node != kernel_of(f.graph)) continue;
            cudaKernelNodeParams p{};
            cudaGraph_t alone = nullptr;
            cudaGraphNode_t copy = nullptr;
            cudaGraphExec_t exec = nullptr;
            OK(cudaGraphKernelNodeGetParams(node, &p));
            OK(cudaGraphCreate(&alone, 0));
            OK(cudaGraphAddKernelNode(&copy, alone, nullptr, 0, &p));
            OK(cudaGraphInstantiate(&exec, alone, 0));
            OK(cudaFreeArray(f.out));
            fails(exec);
            break;
        }
    }
    return result();
}
