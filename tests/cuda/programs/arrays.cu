// Arrays of one to three dimensions, copies to, from and between them, what is asked of them; texture and surface objects
// and their descriptions.
#include "check.hpp"
#include <cstring>
#include <vector>

__global__ void look(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex2D<float>(t, static_cast<float>(threadIdx.x), 0.5f); }

int const w = 37, h = 11, d = 5;

// Copies with arrays as nodes, explicit and captured.
static void in_graphs(cudaArray_t volume, std::vector<unsigned char> const& cube) {
    static unsigned char box[3][4][10];
    static unsigned short plane[8][16], seen[8][16];
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<unsigned short>();
    cudaArray_t image;
    OK(cudaMallocArray(&image, &format, 16, 8));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemcpy3DParms p{}, told{};
    p.srcArray = volume;
    p.srcPos = make_cudaPos(2, 3, 1);
    p.dstPtr = make_cudaPitchedPtr(box, 10, 10, 4);
    p.extent = make_cudaExtent(10, 4, 3);
    p.kind = cudaMemcpyDeviceToHost;
    cudaGraphNode_t out, in;
    OK(cudaGraphAddMemcpyNode(&out, graph, nullptr, 0, &p));
    OK(cudaGraphMemcpyNodeGetParams(out, &told));
    CHECK(told.srcArray == volume && told.srcPos.x == 2 && told.srcPos.y == 3 && told.srcPos.z == 1 && told.dstArray == nullptr &&
          told.dstPtr.ptr == box && told.extent.width == 10 && told.extent.depth == 3 && told.kind == cudaMemcpyDeviceToHost);
    cudaMemcpy3DParms q{};
    q.srcPtr = make_cudaPitchedPtr(plane, sizeof plane[0], 16, 8);
    q.dstArray = image;
    q.extent = make_cudaExtent(16, 8, 1);
    q.kind = cudaMemcpyHostToDevice;
    OK(cudaGraphAddMemcpyNode(&in, graph, &out, 1, &q));
    q.dstPos.x = 1;
    IS(cudaGraphMemcpyNodeSetParams(in, &q), cudaErrorInvalidValue);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 128; ++i) plane[i / 16][i % 16] = static_cast<unsigned short>(1000 * round + i);
        OK(cudaGraphLaunch(exec, nullptr));
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy2DFromArray(seen, sizeof seen[0], image, 0, 0, sizeof seen[0], 8, cudaMemcpyDeviceToHost));
        CHECK(std::memcmp(seen, plane, sizeof seen) == 0);
    }
    for (int z = 0; z < 3; ++z) {
        for (int y = 0; y < 4; ++y) {
            for (int x = 0; x < 10; ++x) CHECK(box[z][y][x] == cube[((z + 1) * h + y + 3) * w + x + 2]);
        }
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpy2DToArrayAsync(image, 4, 1, plane, sizeof plane[0], 8, 3, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpy2DFromArrayAsync(seen, sizeof seen[0], image, 0, 0, sizeof seen[0], 8, cudaMemcpyDeviceToHost, s));
    OK(cudaMemcpy3DAsync(&p, s));
    OK(cudaStreamEndCapture(s, &graph));
    cudaGraphNode_t nodes[3];
    std::size_t count = 3;
    OK(cudaGraphGetNodes(graph, nodes, &count));
    CHECK(count == 3);
    OK(cudaGraphMemcpyNodeGetParams(nodes[0], &told));
    CHECK(told.dstArray == image && told.dstPos.x == 2 && told.dstPos.y == 1 && told.extent.width == 4 && told.extent.height == 3);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    plane[0][0] = 7;
    plane[2][3] = 9;
    std::memset(seen, 0, sizeof seen);
    std::memset(box, 0, sizeof box);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    CHECK(seen[1][2] == 7 && seen[3][5] == 9 && seen[1][1] == 1000 + 17 && seen[7][15] == 1127);
    CHECK(box[0][0][0] == cube[(h + 3) * w + 2]);
    OK(cudaFreeArray(image));
    IS(cudaGraphLaunch(exec, s), cudaErrorInvalidValue);      // without its array
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
}

