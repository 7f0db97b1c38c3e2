// Launch shapes of all dimensions, from one thread to the most, and what threads see of them.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"

__global__ void note(unsigned long long* sum, unsigned* most) {
    unsigned const block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned const thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned const i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    atomicAdd(sum, static_cast<unsigned long long>(i));
    atomicMax(most, i);
}
__global__ void ids(uint3* out) {
    unsigned const t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[t] = threadIdx;
}

int main() {
    unsigned long long* sum;
    unsigned* most;
    OK(cudaMallocManaged(&sum, 8));
    OK(cudaMallocManaged(&most, 4));
    dim3 const shapes[][2] = {{dim3(1), dim3(1)},          {dim3(7), dim3(33)},         {dim3(2, 3), dim3(5, 7)},
                              {dim3(2, 3, 4), dim3(3, 2, 5)}, {dim3(1, 65535), dim3(1)}, {dim3(1), dim3(1, 1, 64)},
                              {dim3(3), dim3(1024)},       {dim3(1, 1, 500), dim3(8, 8, 16)}};
    for (auto const& s : shapes) {
        *sum = 0;
        *most = 0;
        note<<<s[0], s[1]>>>(sum, most);
        OK(cudaDeviceSynchronize());
        unsigned long long const n = 1ull * s[0].x * s[0].y * s[0].z * s[1].x * s[1].y * s[1].z;
        CHECK(*sum == n * (n - 1) / 2 && *most == n - 1);
    }
    uint3* out;
    OK(cudaMallocManaged(&out, 60 * sizeof(uint3)));
    ids<<<1, dim3(3, 4, 5)>>>(out);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 60; ++i) CHECK(out[i].x == i % 3 && out[i].y == i / 3 % 4 && out[i].z == i / 12);
    return result();
}
