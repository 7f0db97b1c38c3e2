// The mathematics that libdevice supplies, in both precisions.
#include <cmath>

template <class T>
__device__ T all(T x, T y) {
    int n;
    T sum = sin(x) + cos(y) + tan(x) + asin(x) + acos(y) + atan(x) + atan2(x, y) + sinh(x) + cosh(y) + tanh(x);
    sum += asinh(x) + acosh(y) + atanh(x) + exp(x) + exp2(y) + exp10(x) + expm1(y) + log(x) + log2(y) + log10(x);
    sum += log1p(y) + pow(x, y) + sqrt(x) + rsqrt(y) + cbrt(x) + rcbrt(y) + hypot(x, y) + erf(x) + erfc(y);
    sum += erfinv(x) + erfcinv(y) + erfcx(x) + tgamma(y) + lgamma(x) + j0(x) + j1(y) + jn(3, x) + y0(x) + y1(y);
    sum += yn(4, x) + fmod(x, y) + remainder(x, y) + floor(x) + ceil(y) + trunc(x) + round(y) + rint(x);
    sum += nearbyint(y) + fdim(x, y) + fmin(x, y) + fmax(y, x) + fma(x, y, x) + ldexp(x, 3) + scalbn(y, 2);
    sum += frexp(x, &n) + logb(y) + nextafter(x, y) + sinpi(x) + cospi(y) + normcdf(x) + normcdfinv(y);
    sum += norm3d(x, y, x) + rnorm4d(x, y, x, y) + copysign(x, y) + cyl_bessel_i0(x) + cyl_bessel_i1(y);
    return sum + T(n) + T(ilogb(x)) + T(llrint(y)) + T(isnan(x)) + T(signbit(y));
}
extern "C" __global__ void single_precision(float const* in, float* out) {
    int const i = threadIdx.x;
    out[i] = all(in[i], in[i + 1]) + __sinf(in[i]) + __expf(in[i]) + __powf(in[i], 2.5f) + __fdividef(in[i], 3.0f) +
             __frcp_rz(in[i]) + __fsqrt_ru(in[i]) + __fadd_rd(in[i], 1.0f) + __saturatef(in[i]) + __tanf(in[i]);
}
extern "C" __global__ void double_precision(double const* in, double* out) {
    int const i = threadIdx.x;
    out[i] = all(in[i], in[i + 1]) + __dadd_rz(in[i], 1.0) + __dsqrt_rd(in[i]) + __ddiv_ru(in[i], 3.0) +
             __fma_rd(in[i], 2.0, 1.0);
}
