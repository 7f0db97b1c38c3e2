// CUB and Thrust: sorting, scanning and reducing.
#include "check.hpp"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <vector>
struct Square {
    __host__ __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};
int main() {
    int const n = 20000;
    std::vector<int> host(n);
    unsigned state = 12345;
    for (int& x : host) x = static_cast<int>((state = state * 1664525 + 1013904223) >> 8) % 100000;
    thrust::device_vector<int> device(host.begin(), host.end());
    CHECK(thrust::reduce(device.begin(), device.end(), 0ll, thrust::plus<long long>()) ==
          std::accumulate(host.begin(), host.end(), 0ll));
    long long squares = 0;
    for (int x : host) squares += static_cast<long long>(x) * x;
    CHECK(thrust::transform_reduce(device.begin(), device.end(), Square(), 0ll, thrust::plus<long long>()) == squares);
    thrust::device_vector<int> sums(n);
    thrust::inclusive_scan(device.begin(), device.end(), sums.begin());
    std::vector<int> expected(n);
    std::partial_sum(host.begin(), host.end(), expected.begin());
    CHECK(std::equal(expected.begin(), expected.end(), std::vector<int>(sums.begin(), sums.end()).begin()));
    thrust::sort(device.begin(), device.end());
    std::sort(host.begin(), host.end());
    std::vector<int> sorted(device.begin(), device.end());
    CHECK(sorted == host);
    return result();
}
