// Arrays of one to three dimensions, copies to, from and between them, what is asked of them; texture and surface objects
// and their descriptions; a kernel that reads a texture is refused with its line.
// error: tex.
#include "check.hpp"
#include <cstring>
#include <vector>

__global__ void look(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex2D<float>(t, static_cast<float>(threadIdx.x), 0.5f); }

int main() {
    int const w = 37, h = 11, d = 5;
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
    CHECK(cudaGetLastError() != cudaSuccess);
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
    texture.filterMode = cudaFilterModeLinear;
    IS(cudaCreateTextureObject(&t, &linear, &texture, nullptr), cudaErrorInvalidValue);
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
