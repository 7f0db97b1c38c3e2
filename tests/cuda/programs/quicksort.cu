// A quicksort whose kernels launch the kernels that sort the two parts, each in a stream of its own.
// compile: -rdc=true
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <algorithm>
#include <random>
#include <vector>

constexpr int small = 32;

__device__ void selection_sort(unsigned* data, int left, int right) {
    for (int i = left; i <= right; ++i) {
        int least = i;
        for (int j = i + 1; j <= right; ++j) {
            if (data[j] < data[least]) least = j;
        }
        unsigned const swapped = data[i];
        data[i] = data[least];
        data[least] = swapped;
    }
}

__global__ void quicksort(unsigned* data, int left, int right, int depth) {
    if (depth >= 20 || right - left <= small) {
        selection_sort(data, left, right);
        return;
    }
    unsigned const pivot = data[(left + right) / 2];
    int l = left, r = right;
    while (l <= r) {
        while (data[l] < pivot) ++l;
        while (data[r] > pivot) --r;
        if (l > r) break;
        unsigned const swapped = data[l];
        data[l++] = data[r];
        data[r--] = swapped;
    }
    if (left < r) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(data, left, r, depth + 1);
        cudaStreamDestroy(s);
    }
    if (l < right) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(data, l, right, depth + 1);
        cudaStreamDestroy(s);
    }
}

int main() {
    int const n = 4000;
    std::mt19937 random(7);
    std::vector<unsigned> host(n);
    for (unsigned& v : host) v = random() % 3000;
    unsigned* data = nullptr;
    OK(cudaMalloc(&data, n * sizeof(unsigned)));
    OK(cudaMemcpy(data, host.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    quicksort<<<1, 1>>>(data, 0, n - 1, 0);
    OK(cudaGetLastError());
    std::vector<unsigned> sorted(n);
    OK(cudaMemcpy(sorted.data(), data, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::sort(host.begin(), host.end());
    CHECK(sorted == host);
    return result();
}
