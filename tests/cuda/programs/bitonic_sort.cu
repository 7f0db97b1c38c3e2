// A bitonic sort of keys with values: short distances in shared memory, long ones in global memory.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <algorithm>
#include <random>
#include <vector>

constexpr unsigned part = 512;

__device__ void order(unsigned& key, unsigned& value, unsigned& other_key, unsigned& other_value, bool up) {
    if ((key > other_key) != up) return;
    unsigned const k = key, v = value;
    key = other_key;
    value = other_value;
    other_key = k;
    other_value = v;
}

__global__ void sort_parts(unsigned* keys, unsigned* values, unsigned from_size, unsigned n) {
    __shared__ unsigned k[part], v[part];
    unsigned const base = blockIdx.x * part, t = threadIdx.x;
    for (unsigned i = t; i < part; i += part / 2) k[i] = keys[base + i], v[i] = values[base + i];
    for (unsigned size = from_size; size <= (from_size == 2 ? part : from_size); size *= 2) {
        for (unsigned stride = min(size, part) / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned const at = 2 * t - (t & (stride - 1));
            order(k[at], v[at], k[at + stride], v[at + stride], ((base + at) & size) == 0 || size == n);
        }
    }
    __syncthreads();
    for (unsigned i = t; i < part; i += part / 2) keys[base + i] = k[i], values[base + i] = v[i];
}
__global__ void merge(unsigned* keys, unsigned* values, unsigned size, unsigned stride, unsigned n) {
    unsigned const t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned const at = 2 * t - (t & (stride - 1));
    order(keys[at], values[at], keys[at + stride], values[at + stride], (at & size) == 0 || size == n);
}

int main() {
    unsigned const n = 8192;
    std::mt19937 random(5);
    std::vector<unsigned> keys(n), values(n);
    for (unsigned i = 0; i < n; ++i) keys[i] = random(), values[i] = i;
    std::vector<unsigned> const given = keys;
    unsigned *k, *v;
    OK(cudaMalloc(&k, n * 4));
    OK(cudaMalloc(&v, n * 4));
    OK(cudaMemcpy(k, keys.data(), n * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(v, values.data(), n * 4, cudaMemcpyHostToDevice));
    sort_parts<<<n / part, part / 2>>>(k, v, 2, n);
    for (unsigned size = 2 * part; size <= n; size *= 2) {
        for (unsigned stride = size / 2; stride >= part; stride /= 2) merge<<<n / 512, 256>>>(k, v, size, stride, n);
        sort_parts<<<n / part, part / 2>>>(k, v, size, n);
    }
    OK(cudaMemcpy(keys.data(), k, n * 4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(values.data(), v, n * 4, cudaMemcpyDeviceToHost));
    std::vector<unsigned> wanted = given;
    std::sort(wanted.begin(), wanted.end());
    CHECK(keys == wanted);
    for (unsigned i = 0; i < n; ++i) CHECK(values[i] < n && given[values[i]] == keys[i]);
    return result();
}
