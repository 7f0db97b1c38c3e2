// One level of a breadth-first search: marks the neighbours, not seen before, of the nodes of a level.
extern "C" __global__ void bfs_level(int n, int level, int const* rows, int const* columns, int const* levels, int* next) {
    int const node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= n || levels[node] != level) return;
    for (int i = rows[node]; i < rows[node + 1]; ++i)
        if (levels[columns[i]] < 0) next[columns[i]] = 1;
}
