// CUDA for clang without its headers: device code only.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct Pair {
    int first;
    double second;
};
__constant__ int lookup[8] = {1, 1, 2, 3, 5, 8, 13, 21};
__device__ Pair pairs[2] = {{1, 0.5}, {2, 0.25}};
__device__ int* pointer;

__device__ __attribute__((noinline)) Pair swapped(Pair p, int by) {
    return {static_cast<int>(p.second) + by, static_cast<double>(p.first)};
}
__device__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
template <class T>
__device__ T sum(T const* in, int n) {
    T total = 0;
    for (int i = 0; i < n; ++i) total += in[i];
    return total;
}
extern "C" __global__ void mixed(int* out, Pair p, float const* in, double const* wide, long long const* longs) {
    __shared__ int tile[128];
    int const i = __nvvm_read_ptx_sreg_tid_x();
    tile[i] = lookup[i & 7] + swapped(p, i).first + *pointer + pairs[i & 1].first;
    __syncthreads();
    out[i] = tile[127 - i] + ackermann(2, i) + static_cast<int>(sum(in, i)) + static_cast<int>(sum(wide, i)) +
             static_cast<int>(sum(longs, i) / 3) + __nvvm_shfl_sync_bfly_i32(-1, tile[i], 1, 31);
    __nvvm_atom_add_gen_i(out, 1);
    __nvvm_membar_gl();
}
extern "C" __global__ void conversions(signed char* a, unsigned short* b, float* c, double* d, bool* e) {
    int const i = __nvvm_read_ptx_sreg_tid_x() + __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_z();
    a[i] = static_cast<signed char>(c[i]) + static_cast<signed char>(b[i] >> 3);
    c[i] = static_cast<float>(a[i + 1]) + static_cast<float>(d[i]) + __builtin_sqrtf(c[i + 1]) + __builtin_fabsf(c[i]);
    d[i] = __builtin_fma(d[i], 2.0, static_cast<double>(b[i])) + __builtin_floor(d[i]);
    e[i] = c[i] < d[i] || (a[i] > 3 && b[i] != 7);
    b[i] = static_cast<unsigned short>(__builtin_popcount(b[i]) + __builtin_clz(i) + __builtin_bitreverse32(i));
}
