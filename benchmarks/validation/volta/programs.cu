// Programs of PolyBench, Rodinia, Parboil and the CUDA SDK whose cycles on a Quadro GV100 were published, with the inputs' sizes:
// `programs NAME` runs one of them.
#include "../hopper/dense.cuh"
#include "../hopper/irregular.cuh"
#include "../rodinia.cu"
#include "inputs.cuh"
#include "kernels.cuh"
#include "parboil.cuh"
#include "rodinia.cuh"
#include "sample_programs.cuh"
#include "srad.cuh"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// One thread for each of n x n elements.
dim3 const block(32, 8);
dim3 square(int n) { return dim3((n + 31) / 32, (n + 7) / 8); }

void vectors(int n) {
    float *a = floats(n), *b = floats(n), *c = floats(n);
    vector_add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}

void run_streams() {
    int const n = 8388608;
    float4* of[6];
    for (float4*& array : of) array = reinterpret_cast<float4*>(floats(n));
    streams<<<160, 1024>>>(of[0], of[1], of[2], of[3], of[4], of[5], n / 4);
}

template <int n> void products(int count) {
    float *a = floats(n * n), *b = floats(n * n), *c = floats(n * n);
    for (int i = 0; i < count; ++i) product<n><<<square(n), block>>>(a, b, c);
}

void run_gesummv() {
    int const n = 4096;
    float *a = floats(n * n), *b = floats(n * n), *x = floats(n), *t = floats(n, 0, 0), *y = floats(n, 0, 0);
    gesummv<<<n / 256, 256>>>(a, b, t, x, y, n, 43532.0f, 12313.0f);
}

void run_mvt() {
    int const n = 4096;
    float *a = floats(n * n), *x = floats(n), *y = floats(n);
    mvt1<<<n / 256, 256>>>(a, x, y, n);
    mvt2<<<n / 256, 256>>>(a, x, y, n);
}

void run_bicg() {
    int const n = 4096;
    float *a = floats(n * n), *r = floats(n), *s = floats(n), *p = floats(n), *q = floats(n);
    bicg_s<<<n / 256, 256>>>(a, r, s, n);
    bicg_q<<<n / 256, 256>>>(a, p, q, n);
}

void run_conv3d() {
    int const n = 256;
    float *a = floats(n * n * n), *b = floats(n * n * n);
    for (int i = 1; i < n - 1; ++i) conv3d<<<square(n), block>>>(a, b, n, i);
}

void run_backprop() {
    int const in = 65536, hidden = 16, weights = (in + 1) * (hidden + 1);
    float *units = floats(in + 1), *w = floats(weights), *old = floats(weights, 0, 0), *delta = floats(hidden + 1),
          *sums = floats(in);
    dim3 const grid(1, in / 16), of_16(16, 16);
    layerforward<<<grid, of_16>>>(units, w, sums, hidden);
    check(cudaDeviceSynchronize());
    adjust<<<grid, of_16>>>(delta, hidden, units, w, old);
}

void run_hotspot(int n) {
    float *power = floats(n * n, 0, 0.01f), *from = floats(n * n, 320, 340), *to = floats(n * n);
    int const blocks = (n + 11) / 12;
    hotspot<<<dim3(blocks, blocks), dim3(16, 16)>>>(2, power, from, to, n, n, 2, 2, 4.27e-07f, 6.25f, 6.25f,
                                                    5120.0f, 3.41e-06f);
}

void run_nn() {
    int const n = 42764;
    float *places = floats(2 * n, 0, 90), *distances = floats(n);
    nn<<<(n + 255) / 256, 256>>>(reinterpret_cast<P2*>(places), distances, n, 30, 90);
}

