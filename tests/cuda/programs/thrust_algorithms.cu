// Thrust: vectors, transformations, reductions, sorts by key, iterators that compute, sets.
// compile: --extended-lambda
#include "check.hpp"
#include <algorithm>
#include <numeric>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <vector>

int main() {
    int const n = 3000;
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = (i * 7919 + 3) % 1000;
    thrust::device_vector<int> v(host.begin(), host.end()), w(n);

    thrust::transform(v.begin(), v.end(), thrust::counting_iterator<int>(0), w.begin(), [] __device__(int a, int i) { return a * 2 + i % 3; });
    thrust::host_vector<int> back = w;
    for (int i = 0; i < n; ++i) CHECK(back[i] == host[i] * 2 + i % 3);

    CHECK(thrust::reduce(v.begin(), v.end()) == std::accumulate(host.begin(), host.end(), 0));
    CHECK(thrust::count_if(v.begin(), v.end(), [] __device__(int a) { return a < 100; }) ==
          std::count_if(host.begin(), host.end(), [](int a) { return a < 100; }));
    CHECK(thrust::inner_product(v.begin(), v.end(), w.begin(), 0ll) == std::inner_product(host.begin(), host.end(), back.begin(), 0ll));

    thrust::inclusive_scan(v.begin(), v.end(), w.begin(), thrust::maximum<int>());
    back = w;
    for (int i = 0, most = 0; i < n; ++i) CHECK(back[i] == (most = std::max(most, host[i])));

    thrust::sort(v.begin(), v.end(), thrust::greater<int>());
    std::sort(host.begin(), host.end(), std::greater<int>());
    back = v;
    CHECK(std::equal(host.begin(), host.end(), back.begin()));
    auto const end = thrust::unique(v.begin(), v.end());
    host.erase(std::unique(host.begin(), host.end()), host.end());
    back = thrust::host_vector<int>(v.begin(), end);
    CHECK(back.size() == host.size() && std::equal(host.begin(), host.end(), back.begin()));
    v[0] = 42;      // a copy of one element
    CHECK(static_cast<int>(v[0]) == 42);
    return result();
}
