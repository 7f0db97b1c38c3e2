#include "benchmarks/opencl/task.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace warpsim::benchmarks {

namespace {

/// Numbers between -1 and 1, always the same.
std::vector<float> noise(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t random = 1;
    for (float& value : values) {
        random = random * 1664525 + 1013904223;
        value = static_cast<float>(random >> 8) * 0x1p-23f - 1.0f;
    }
    return values;
}

/// The same bits as integers below 256 in words, or as bytes.
std::vector<float> small_integers(std::size_t words, bool as_bytes) {
    std::vector<float> values(words);
    std::uint32_t random = 1;
    for (float& value : values) {
        random = random * 1664525 + 1013904223;
        std::uint32_t const bits = as_bytes ? random ^ random >> 13 : random >> 24;
        std::memcpy(&value, &bits, sizeof bits);
    }
    return values;
}

std::vector<float> as_words(std::vector<int> const& numbers) {
    std::vector<float> values(numbers.size());
    std::memcpy(values.data(), numbers.data(), 4 * numbers.size());
    return values;
}

/// Rows of a sparse matrix, or nodes of a graph: where each begins in `columns`. None to twice the usual number in each.
struct Sparse {
    std::vector<int> rows{0}, columns;
};
Sparse sparse(int size, int usual) {
    Sparse made;
    std::uint32_t random = 1;
    auto const any = [&](int below) {
        random = random * 1664525 + 1013904223;
        return static_cast<int>((random >> 8) % static_cast<std::uint32_t>(below));
    };
    for (int row = 0; row < size; ++row) {
        for (int left = any(2 * usual + 1); left > 0; --left) made.columns.push_back(any(size));
        made.rows.push_back(static_cast<int>(made.columns.size()));
    }
    return made;
}

/// A tenth of the nodes are on level 1, and as many before; others have not been seen.
std::vector<int> levels(std::size_t size) {
    std::vector<int> made(size, -1);
    for (std::size_t node = 0; node + 1 < size; node += 10) {
        made[node] = 0;
        made[node + 1] = 1;
    }
    return made;
}

std::vector<Task> tasks_of_rows() {
    using B = BufferArgument;
    constexpr int size = 1 << 16;
    Sparse const matrix = sparse(size, 16);
    std::vector<float> const rows = as_words(matrix.rows), columns = as_words(matrix.columns), empty(size);
    return {
        {"bfs_level",
         {size / 256, 1, 1},
         {256, 1, 1},
         0,
         {rows, columns, as_words(levels(size)), empty},
         {size, 1, B{0}, B{1}, B{2}, B{3}},
         3,
         true},
        {"sparse_rows",
         {size / 256, 1, 1},
         {256, 1, 1},
         0,
         {rows, columns, noise(columns.size()), noise(size), empty},
         {size, B{0}, B{1}, B{2}, B{3}, B{4}},
         4},
    };
}

std::string text_of(std::string const& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

std::string source_of(Task const& task) { return text_of(WARPSIM_OPENCL_KERNELS + task.name + ".cl"); }

std::string ptx_of(Task const& task) {
    std::string const own = WARPSIM_OPENCL_KERNELS + task.name + ".ptx";
    return std::filesystem::exists(own) ? own : WARPSIM_KERNELS + task.name + ".ptx";
}

std::vector<Task> tasks() {
    using B = BufferArgument;
    constexpr int n = 1 << 20, side = 1024;
    constexpr std::size_t cells = std::size_t{1} << 21;
    std::vector<float> const empty(n);
    std::vector<Task> all = {
        {"saxpy", {n / 256, 1, 1}, {256, 1, 1}, 0, {noise(n), empty}, {n, 0.5f, B{0}, B{1}}, 1},
        {"matmul", {16, 16, 1}, {16, 16, 1}, 0, {noise(65536), noise(65536), empty}, {256, B{0}, B{1}, B{2}}, 2},
        {"mandelbrot",
         {32, 32, 1},
         {16, 16, 1},
         0,
         {empty},
         {B{0}, 512, 512, -2.0f, -1.0f, 3.0f / 512, 2.0f / 512, 256},
         0,
         true},
        {"reduce",
         {1024, 1, 1},
         {256, 1, 1},
         0,
         {small_integers(4 * n, false), empty},
         {4 * n, B{0}, B{1}},
         1,
         true},
        {"histogram", {256, 1, 1}, {256, 1, 1}, 0, {small_integers(n, true), empty}, {4 * n, B{0}, B{1}}, 1, true},
        {"transpose", {32, 32, 1}, {32, 8, 1}, 0, {noise(n), empty}, {side, side, B{0}, B{1}}, 1},
        {"stencil", {64, 64, 1}, {16, 16, 1}, 0, {noise(n), empty}, {side, side, 0.5f, 0.125f, B{0}, B{1}}, 1},
        {"nbody", {8, 1, 1}, {256, 1, 1}, 4096, {noise(8192), empty}, {2048, 0.01f, B{0}, B{1}}, 1},
        {"block_scan", {n / 256, 1, 1}, {256, 1, 1}, 0, {small_integers(n, false), empty}, {B{0}, B{1}}, 1, true},
        {"block_sort",
         {n / 4 / 512, 1, 1},
         {256, 1, 1},
         0,
         {small_integers(n / 4, true), std::vector<float>(n / 4)},
         {B{0}, B{1}},
         1,
         true},
        {"tiled_gemm",
         {4, 4, 1},
         {16, 16, 1},
         0,
         {noise(65536), noise(65536), std::vector<float>(65536)},
         {256, B{0}, B{1}, B{2}},
         2},
        {"seven_points",
         {4, 16, 128},
         {32, 8, 1},
         0,
         {noise(cells), std::vector<float>(cells)},
         {128, 0.4f, 0.1f, B{0}, B{1}},
         1},
        {"black_scholes",
         {n / 4 / 256, 1, 1},
         {256, 1, 1},
         0,
         {noise(3 * n / 4), std::vector<float>(n / 4)},
         {n / 4, 0.02f, 0.3f, B{0}, B{1}},
         1},
        {"monte_carlo", {32, 1, 1}, {256, 1, 1}, 0, {std::vector<float>(8192)}, {32, 0.0f, 0.05f, B{0}}, 0},
    };
    for (Task& task : tasks_of_rows()) all.push_back(std::move(task));
    return all;
}

}  // namespace warpsim::benchmarks
