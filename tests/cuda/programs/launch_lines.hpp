// Launches that fail and that nobody looks at, each at a line that the report must name: its own, not that of its kernel.
#pragma once

#include "check.hpp"

template <class T> __global__ void fill(T* out, T value) { out[threadIdx.x] = value; }
__global__ void plain(int* out) { out[threadIdx.x] = 1; }
struct Large {
    int words[64];
};
__global__ void take(Large large, int* out) { out[threadIdx.x] = large.words[threadIdx.x % 64]; }

static void fill_all(int* out) {
    fill<int><<<1, 2048>>>(out, 3);  // line 14
}

template <class F> void apply(F const& work) { work(); }

static int* launches_itself(int* out) {
    plain<<<1, 1500>>>(out);  // line 20
    return out;
}

inline int launch_all() {
    int* out = nullptr;
    OK(cudaMalloc(&out, 4096));
    fill_all(out);
    plain<<<1, 4096>>>(out);  // line 28
    apply([&] {
        take<<<1, 1100>>>(Large{}, out);  // line 30
    });
    fill<float><<<dim3(1),  // line 32
                  1200>>>(reinterpret_cast<float*>(launches_itself(out)), 1.0f);
    void* arguments[] = {&out};
    cudaLaunchKernel(plain, dim3(1), dim3(1300), arguments, 0, nullptr);  // line 35
    OK(cudaDeviceSynchronize());
    OK(cudaFree(out));
    return result();
}
