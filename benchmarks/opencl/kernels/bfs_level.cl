kernel void bfs_level(int n, int level, global int const* rows, global int const* columns, global int const* levels,
                      global int* next) {
    int const node = get_global_id(0);
    if (node >= n || levels[node] != level) return;
    for (int i = rows[node]; i < rows[node + 1]; ++i)
        if (levels[columns[i]] < 0) next[columns[i]] = 1;
}
