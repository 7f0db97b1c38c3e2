// Programs of Rodinia, as their descriptions say: kernels, and how they are launched.
#pragma once

#include "inputs.cuh"

#include <climits>

/// bfs: the nodes of a frontier mark their neighbours, and those become the next one.
struct Node {
    int first, count;
};
int const bfs_block = 512;

__global__ void bfs_mark(Node const* nodes, int const* edges, bool* frontier, bool* marked, bool const* visited,
                         int* cost, int n) {
    int const at = blockIdx.x * bfs_block + threadIdx.x;
    if (at >= n || !frontier[at]) return;
    frontier[at] = false;
    for (int i = nodes[at].first; i < nodes[at].count + nodes[at].first; ++i) {
        int const to = edges[i];
        if (visited[to]) continue;
        cost[to] = cost[at] + 1;
        marked[to] = true;
    }
}

__global__ void bfs_advance(bool* frontier, bool* marked, bool* visited, bool* more, int n) {
    int const at = blockIdx.x * bfs_block + threadIdx.x;
    if (at >= n || !marked[at]) return;
    frontier[at] = true;
    visited[at] = true;
    *more = true;
    marked[at] = false;
}

/// Random edges as Rodinia's generator of graphs draws them: 2 to 4 from each node to any, and back. From these sources the
/// search takes as many steps as in the published graphs of 65536 and of a million nodes, 10 and 12.
inline void run_bfs(int n, int source) {
    std::vector<std::vector<int>> neighbours(n);
    for (int i = 0; i < n; ++i) {
        for (int left = 2 + random_number() / 64 % 3; left > 0; --left) {
            int const to = static_cast<int>(random_number() / 16777216.0 * n);
            neighbours[i].push_back(to);
            neighbours[to].push_back(i);
        }
    }
    std::vector<Node> nodes;
    std::vector<int> edges, cost(n, -1);
    for (auto const& of_node : neighbours) {
        nodes.push_back({static_cast<int>(edges.size()), static_cast<int>(of_node.size())});
        edges.insert(edges.end(), of_node.begin(), of_node.end());
    }
    cost[source] = 0;
    Node* of_nodes = on_device(nodes);
    int *of_edges = on_device(edges), *of_cost = on_device(cost);
    auto const flags = [n] {
        bool* there;
        check(cudaMalloc(&there, n));
        check(cudaMemset(there, 0, n));
        return there;
    };
    bool *frontier = flags(), *marked = flags(), *visited = flags(), *more = flags();
    check(cudaMemset(frontier + source, 1, 1));
    check(cudaMemset(visited + source, 1, 1));
    int const blocks = (n + bfs_block - 1) / bfs_block;
    for (bool again = true; again;) {
        again = false;
        check(cudaMemcpy(more, &again, 1, cudaMemcpyHostToDevice));
        bfs_mark<<<blocks, bfs_block>>>(of_nodes, of_edges, frontier, marked, visited, of_cost, n);
        bfs_advance<<<blocks, bfs_block>>>(frontier, marked, visited, more, n);
        check(cudaMemcpy(&again, more, 1, cudaMemcpyDeviceToHost));
    }
}

/// b+tree: a block for each query, a thread for each key of the node where it is.
int const tree_order = 256;
struct TreeNode {
    int location, to[tree_order + 1], keys[tree_order + 1];
    bool leaf;
    int count;
};

__global__ void tree_find(long height, TreeNode const* nodes, long count, int const* records, long* node,
                          long* next, int const* key, int* found) {
    int const thread = threadIdx.x, query = blockIdx.x;
    for (int i = 0; i < height; ++i) {
        if (nodes[node[query]].keys[thread] <= key[query] && nodes[node[query]].keys[thread + 1] > key[query])
            if (nodes[next[query]].to[thread] < count) next[query] = nodes[next[query]].to[thread];
        __syncthreads();
        if (thread == 0) node[query] = next[query];
        __syncthreads();
    }
    if (nodes[node[query]].keys[thread] == key[query]) found[query] = records[nodes[node[query]].to[thread]];
}

