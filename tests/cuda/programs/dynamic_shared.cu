// Shared memory given at the launch: several arrays in it, more than the default after opting in, and what is too much.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"

__global__ void several(int n, float* out) {
    extern __shared__ __align__(16) unsigned char bytes[];
    auto* const d = reinterpret_cast<double*>(bytes);
    auto* const f = reinterpret_cast<float*>(d + n);
    auto* const c = reinterpret_cast<unsigned char*>(f + n);
    int const i = threadIdx.x;
    d[i] = i * 0.5;
    f[i] = static_cast<float>(i);
    c[i] = static_cast<unsigned char>(i);
    __syncthreads();
    int const j = n - 1 - i;
    out[i] = static_cast<float>(d[j]) + f[j] * 2.0f + static_cast<float>(c[j]);
}
__global__ void large(unsigned* out, int words) {
    extern __shared__ unsigned data[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) data[i] = static_cast<unsigned>(i) * 2654435761u;
    __syncthreads();
    unsigned sum = 0;
    for (int i = threadIdx.x; i < words; i += blockDim.x) sum += data[words - 1 - i];
    atomicAdd(out, sum);
}

__global__ void with_fixed(unsigned* out) {
    __shared__ unsigned fixed[2048];
    extern __shared__ unsigned data[];
    data[threadIdx.x] = fixed[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *out = data[31] + fixed[30];
}

int main() {
    float* f;
    OK(cudaMallocManaged(&f, 64 * 4));
    several<<<1, 64, 64 * 13>>>(64, f);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) CHECK(f[i] == static_cast<float>(63 - i) * 3.5f);

    unsigned* out;
    OK(cudaMallocManaged(&out, 4));
    int opt_in = 0;
    OK(cudaDeviceGetAttribute(&opt_in, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(opt_in > 48 * 1024);
    large<<<1, 256, opt_in>>>(out, opt_in / 4);
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, opt_in));
    large<<<1, 256, opt_in>>>(out, opt_in / 4);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    unsigned wanted = 0;
    for (int i = 0; i < opt_in / 4; ++i) wanted += static_cast<unsigned>(i) * 2654435761u;
    CHECK(*out == wanted);
    // What the kernel has of its own counts.
    with_fixed<<<1, 32, 40 * 1024>>>(out);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 61);
    with_fixed<<<1, 32, 40 * 1024 + 4>>>(out);
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, opt_in + 1), cudaErrorInvalidValue);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, large));
    CHECK(attributes.maxDynamicSharedSizeBytes == opt_in);
    return result();
}
