// What the hosts of the CUDA SDK's samples launch, with the sizes of the versions that were measured and their launches to warm
// up.
#pragma once

#include "inputs.cuh"
#include "samples.cuh"
#include "sorting.cuh"

#include <algorithm>

void run_black_scholes() {
    int const n = 100000;
    float *prices = floats(n, 5, 30), *strikes = floats(n, 1, 100), *years = floats(n, 0.25f, 10);
    float *calls = floats(n, 0, 0), *puts = floats(n, -1, -1);
    black_scholes<<<480, 128>>>(calls, puts, prices, strikes, years, 0.02f, 0.30f, n);
}

void run_scalar_products(int vectors) {
    int const n = 1024;
    float *a = floats(vectors * n, 0, 1), *b = floats(vectors * n, 0, 1), *products = floats(vectors, 0, 0);
    scalar_products<<<128, 256>>>(products, a, b, vectors, n);
}

/// Each kernel three times: once to warm up, once to be measured, once with its loop inside.
void run_transpose() {
    int const n = 512;
    float *from = floats(n * n, 0, 1), *to = floats(n * n, 0, 0);
    dim3 const grid(n / tile_size, n / tile_size), threads(tile_size, tile_size);
    using Kernel = void(float*, float const*, int, int, int);
    for (Kernel* kernel : {tile_copy, tile_copy_shared, tile_naive, tile_transpose<0, true, true>,
                           tile_transpose<1, true, true>, tile_transpose<1, true, false>,
                           tile_transpose<1, false, true>, tile_diagonal})
        for (int i = 0; i < 3; ++i) kernel<<<grid, threads>>>(to, from, n, n, 1);
}

/// Two steps a launch, until what is left fits into shared memory.
void walsh(float* data, int log_n) {
    int const threads = 256, blocks = (1 << log_n) / (4 * threads);
    int arrays = 1;
    for (; log_n > 11; log_n -= 2, arrays *= 4) walsh_global<<<dim3(blocks, 1), threads>>>(data, data, (1 << log_n) / 4);
    walsh_shared<<<arrays, (1 << log_n) / 4, (1 << log_n) * sizeof(float)>>>(data, data, log_n);
}

/// The convolution of 2 ^ log_n values with 2 ^ log_kernel.
void run_walsh(int log_kernel, int log_n) {
    int const n = 1 << log_n;
    float *data = floats(n, 0, 1), *kernel = floats(n, 0, 0), *values = floats(1 << log_kernel, 0, 1);
    check(cudaMemcpy(kernel, values, (sizeof(float)) << log_kernel, cudaMemcpyDeviceToDevice));
    walsh(data, log_n);
    walsh(kernel, log_n);
    walsh_modulate<<<128, 256>>>(data, kernel, n);
    walsh(data, log_n);
}

/// Twice: once to warm up.
void run_filter(int width, int height) {
    float *from = floats(width * height, 0, 15), *between = floats(width * height, 0, 0),
          *to = floats(width * height, 0, 0);
    float weights[2 * filter_radius + 1];
    for (int i = 0; i < 2 * filter_radius + 1; ++i) weights[i] = static_cast<float>(i * 7 % 16);
    check(cudaMemcpyToSymbol(filter_weights, weights, sizeof weights));
    for (int i = 0; i < 2; ++i) {
        filter_rows<<<dim3(width / 128, height / 4), dim3(16, 4)>>>(between, from, width, height, width);
        filter_columns<<<dim3(width / 16, height / 64), dim3(16, 8)>>>(to, between, width, height, width);
    }
}

/// 1024 keys as arrays of 64 to 1024.
void run_sorting_networks() {
    int const n = sort_size;
    Word *keys = filled<Word>(n, 0, 65536), *values = filled<Word>(n, 0, n);
    Word *to_keys = filled<Word>(n, 0, 0), *to_values = filled<Word>(n, 0, 0);
    for (Word length = 64; length <= n; length *= 2)
        bitonic_sort<<<1, n / 2>>>(to_keys, to_values, keys, values, length, 0);
}

void run_merge_sort() {
    Word const n = 8192;
    Word *keys = filled<Word>(n, 0, 65536), *values = filled<Word>(n, 0, n);
    Word *pair[2][2];
    for (auto& [of_keys, of_values] : pair) {
        of_keys = filled<Word>(n, 0, 0);
        of_values = filled<Word>(n, 0, 0);
    }
    Word *ranks_a = filled<Word>(32768, 0, 0), *ranks_b = filled<Word>(32768, 0, 0);
    Word *limits_a = filled<Word>(32768, 0, 0), *limits_b = filled<Word>(32768, 0, 0);
    int from = 0;
    merge_sort<<<n / sort_size, sort_size / 2>>>(pair[from][0], pair[from][1], keys, values, sort_size);
    for (Word stride = sort_size; stride < n; stride *= 2, from = 1 - from) {
        Word const threads = n / (2 * sample_stride), blocks = (threads + 255) / 256;
        rank_samples<<<blocks, 256>>>(ranks_a, ranks_b, pair[from][0], stride, n, threads);
        merge_ranks<<<blocks, 256>>>(limits_a, ranks_a, stride, n, threads);
        merge_ranks<<<blocks, 256>>>(limits_b, ranks_b, stride, n, threads);
        merge_pieces<<<n / sample_stride, sample_stride>>>(pair[1 - from][0], pair[1 - from][1], pair[from][0],
                                                           pair[from][1], limits_a, limits_b, stride, n);
    }
}

/// Each histogram twice: once to warm up.
void run_histogram(int bytes) {
    Word* data = reinterpret_cast<Word*>(filled<unsigned char>(bytes, 0, 255));
    int const each = 64 * 240, parts = (bytes + each - 1) / each, parts256 = 240;
    Word *partial = filled<Word>(std::max(parts * 64, parts256 * 256), 0, 0), *histogram = filled<Word>(256, 0, 0);
    for (int i = 0; i < 2; ++i) {
        histogram64<<<parts, counters>>>(partial, reinterpret_cast<uint4*>(data), bytes / 16);
        merge_histogram<64><<<64, 256>>>(histogram, partial, parts);
    }
    for (int i = 0; i < 2; ++i) {
        histogram256<<<parts256, counting_warps * 32>>>(partial, data, bytes / 4);
        merge_histogram<256><<<256, 256>>>(histogram, partial, parts256);
    }
}

void run_scan() {
    int const n = 13 * 524288, part = 4 * scan_threads, parts = n / part;
    Word *words = filled<Word>(n, 0, 2147483648u), *sums = filled<Word>(n, 0, 0), *totals = filled<Word>(65536, 0, 0);
    uint4 *from = reinterpret_cast<uint4*>(words), *to = reinterpret_cast<uint4*>(sums);
    for (Word length = 4; length <= part; length *= 2) scan_short<<<parts, scan_threads>>>(to, from, length);
    for (Word length = 2 * part; length <= part * scan_threads; length *= 2) {
        scan_short<<<parts, scan_threads>>>(to, from, part);
        scan_totals<<<(parts + scan_threads - 1) / scan_threads, scan_threads>>>(totals, sums, words, parts,
                                                                                 length / part);
        scan_update<<<parts, scan_threads>>>(to, totals);
    }
}