__global__ void tree_range(long height, TreeNode const* nodes, long count, long* low, long* next_low, long* high,
                           long* next_high, int const* start, int const* end, int* first, int* length) {
    int const thread = threadIdx.x, query = blockIdx.x;
    for (int i = 0; i < height; ++i) {
        if (nodes[low[query]].keys[thread] <= start[query] && nodes[low[query]].keys[thread + 1] > start[query])
            if (nodes[low[query]].to[thread] < count) next_low[query] = nodes[low[query]].to[thread];
        if (nodes[high[query]].keys[thread] <= end[query] && nodes[high[query]].keys[thread + 1] > end[query])
            if (nodes[high[query]].to[thread] < count) next_high[query] = nodes[high[query]].to[thread];
        __syncthreads();
        if (thread == 0) {
            low[query] = next_low[query];
            high[query] = next_high[query];
        }
        __syncthreads();
    }
    if (nodes[low[query]].keys[thread] == start[query]) first[query] = nodes[low[query]].to[thread];
    __syncthreads();
    if (nodes[high[query]].keys[thread] == end[query])
        length[query] = nodes[high[query]].to[thread] - first[query] + 1;
}

/// A million keys in ascending order leave nodes half full: 7812 leaves, 61 nodes above them and a root.
inline void run_tree() {
    int const keys = 1000000, half = tree_order / 2, leaves = keys / half, inner = leaves / half;
    std::vector<TreeNode> nodes(1 + inner + leaves);
    auto const node = [&](int at, bool leaf) -> TreeNode& {
        nodes[at].location = at;
        nodes[at].leaf = leaf;
        for (int& key : nodes[at].keys) key = INT_MAX;
        nodes[at].keys[0] = INT_MIN;
        return nodes[at];
    };
    /// Children or records `from` up to `to`, which are numbered from `base`; their keys begin `each` apart.
    auto const fill = [&](TreeNode& node, int from, int to, int base, int each, int place) {
        for (int i = from; i < to; ++i, ++place) {
            node.to[place] = base + i;
            if (place > 0) node.keys[place] = 1 + i * each;
        }
        node.count = place + 1;
    };
    fill(node(0, false), 0, inner, 1, half * half, 0);
    for (int i = 0; i < inner; ++i)
        fill(node(1 + i, false), i * half, i + 1 < inner ? (i + 1) * half : leaves, 1 + inner, half, 0);
    for (int i = 0; i < leaves; ++i)
        fill(node(1 + inner + i, true), i * half, i + 1 < leaves ? (i + 1) * half : keys, 0, 1, 1);
    auto const zeros = [](int n) { return filled<long>(n, 0, 0); };
    {
        int const queries = 6000, size = 6000;
        std::vector<int> start(queries), end(queries);
        for (int i = 0; i < queries; ++i) {
            start[i] = static_cast<int>(random_number() / 16777216.0 * keys);
            end[i] = start[i] + size;
            if (end[i] < keys) continue;
            start[i] -= end[i] - keys;
            end[i] = keys - 1;
        }
        long *low = zeros(queries), *next_low = zeros(queries), *high = zeros(queries),
             *next_high = zeros(queries);
        tree_range<<<queries, tree_order>>>(2, on_device(nodes), nodes.size(), low, next_low, high, next_high,
                                            on_device(start), on_device(end), filled<int>(queries, 0, 0),
                                            filled<int>(queries, 0, 0));
    }
    int const queries = 10000;
    std::vector<int> records(keys);
    for (int i = 0; i < keys; ++i) records[i] = 1 + i;
    long *at = zeros(queries), *next = zeros(queries);
    tree_find<<<queries, tree_order>>>(2, on_device(nodes), nodes.size(), on_device(records), at, next,
                                       filled<int>(queries, 0, keys), filled<int>(queries, -1, -1));
}

