// Floyd and Warshall's shortest paths, a launch a node; and a search in breadth with queues in global memory.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <algorithm>
#include <queue>
#include <vector>

constexpr int n = 90, far = 1 << 29;

__global__ void through(int* d, int k) {
    int const i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    // Row and column k, which others read meanwhile, become no shorter, and must not be written.
    int const length = d[i * n + k] + d[k * n + j];
    if (length < d[i * n + j]) d[i * n + j] = length;
}
__global__ void widen(int const* begin, int const* edges, int const* queue, int count, int* next, int* next_count, int* level, int depth) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (int e = begin[queue[i]]; e < begin[queue[i] + 1]; ++e) {
        if (atomicCAS(&level[edges[e]], -1, depth) == -1) next[atomicAdd(next_count, 1)] = edges[e];
    }
}

int main() {
    int* d;
    OK(cudaMallocManaged(&d, n * n * 4));
    std::vector<int> host(n * n, far);
    std::vector<std::vector<int>> neighbours(n);
    for (int i = 0; i < n; ++i) {
        host[i * n + i] = 0;
        for (int k = 1; k < 4; ++k) {
            int const j = (i * 7 + k * 13) % n;
            if (j == i || i % 29 == 28) continue;      // some lead nowhere
            host[i * n + j] = std::min(host[i * n + j], (i * k) % 17 + 1);
            neighbours[i].push_back(j);
        }
    }
    std::copy(host.begin(), host.end(), d);
    for (int k = 0; k < n; ++k) {
        through<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(d, k);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) host[i * n + j] = std::min(host[i * n + j], host[i * n + k] + host[k * n + j]);
        }
    }
    OK(cudaDeviceSynchronize());
    CHECK(std::equal(host.begin(), host.end(), d));

    int *begin, *edges, *queues[2], *count, *level;
    OK(cudaMallocManaged(&begin, (n + 1) * 4));
    OK(cudaMallocManaged(&edges, 3 * n * 4));
    for (int** p : {&queues[0], &queues[1], &level}) OK(cudaMallocManaged(p, n * 4));
    OK(cudaMallocManaged(&count, 4));
    int at = 0;
    for (int i = 0; i < n; ++i) {
        begin[i] = at;
        for (int const j : neighbours[i]) edges[at++] = j;
        level[i] = i == 0 ? 0 : -1;
    }
    begin[n] = at;
    queues[0][0] = 0;
    int size = 1;
    for (int depth = 1; size > 0; ++depth) {
        *count = 0;
        widen<<<(size + 31) / 32, 32>>>(begin, edges, queues[(depth + 1) % 2], size, queues[depth % 2], count, level, depth);
        OK(cudaDeviceSynchronize());
        size = *count;
    }
    std::vector<int> wanted(n, -1);
    std::queue<int> todo;
    wanted[0] = 0;
    todo.push(0);
    while (!todo.empty()) {
        int const i = todo.front();
        todo.pop();
        for (int const j : neighbours[i]) {
            if (wanted[j] >= 0) continue;
            wanted[j] = wanted[i] + 1;
            todo.push(j);
        }
    }
    CHECK(std::equal(wanted.begin(), wanted.end(), level));
    return result();
}