// The copies of before CUDA 10, row after row; nvcc calls them deprecated.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void as_lines(cudaArray_t a) {
    std::vector<float2> in(60), out(60);
    for (int i = 0; i < 60; ++i) in[i] = make_float2(static_cast<float>(1000 + i), 0.5f);
    OK(cudaMemcpyToArray(a, 30 * 8, 2, in.data(), 60 * 8, cudaMemcpyHostToDevice));      // to the end of row 2, row 3, row 4
    OK(cudaMemcpy2DFromArray(out.data(), 8, a, 30 * 8, 2, 8, 3, cudaMemcpyDeviceToHost));
    CHECK(out[0].x == 1000.f && out[1].x == 1037.f);
    OK(cudaMemcpyFromArray(out.data(), a, 0, 3, 53 * 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 53; ++i) CHECK(out[i].x == static_cast<float>(1007 + i));
    IS(cudaMemcpyFromArray(out.data(), a, 0, h - 1, 38 * 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

int main() {
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<float2>();
    cudaArray_t a, b;
    OK(cudaMallocArray(&a, &format, w, h));
    OK(cudaMallocArray(&b, &format, w, h, cudaArraySurfaceLoadStore));
    std::vector<float2> in(w * h), out(w * h);
    for (int i = 0; i < w * h; ++i) in[i] = make_float2(static_cast<float>(i), static_cast<float>(-i));
    OK(cudaMemcpy2DToArray(a, 0, 0, in.data(), w * 8, w * 8, h, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, w * 8, h));
    OK(cudaMemcpy2DFromArray(out.data(), w * 8, b, 0, 0, w * 8, h, cudaMemcpyDeviceToHost));
    CHECK(std::memcmp(in.data(), out.data(), w * h * 8) == 0);
    // A part of it, through memory of the device, in a stream.
    cudaStream_t s;
    float2* part;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&part, 4 * 6 * 8));
    OK(cudaMemcpy2DFromArrayAsync(part, 6 * 8, a, 3 * 8, 2, 6 * 8, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaMemcpy2DToArrayAsync(b, 0, 0, part, 6 * 8, 6 * 8, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaMemcpy2DFromArrayAsync(out.data(), 6 * 8, b, 0, 0, 6 * 8, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 6; ++x) CHECK(out[y * 6 + x].x == static_cast<float>((y + 2) * w + x + 3));
    }
    IS(cudaMemcpy2DToArray(a, 8, 0, in.data(), w * 8, w * 8, h, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(cudaMemcpy2DToArray(a, 0, 0, in.data(), w * 8, w * 8, h, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    IS(cudaMemcpy2DToArray(a, 0, 0, in.data(), w, w * 8, h, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);

    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags = 99;
    OK(cudaArrayGetInfo(&got, &extent, &flags, b));
    CHECK(got.x == 32 && got.y == 32 && got.z == 0 && got.f == cudaChannelFormatKindFloat);
    CHECK(extent.width == w && extent.height == h && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
    cudaChannelFormatDesc const bad = cudaCreateChannelDesc(32, 8, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t none = nullptr;
    IS(cudaMallocArray(&none, &bad, w, h), cudaErrorInvalidChannelDescriptor);
    IS(cudaMallocArray(&none, &format, 0, h), cudaErrorInvalidValue);

    cudaArray_t volume;
    cudaChannelFormatDesc const bytes = cudaCreateChannelDesc<unsigned char>();
    OK(cudaMalloc3DArray(&volume, &bytes, make_cudaExtent(w, h, d)));
    std::vector<unsigned char> cube(w * h * d), back(w * h * d);
    for (std::size_t i = 0; i < cube.size(); ++i) cube[i] = static_cast<unsigned char>(i * 7);
    cudaMemcpy3DParms p{};
    p.srcPtr = make_cudaPitchedPtr(cube.data(), w, w, h);
    p.dstArray = volume;
    p.extent = make_cudaExtent(w, h, d);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    cudaMemcpy3DParms q{};
    q.srcArray = volume;
    q.srcPos = make_cudaPos(2, 3, 1);
    q.dstPtr = make_cudaPitchedPtr(back.data(), 10, 10, 4);
    q.extent = make_cudaExtent(10, 4, 3);
    q.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&q));
    for (int z = 0; z < 3; ++z) {
        for (int y = 0; y < 4; ++y) {
            for (int x = 0; x < 10; ++x) CHECK(back[(z * 4 + y) * 10 + x] == cube[((z + 1) * h + y + 3) * w + x + 2]);
        }
    }

    in_graphs(volume, cube);
    as_lines(a);

    cudaMipmappedArray_t mipmapped;
    OK(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(64, 16, 0), 20));
    for (unsigned level = 0; level < 7; ++level) {
        cudaArray_t one;
        OK(cudaGetMipmappedArrayLevel(&one, mipmapped, level));
        OK(cudaArrayGetInfo(nullptr, &extent, nullptr, one));
        CHECK(extent.width == 64u >> level && extent.height == (level < 5 ? 16u >> level : 1u));
    }
    IS(cudaGetMipmappedArrayLevel(&none, mipmapped, 7), cudaErrorInvalidValue);
    OK(cudaFreeMipmappedArray(mipmapped));

    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    cudaTextureDesc texture{};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    texture.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &texture, nullptr));
    cudaResourceDesc resource_back;
    cudaTextureDesc texture_back;
    OK(cudaGetTextureObjectResourceDesc(&resource_back, t));
    OK(cudaGetTextureObjectTextureDesc(&texture_back, t));
    CHECK(resource_back.res.array.array == a && texture_back.filterMode == cudaFilterModeLinear &&
          texture_back.addressMode[1] == cudaAddressModeClamp);
    float* f;
    OK(cudaMalloc(&f, 256));
    look<<<1, 32>>>(t, f);
    float seen[32];
    OK(cudaMemcpy(seen, f, sizeof seen, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) CHECK(seen[i] == (i == 0 ? 0.0f : static_cast<float>(i) - 0.5f));      // between two texels
    OK(cudaDestroyTextureObject(t));
    IS(cudaDestroyTextureObject(t), cudaErrorInvalidResourceHandle);
    cudaResourceDesc linear{};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = f;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = 256;
    texture.filterMode = cudaFilterModePoint;
    OK(cudaCreateTextureObject(&t, &linear, &texture, nullptr));
    OK(cudaDestroyTextureObject(t));
    texture.filterMode = cudaFilterModeLinear;      // which is ignored there
    OK(cudaCreateTextureObject(&t, &linear, &texture, nullptr));
    OK(cudaDestroyTextureObject(t));
    linear.res.linear.devPtr = in.data();
    texture.filterMode = cudaFilterModePoint;
    IS(cudaCreateTextureObject(&t, &linear, &texture, nullptr), cudaErrorInvalidValue);

    cudaSurfaceObject_t surface = 0;
    IS(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);      // made without the flag
    resource.res.array.array = b;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    OK(cudaGetSurfaceObjectResourceDesc(&resource_back, surface));
    CHECK(resource_back.res.array.array == b);
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(nullptr));
    IS(cudaFreeArray(a), cudaErrorInvalidResourceHandle);
    IS(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 8, 1), cudaErrorInvalidResourceHandle);
    OK(cudaFreeArray(b));
    return result();
}