void run_lud(int n) {
    std::vector<float> values(n * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) values[i * n + j] = i == j ? 100.0f : 1.0f / (1 + (i > j ? i - j : j - i));
    float* m = floats(n * n);
    check(cudaMemcpy(m, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    int at = 0;
    for (; at < n - 16; at += 16) {
        int const left = (n - at) / 16 - 1;
        lud_diag<<<1, 16>>>(m, n, at);
        lud_perimeter<<<left, 32>>>(m, n, at);
        lud_int<<<dim3(left, left), dim3(16, 16)>>>(m, n, at);
    }
    lud_diag<<<1, 16>>>(m, n, at);
}

void run_nw() {
    int const n = 2048, columns = n + 1, blocks = n / 16, penalty = 10;
    int *reference = filled<int>(columns * columns, -4, 12), *cost = filled<int>(columns * columns, 0, 0);
    for (int i = 1; i <= blocks; ++i) needle<<<i, 16>>>(reference, cost, columns, penalty, i, blocks);
    for (int i = blocks - 1; i >= 1; --i) needle_lower<<<i, 16>>>(reference, cost, columns, penalty, i, blocks);
}

void run_sgemm() {
    int const m = 1024, k = 992, n = 1056;
    float *a = floats(m * k), *b = floats(n * k), *c = floats(m * n, 0, 0);
    sgemm<<<dim3(m / 128, n / 16), dim3(16, 8)>>>(a, m, b, n, c, m, k, 1.0f, 0.0f);
}

void run_srad() {
    int const rows = 502, columns = 458, n = rows * columns, blocks = (n + srad_block - 1) / srad_block;
    auto const table = [](int size, int by) {
        std::vector<int> values(size);
        for (int i = 0; i < size; ++i) values[i] = std::min(std::max(i + by, 0), size - 1);
        int* there = filled<int>(size, 0, 0);
        check(cudaMemcpy(there, values.data(), size * sizeof(int), cudaMemcpyHostToDevice));
        return there;
    };
    int *above = table(rows, -1), *below = table(rows, 1), *left = table(columns, -1), *right = table(columns, 1);
    float *image = floats(n, 1, 255), *sums = floats(n), *squares = floats(n), *c = floats(n);
    float *north = floats(n), *south = floats(n), *east = floats(n), *west = floats(n);
    srad_extract<<<blocks, srad_block>>>(n, image);
    for (int i = 0; i < 100; ++i) {
        srad_prepare<<<blocks, srad_block>>>(n, image, sums, squares);
        for (int left_over = n, stride = 1, grid = blocks; grid != 0; stride *= srad_block) {
            srad_reduce<<<grid, srad_block>>>(left_over, stride, sums, squares);
            left_over = grid;
            grid = grid == 1 ? 0 : (grid + srad_block - 1) / srad_block;
        }
        float sum, square;
        check(cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
        check(cudaMemcpy(&square, squares, sizeof square, cudaMemcpyDeviceToHost));
        float const mean = sum / n, variance = square / n - mean * mean;
        srad_gradients<<<blocks, srad_block>>>(0.5f, rows, columns, n, above, below, right, left, north, south,
                                               east, west, variance / (mean * mean), c, image);
        srad_diffuse<<<blocks, srad_block>>>(0.5f, rows, columns, n, below, right, north, south, east, west, c,
                                             image);
    }
    srad_compress<<<blocks, srad_block>>>(n, image);
}

int main(int argc, char** argv) {
    std::map<std::string, std::function<void()>> const programs{
        {"vectorAdd-4000000", [] { vectors(4000000); }},
        {"vectorAdd-6000000", [] { vectors(6000000); }},
        {"mem_bw", run_streams},
        {"3mm", [] { products<512>(3); }},
        {"gesummv", run_gesummv},
        {"mvt", run_mvt},
        {"bicg", run_bicg},
        {"3DConvolution", run_conv3d},
        {"backprop", run_backprop},
        {"hotspot-1024", [] { run_hotspot(1024); }},
        {"nn", run_nn},
        {"lud-256", [] { run_lud(256); }},
        {"lud-512", [] { run_lud(512); }},
        {"nw", run_nw},
        {"sgemm", run_sgemm},
        {"srad_v1", run_srad},
        {"BlackScholes", run_black_scholes},
        {"scalarProd-8192", [] { run_scalar_products(8192); }},
        {"scalarProd-13920", [] { run_scalar_products(13920); }},
        {"transpose", run_transpose},
        {"fastWalshTransform-11-19", [] { run_walsh(11, 19); }},
        {"fastWalshTransform-7-21", [] { run_walsh(7, 21); }},
        {"convolutionSeparable", [] { run_filter(3072, 1536); }},
        {"sortingNetworks", run_sorting_networks},
        {"mergeSort", run_merge_sort},
        {"histogram", [] { run_histogram(65536); }},
        {"scan", run_scan},
        {"stencil", run_stencil},
        {"cutcp", run_cutcp},
        {"bfs-4096", [] { run_bfs(4096, 0); }},
        {"bfs-65536", [] { run_bfs(65536, 0); }},
        {"bfs-1MW", [] { run_bfs(1000000, 1); }},
        {"b+tree", run_tree},
        {"dwt2d-192", [] { run_dwt(192); }},
        {"dwt2d-1024", [] { run_dwt(1024); }},
        {"2mm", [] { products<2048>(2); }},
        {"mri-q", run_mri_q},
        {"sad", run_sad},
    };
    auto const found = programs.find(argc > 1 ? argv[1] : "");
    if (found == programs.end()) {
        std::printf("which one?");
        for (auto const& [name, program] : programs) std::printf(" %s", name.c_str());
        std::printf("\n");
        return 2;
    }
    found->second();
    check(cudaDeviceSynchronize());
}