/// dwt2d: a level of the wavelet transform 5/3. A block goes down a strip of `width` columns, `rows` at a time, which it keeps in
/// shared memory with even and odd columns apart: down and across, differences first and then means.
__device__ int dwt_mirrored(int at, int size) { return at >= size ? 2 * size - 2 - at : at < 0 ? -at : at; }

/// Reads the pixels of a column from above to below, turning round at the image's end.
template <bool checked> struct DwtReader {
    int last = 0, stride = 0, end = 0;
    __device__ void begin(int columns, int rows, int x, int y) {
        x = dwt_mirrored(x, columns);
        end = checked ? rows * columns + x : 0;
        stride = columns;
        last = x + columns * y - columns;
    }
    __device__ int operator()(int const* image) {
        last += stride;
        if (checked && last == end) {
            last -= 2 * stride;
            stride = -stride;
        }
        return image[last];
    }
};

/// Writes a column's coefficients to the four bands in turns.
template <bool checked> struct DwtWriter {
    int next = 0, to_low = 0, to_high = 0, end = 0;
    __device__ void begin(int columns, int rows, int x, int y) {
        if (x >= columns) return;
        int column = x / 2, down;
        int const low_columns = columns / 2 + columns % 2, low_rows = rows / 2 + rows % 2;
        if (x & 1) {
            down = columns / 2;
            column += low_columns * low_rows;
            to_high = columns * rows / 2;
        } else {
            down = low_columns;
            to_high = low_rows * columns;
        }
        to_low = down - to_high;
        end = checked ? column + rows / 2 * down + (rows & 1) * to_high : 0;
        next = column + y / 2 * down + (y & 1) * to_high;
    }
    __device__ void operator()(int* bands, int value, int stride) {
        if (checked && next == end) return;
        bands[next] = value;
        next += stride;
    }
};

template <int width, int rows> struct Dwt {
    static int const lines = rows + 3, stride = 2 + width / 2, half = stride * lines,
                     odd = half + 32 - (half + 16) % 32;
    int data[odd + half];

    template <bool checked> struct Column {
        DwtReader<checked> reader;
        int at = 0, pixels[3] = {};
    };

    static __device__ int place(int column) { return (column + 2) / 2 + ((column + 2) & 1) * odd; }
    static __device__ void predict(int before, int& here, int after) { here -= (before + after) / 2; }
    static __device__ void update(int before, int& here, int after) { here += (before + after + 2) / 4; }

    template <bool checked>
    __device__ void begin(Column<checked>& c, int const* image, int nx, int ny, int column, int y) {
        c.at = place(column);
        int const x = blockIdx.x * width + column;
        if (blockIdx.y == 0) {
            c.reader.begin(nx, ny, x, y);
            for (int i = 2; i >= 0; --i) c.pixels[i] = c.reader(image);
            c.reader.begin(nx, ny, x, y + 1);
        } else {
            c.reader.begin(nx, ny, x, y - 2);
            for (int& pixel : c.pixels) pixel = c.reader(image);
        }
    }

    template <bool checked> __device__ void down(Column<checked>& c, int const* image) {
        for (int i = 0; i < 3; ++i) data[c.at + i * stride] = c.pixels[i];
        for (int i = 3; i < lines; ++i) data[c.at + i * stride] = c.reader(image);
        for (int i = 0; i < 3; ++i) c.pixels[i] = data[c.at + (rows + i) * stride];
        auto const line = [&](int i) -> int& { return data[c.at + i * stride]; };
        for (int i = 1; i < lines - 1; i += 2) predict(line(i - 1), line(i), line(i + 1));
        for (int i = 2; i < lines - 1; i += 2) update(line(i - 1), line(i), line(i + 1));
    }

    /// All elements of a parity in the lines that are complete, with the neighbours that lie in the other half.
    template <class F> __device__ void across(int before, int here, int after, F const& f) {
        int const count = rows * stride - 1, left = count % width;
        auto const step = [&](int from) {
            int const i = from + threadIdx.x;
            f(data[before + i], data[here + i], data[after + i]);
        };
        for (int i = 0; i < count / width; ++i) step(i * width);
        if (threadIdx.x < left) step(count - left);
    }

    template <bool checked_reads, bool checked_writes>
    __device__ void transform(int const* image, int* bands, int nx, int ny, int steps) {
        int const y = blockIdx.y * rows * steps;
        Column<checked_reads> own, border;
        begin(own, image, nx, ny, threadIdx.x, y);
        if (threadIdx.x < 3) begin(border, image, nx, ny, threadIdx.x + (threadIdx.x == 0 ? width : -3), y);
        int const column = threadIdx.x * 2 - (width - 1) * (threadIdx.x / (width / 2)), at = place(column);
        DwtWriter<checked_writes> writer;
        writer.begin(nx, ny, blockIdx.x * width + column, y);
        for (int step = 0; step < steps; ++step) {
            down(own, image);
            if (threadIdx.x < 3) down(border, image);
            __syncthreads();
            int const even = 2 * stride;
            across(even, even + odd, even + 1, predict);
            __syncthreads();
            across(even + odd, even + 1, even + odd + 1, update);
            __syncthreads();
            for (int i = 2; i < 2 + rows; i += 2) {
                writer(bands, data[at + i * stride], writer.to_high);
                writer(bands, data[at + (i + 1) * stride], writer.to_low);
            }
            __syncthreads();
        }
    }
};

