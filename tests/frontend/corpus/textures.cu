// Texture and surface objects of every shape.
#include <cuda_runtime.h>

extern "C" __global__ void textures(cudaTextureObject_t t, float4* out, float x, float y) {
    int const i = threadIdx.x;
    float4 a = tex1D<float4>(t, x), b = tex2D<float4>(t, x, y), c = tex3D<float4>(t, x, y, x);
    float4 d = tex2DLod<float4>(t, x, y, 1.5f), e = tex2DGrad<float4>(t, x, y, {1, 2}, {3, 4});
    float4 f = tex2DLayered<float4>(t, x, y, 3), g = texCubemap<float4>(t, x, y, x), h = tex2Dgather<float4>(t, x, y, 2);
    float4 k = tex1Dfetch<float4>(t, i);
    out[i] = {a.x + b.x + c.x, d.y + e.y, f.z + g.z, h.w + k.w};
    out[i + 1].x = static_cast<float>(tex2D<unsigned char>(t, x, y)) + static_cast<float>(tex1D<int2>(t, x).y);
}
extern "C" __global__ void surfaces(cudaSurfaceObject_t s, uchar4* out, int x, int y) {
    int const i = threadIdx.x;
    uchar4 a = surf2Dread<uchar4>(s, x * 4, y, cudaBoundaryModeClamp);
    surf2Dwrite(a, s, x * 4, y + 1, cudaBoundaryModeZero);
    surf1Dwrite(7, s, x * 4);
    surf3Dwrite(make_float2(1, 2), s, x * 8, y, i);
    out[i] = surf2DLayeredread<uchar4>(s, x * 4, y, 2);
    out[i + 1].x = static_cast<unsigned char>(surf1Dread<short>(s, x * 2));
}
