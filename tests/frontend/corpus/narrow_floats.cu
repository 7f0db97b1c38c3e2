// half, bfloat16 and the 8-bit formats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void halves(__half const* a, __half2 const* b, __half* c, __half2* d, float* f) {
    int const i = threadIdx.x;
    __half const x = a[i];
    c[i] = __hfma(x, x, hsin(x)) + hexp2(x) * hlog(x) / hsqrt(x) - hrsqrt(x) + __float2half_rz(f[i]) + htanh(x);
    d[i] = __hfma2_relu(b[i], b[i], __hmul2_sat(b[i], b[i])) + h2rcp(b[i]) + __hmax2_nan(b[i], d[i]) + __habs2(b[i]);
    f[i] = __half2float(x) + __hisnan(x) + __hlt(x, c[i]) + static_cast<float>(__half2int_rn(x)) +
           __low2float(__lowhigh2highlow(b[i])) + static_cast<float>(__half2ull_ru(x)) + __hbeq2(b[i], d[i]);
    atomicAdd(c, x);
    atomicAdd(d, b[i]);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
extern "C" __global__ void bfloats(__nv_bfloat16 const* a, __nv_bfloat162 const* b, __nv_bfloat16* c,
                                   __nv_bfloat162* d, double* e) {
    int const i = threadIdx.x;
    c[i] = __hfma(a[i], a[i], __float2bfloat16(1.5f)) - __hneg(a[i]) + hexp(a[i]) + __hmin(a[i], c[i]);
    d[i] = __hfma2(b[i], b[i], __floats2bfloat162_rn(1.0f, 2.0f)) * __shfl_xor_sync(~0u, b[i], 1) + h2log2(b[i]);
    e[i] = static_cast<double>(__bfloat162float(a[i])) + __hge(a[i], c[i]) + __bfloat162short_rd(a[i]);
    atomicAdd(c, a[i]);
}
#endif
extern "C" __global__ void bytes(float2 const* in, __nv_fp8x2_e4m3* out, __nv_fp8_e5m2* narrow, float* wide) {
    int const i = threadIdx.x;
    out[i] = __nv_fp8x2_e4m3(in[i]);
    narrow[i] = __nv_fp8_e5m2(in[i].x);
    wide[i] = static_cast<float>(narrow[i + 1]) + static_cast<float2>(out[i + 1]).y;
}
