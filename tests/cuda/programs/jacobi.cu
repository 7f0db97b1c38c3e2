// Heat on a plate: one cooperative launch whose blocks meet after every step, against as many launches and the host.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

__device__ float next(float const* from, int i, int w) {
    return 0.25f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w]);
}
__global__ void together(float* a, float* b, int w, int h, int steps) {
    cg::grid_group const grid = cg::this_grid();
    for (int s = 0; s < steps; ++s) {
        float const* const from = s % 2 == 0 ? a : b;
        float* const to = s % 2 == 0 ? b : a;
        for (auto i = static_cast<int>(grid.thread_rank()); i < w * h; i += static_cast<int>(grid.size())) {
            bool const inner = i % w != 0 && i % w != w - 1 && i >= w && i < w * (h - 1);
            to[i] = inner ? next(from, i, w) : from[i];
        }
        grid.sync();
    }
}
__global__ void one_step(float const* from, float* to, int w, int h) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h) return;
    bool const inner = i % w != 0 && i % w != w - 1 && i >= w && i < w * (h - 1);
    to[i] = inner ? next(from, i, w) : from[i];
}

int main() {
    int w = 40, h = 30, steps = 12;
    std::vector<float> host(w * h), other(w * h);
    for (int i = 0; i < w * h; ++i) host[i] = i < w ? 100.0f : static_cast<float>(i % 7);
    float *a, *b, *c, *d;
    for (float** p : {&a, &b, &c, &d}) OK(cudaMallocManaged(p, w * h * 4));
    for (int i = 0; i < w * h; ++i) a[i] = c[i] = host[i];
    void* arguments[] = {&a, &b, &w, &h, &steps};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), dim3(6), dim3(128), arguments, 0, nullptr));
    for (int s = 0; s < steps; ++s) {
        one_step<<<(w * h + 127) / 128, 128>>>(s % 2 == 0 ? c : d, s % 2 == 0 ? d : c, w, h);
        for (int i = 0; i < w * h; ++i) {
            bool const inner = i % w != 0 && i % w != w - 1 && i >= w && i < w * (h - 1);
            other[i] = inner ? 0.25f * (host[i - 1] + host[i + 1] + host[i - w] + host[i + w]) : host[i];
        }
        host.swap(other);
    }
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < w * h; ++i) CHECK(a[i] == host[i] && c[i] == host[i]);
    return result();
}