constexpr int dwt_blocks(int bytes) { return 48 * 1024 / bytes < 8 ? 48 * 1024 / bytes : 8; }

template <int width, int rows>
__global__ void __launch_bounds__(width, dwt_blocks(sizeof(Dwt<width, rows>)))
    dwt(int const* image, int* bands, int nx, int ny, int steps) {
    __shared__ Dwt<width, rows> shared;
    if ((blockIdx.y + 1) * rows * steps + 1 >= ny)
        shared.template transform<true, true>(image, bands, nx, ny, steps);
    else if ((blockIdx.x + 1) * width + 1 >= nx)
        shared.template transform<false, true>(image, bands, nx, ny, steps);
    else shared.template transform<false, false>(image, bands, nx, ny, steps);
}

/// Takes an image of three bytes for each pixel apart.
__global__ void dwt_components(int* red, int* green, int* blue, unsigned char const* image, int pixels) {
    int const thread = threadIdx.x, first = blockDim.x * blockIdx.x;
    __shared__ __align__(4) unsigned char bytes[256 * 3];
    if (thread * 4 < 256 * 3)
        reinterpret_cast<float*>(bytes)[thread] = reinterpret_cast<float const*>(image)[(first * 3 >> 2) + thread];
    __syncthreads();
    int const r = bytes[thread * 3], g = bytes[thread * 3 + 1], b = bytes[thread * 3 + 2];
    if (first + thread >= pixels) return;
    red[first + thread] = r - 128;
    green[first + thread] = g - 128;
    blue[first + thread] = b - 128;
}

template <int width> void dwt_level(int const* image, int* bands, int n) {
    int const rows = 8, steps = (n + 15 * rows - 1) / (15 * rows);
    dwt<width, rows><<<dim3((n + width - 1) / width, (n + rows * steps - 1) / (rows * steps)), width>>>(
        image, bands, n, n, steps);
}

/// Three levels; the means of each are the next one's image.
inline void run_dwt(int n) {
    int* components[3];
    for (int*& component : components) component = filled<int>(n * n, 0, 0);
    dwt_components<<<n * n / 256, 256>>>(components[0], components[1], components[2],
                                         filled<unsigned char>(n * n * 3, 0, 255), n * n);
    for (int* image : components) {
        int* bands = filled<int>(n * n, 0, 0);
        for (int level = 0, size = n; level < 3; ++level) {
            if (size >= 960) dwt_level<192>(image, bands, size);
            else if (size >= 480) dwt_level<128>(image, bands, size);
            else dwt_level<64>(image, bands, size);
            size = (size + 1) / 2;
            if (level < 2) check(cudaMemcpy(image, bands, size * size * sizeof(int), cudaMemcpyDeviceToDevice));
        }
    }
}
