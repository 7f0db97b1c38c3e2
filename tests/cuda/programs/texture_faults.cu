// What a kernel cannot look at: an object that was destroyed, one whose array or memory was freed, a number that is none,
// a surface taken for a texture, and one of another device. Each is told with its line and stays until a reset.
// exec: --devices 2
// exec: --devices 2 --mode timing
// error: the texture object 0xa100000000000000 was destroyed
// error: the surface object 0xa3
// error: thread (5,0,0)
// error: the memory of a texture
// error: the memory of a surface
// error: no texture is bound
// error: is the handle of a surface, not of a texture
// error: belongs to another device
// error: outside of its (64,16,1)
#include "check.hpp"

__global__ void look(cudaTextureObject_t t, float* out) {
    if (threadIdx.x == 5) *out = tex2D<float>(t, 1.5f, 2.5f);
}
__global__ void look_at_line(cudaTextureObject_t t, float* out) { *out = tex1Dfetch<float>(t, 3); }
__global__ void paint(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 0, 0); }
__global__ void paint_outside(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 16 * 4, 0); }

struct Objects {
    cudaArray_t array = nullptr;
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    float* out = nullptr;

    Objects() {
        auto const format = cudaCreateChannelDesc<float>();
        OK(cudaMallocArray(&array, &format, 16, 16, cudaArraySurfaceLoadStore));
        float const values[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
        OK(cudaMemcpy2DToArray(array, 0, 2, values, 64, 64, 1, cudaMemcpyHostToDevice));
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc how{};
        OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
        OK(cudaCreateSurfaceObject(&surface, &resource));
        OK(cudaMalloc(&out, 4));
    }

    /// It can be used while it is there.
    void check() const {
        look<<<1, 32>>>(texture, out);
        float value = 0;
        OK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
        CHECK(value == 2);
    }
};

// The device fails, all calls say so, and a reset makes it work again.
template <class Launch> void fails(Launch launch) {
    (void)cudaGetLastError();
    launch();
    cudaError_t const got = cudaDeviceSynchronize();
    CHECK(got != cudaSuccess);
    void* p = nullptr;
    IS(cudaMalloc(&p, 4), got);
    IS(cudaGetLastError(), got);
    OK(cudaDeviceReset());
}

int main() {
    {
        Objects o;
        o.check();
        OK(cudaDestroyTextureObject(o.texture));
        IS(cudaDestroyTextureObject(o.texture), cudaErrorInvalidResourceHandle);
        fails([&] { look<<<1, 32>>>(o.texture, o.out); });
    }
    {
        Objects o;
        OK(cudaDestroySurfaceObject(o.surface));
        fails([&] { paint<<<1, 1>>>(o.surface); });
    }
    {
        Objects o;
        o.check();
        OK(cudaFreeArray(o.array));
        fails([&] { look<<<1, 32>>>(o.texture, o.out); });
    }
    {
        Objects o;
        OK(cudaFreeArray(o.array));
        fails([&] { paint<<<1, 1>>>(o.surface); });
    }
    {
        Objects o;
        fails([&] { look<<<1, 32>>>(0, o.out); });
    }
    {
        Objects o;
        fails([&] { look<<<1, 32>>>(o.surface, o.out); });
    }
    {
        Objects o;
        fails([&] { paint_outside<<<1, 1>>>(o.surface); });      // whose mode is to trap
    }
    {
        Objects o;
        float* memory;
        OK(cudaMalloc(&memory, 256));
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = memory;
        resource.res.linear.desc = cudaCreateChannelDesc<float>();
        resource.res.linear.sizeInBytes = 256;
        cudaTextureDesc how{};
        cudaTextureObject_t line = 0;
        OK(cudaCreateTextureObject(&line, &resource, &how, nullptr));
        look_at_line<<<1, 1>>>(line, o.out);
        OK(cudaDeviceSynchronize());
        OK(cudaFree(memory));
        fails([&] { look_at_line<<<1, 1>>>(line, o.out); });
    }
    {
        Objects here;
        OK(cudaSetDevice(1));
        Objects there;
        there.check();
        fails([&] { look<<<1, 32>>>(here.texture, there.out); });
        // An array belongs to its device.
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = here.array;
        cudaTextureDesc how{};
        cudaTextureObject_t t = 0;
        IS(cudaCreateTextureObject(&t, &resource, &how, nullptr), cudaErrorInvalidValue);
        OK(cudaSetDevice(0));
        here.check();
    }
    return result();
}
