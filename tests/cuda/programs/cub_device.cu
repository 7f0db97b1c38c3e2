// CUB over a device: a sort of pairs, a selection, a histogram.
// compile: --extended-lambda
#include "check.hpp"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <random>
#include <vector>

template <class F>
void run(F&& algorithm) {      // once to ask how much memory it wants, once to do it
    std::size_t bytes = 0;
    OK(algorithm(static_cast<void*>(nullptr), bytes));
    void* memory = nullptr;
    OK(cudaMalloc(&memory, bytes));
    OK(algorithm(memory, bytes));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(memory));
}

int main() {
    int const n = 5000;
    std::mt19937 random(2);
    unsigned *keys, *sorted;
    int *values, *moved, *out, *count;
    for (unsigned** p : {&keys, &sorted}) OK(cudaMallocManaged(p, n * 4));
    for (int** p : {&values, &moved, &out, &count}) OK(cudaMallocManaged(p, n * 4));
    for (int i = 0; i < n; ++i) keys[i] = random() % 20000, values[i] = static_cast<int>(i * 31 % 97) - 40;

    run([&](void* m, std::size_t& b) { return cub::DeviceRadixSort::SortPairs(m, b, keys, sorted, values, moved, n); });
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    for (int i = 0; i < n; ++i) CHECK(sorted[i] == keys[order[i]] && moved[i] == values[order[i]]);

    run([&](void* m, std::size_t& b) { return cub::DeviceSelect::If(m, b, values, out, count, n, [] __device__(int v) { return v % 2 == 0; }); });
    std::vector<int> even;
    std::copy_if(values, values + n, std::back_inserter(even), [](int v) { return v % 2 == 0; });
    CHECK(*count == static_cast<int>(even.size()) && std::equal(even.begin(), even.end(), out));

    run([&](void* m, std::size_t& b) { return cub::DeviceHistogram::HistogramEven(m, b, values, out, 11, -40, 60, n); });
    for (int bin = 0; bin < 10; ++bin) {
        CHECK(out[bin] == std::count_if(values, values + n, [&](int v) { return (v + 40) / 10 == bin; }));
    }
    return result();
}
