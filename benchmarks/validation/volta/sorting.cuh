// Kernels of the CUDA SDK's samples that sort, count and sum up: sortingNetworks, mergeSort, histogram and scan, as the SDK 4.2
// has them.
#pragma once

using Word = unsigned int;

Word const sort_size = 1024;

__device__ void exchange(Word& key, Word& value, Word& other_key, Word& other_value, Word upwards) {
    if ((key > other_key) != upwards) return;
    Word const k = key, v = value;
    key = other_key;
    other_key = k;
    value = other_value;
    other_value = v;
}

/// 1024 keys of a block with their values to shared memory, and back.
__device__ void fetch_pairs(Word* keys, Word* values, Word const* from_keys, Word const* from_values) {
    int const half = sort_size / 2;
    keys[threadIdx.x] = from_keys[0];
    values[threadIdx.x] = from_values[0];
    keys[threadIdx.x + half] = from_keys[half];
    values[threadIdx.x + half] = from_values[half];
}
__device__ void put_pairs(Word* to_keys, Word* to_values, Word const* keys, Word const* values) {
    int const half = sort_size / 2;
    to_keys[0] = keys[threadIdx.x];
    to_values[0] = values[threadIdx.x];
    to_keys[half] = keys[threadIdx.x + half];
    to_values[half] = values[threadIdx.x + half];
}

/// sortingNetworks: bitonic sort of arrays of up to 1024 keys.
__global__ void bitonic_sort(Word* to_keys, Word* to_values, Word const* from_keys, Word const* from_values,
                             Word length, Word upwards) {
    __shared__ Word keys[sort_size];
    __shared__ Word values[sort_size];
    Word const at = blockIdx.x * sort_size + threadIdx.x;
    fetch_pairs(keys, values, from_keys + at, from_values + at);
    auto const step = [&](Word stride, Word direction) {
        __syncthreads();
        Word const i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        exchange(keys[i], values[i], keys[i + stride], values[i + stride], direction);
    };
    for (Word size = 2; size < length; size <<= 1) {
        Word const direction = upwards ^ ((threadIdx.x & (size / 2)) != 0);
        for (Word stride = size / 2; stride > 0; stride >>= 1) step(stride, direction);
    }
    for (Word stride = length / 2; stride > 0; stride >>= 1) step(stride, upwards);
    __syncthreads();
    put_pairs(to_keys + at, to_values + at, keys, values);
}

/// How many of `n` sorted words are smaller than `word`, or with `equal` not greater, by halving `stride`.
template <bool equal> __device__ Word rank_of(Word word, Word const* words, Word n, Word stride) {
    if (n == 0) return 0;
    Word rank = 0;
    for (; stride > 0; stride >>= 1) {
        Word const next = umin(rank + stride, n);
        if (equal ? words[next - 1] <= word : words[next - 1] < word) rank = next;
    }
    return rank;
}

/// mergeSort: each block sorts 1024 keys, merging ever longer arrays by ranks.
__global__ void merge_sort(Word* to_keys, Word* to_values, Word const* from_keys, Word const* from_values,
                           Word length) {
    __shared__ Word keys[sort_size];
    __shared__ Word values[sort_size];
    Word const at = blockIdx.x * sort_size + threadIdx.x;
    fetch_pairs(keys, values, from_keys + at, from_values + at);
    for (Word stride = 1; stride < length; stride <<= 1) {
        Word const low = threadIdx.x & (stride - 1);
        Word* const pair_keys = keys + 2 * (threadIdx.x - low);
        Word* const pair_values = values + 2 * (threadIdx.x - low);
        __syncthreads();
        Word const key_a = pair_keys[low], value_a = pair_values[low];
        Word const key_b = pair_keys[low + stride], value_b = pair_values[low + stride];
        Word const place_a = rank_of<false>(key_a, pair_keys + stride, stride, stride) + low;
        Word const place_b = rank_of<true>(key_b, pair_keys, stride, stride) + low;
        __syncthreads();
        pair_keys[place_a] = key_a;
        pair_values[place_a] = value_a;
        pair_keys[place_b] = key_b;
        pair_values[place_b] = value_b;
    }
    __syncthreads();
    put_pairs(to_keys + at, to_values + at, keys, values);
}

/// Of each 128 keys the first is a sample.
Word const sample_stride = 128;
__host__ __device__ Word samples_of(Word n) {
    return n % sample_stride == 0 ? n / sample_stride : n / sample_stride + 1;
}
__device__ Word power_of_two(Word n) { return 1u << (32 - __clz(n - 1)); }

/// Where samples of two sorted arrays of `stride` keys, A and B, stand in both.
__global__ void rank_samples(Word* ranks_a, Word* ranks_b, Word const* keys, Word stride, Word n, Word threads) {
    Word const at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= threads) return;
    Word const per_array = stride / sample_stride;
    Word const i = at & (per_array - 1), first = (at - i) * (2 * sample_stride);
    keys += first;
    ranks_a += first / sample_stride;
    ranks_b += first / sample_stride;
    Word const n_a = stride, n_b = umin(stride, n - first - stride);
    if (i < samples_of(n_a)) {
        ranks_a[i] = i * sample_stride;
        ranks_b[i] = rank_of<false>(keys[i * sample_stride], keys + stride, n_b, power_of_two(n_b));
    }
    if (i < samples_of(n_b)) {
        ranks_b[per_array + i] = i * sample_stride;
        ranks_a[per_array + i] =
            rank_of<true>(keys[stride + i * sample_stride], keys, n_a, power_of_two(n_a));
    }
}

/// The ranks of both arrays' samples in their order: the limits of pieces that can be merged by themselves.
__global__ void merge_ranks(Word* limits, Word const* ranks, Word stride, Word n, Word threads) {
    Word const at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= threads) return;
    Word const i = at & (stride / sample_stride - 1), first = (at - i) * (2 * sample_stride);
    ranks += (at - i) * 2;
    limits += (at - i) * 2;
    Word const n_a = samples_of(stride), n_b = samples_of(umin(stride, n - first - stride));
    if (i < n_a) {
        Word const to = rank_of<false>(ranks[i], ranks + n_a, n_b, power_of_two(n_b)) + i;
        limits[to] = ranks[i];
    }
    if (i < n_b) {
        Word const to = rank_of<true>(ranks[n_a + i], ranks, n_a, power_of_two(n_a)) + i;
        limits[to] = ranks[n_a + i];
    }
}

/// Merges a piece of A and one of B, of at most 128 keys each, with 128 threads.
__global__ void merge_pieces(Word* to_keys, Word* to_values, Word const* from_keys, Word const* from_values,
                             Word const* limits_a, Word const* limits_b, Word stride, Word n) {
    __shared__ Word keys[2 * sample_stride];
    __shared__ Word values[2 * sample_stride];
    __shared__ Word from_a, from_b, n_a, n_b, to_a, to_b;
    Word const piece = blockIdx.x & (2 * stride / sample_stride - 1);
    Word const first = (blockIdx.x - piece) * sample_stride;
    from_keys += first;
    from_values += first;
    to_keys += first;
    to_values += first;
    if (threadIdx.x == 0) {
        Word const all_a = stride, all_b = umin(stride, n - first - stride);
        bool const last = piece + 1 >= samples_of(all_a) + samples_of(all_b);
        from_a = limits_a[blockIdx.x];
        from_b = limits_b[blockIdx.x];
        n_a = (last ? all_a : limits_a[blockIdx.x + 1]) - from_a;
        n_b = (last ? all_b : limits_b[blockIdx.x + 1]) - from_b;
        to_a = from_a + from_b;
        to_b = to_a + n_a;
    }
    __syncthreads();
    Word const tx = threadIdx.x;
    if (tx < n_a) {
        keys[tx] = from_keys[from_a + tx];
        values[tx] = from_values[from_a + tx];
    }
    if (tx < n_b) {
        keys[tx + sample_stride] = from_keys[stride + from_b + tx];
        values[tx + sample_stride] = from_values[stride + from_b + tx];
    }
    __syncthreads();
    Word const count_a = n_a, count_b = n_b;
    Word key_a, value_a, place_a, key_b, value_b, place_b;
    if (tx < count_a) {
        key_a = keys[tx];
        value_a = values[tx];
        place_a = rank_of<false>(key_a, keys + sample_stride, count_b, sample_stride) + tx;
    }
    if (tx < count_b) {
        key_b = keys[tx + sample_stride];
        value_b = values[tx + sample_stride];
        place_b = rank_of<true>(key_b, keys, count_a, sample_stride) + tx;
    }
    __syncthreads();
    if (tx < count_a) {
        keys[place_a] = key_a;
        values[place_a] = value_a;
    }
    if (tx < count_b) {
        keys[place_b] = key_b;
        values[place_b] = value_b;
    }
    __syncthreads();
    if (tx < n_a) {
        to_keys[to_a + tx] = keys[tx];
        to_values[to_a + tx] = values[tx];
    }
    if (tx < n_b) {
        to_keys[to_b + tx] = keys[n_a + tx];
        to_values[to_b + tx] = values[n_a + tx];
    }
}

/// histogram of 64 bins: 64 threads count in bytes, each for itself.
int const counters = 64;

__global__ void histogram64(Word* partial, uint4 const* data, Word n) {
    __shared__ unsigned char counts[counters * 64];
    int const tx = threadIdx.x, banks = 16;
    unsigned char* const own = counts + ((tx & ~(banks * 4 - 1)) | (tx & (banks - 1)) << 2 | (tx & banks * 3) >> 4);
#pragma unroll
    for (int i = 0; i < 64 / 4; ++i) reinterpret_cast<Word*>(counts)[tx + i * counters] = 0;
    __syncthreads();
    auto const count = [&](Word word) {
        ++own[(word >> 2 & 63) * counters];
        ++own[(word >> 10 & 63) * counters];
        ++own[(word >> 18 & 63) * counters];
        ++own[(word >> 26 & 63) * counters];
    };
    for (Word at = blockIdx.x * blockDim.x + tx; at < n; at += blockDim.x * gridDim.x) {
        uint4 const words = data[at];
        count(words.x);
        count(words.y);
        count(words.z);
        count(words.w);
    }
    __syncthreads();
    if (tx >= 64) return;
    unsigned char const* const bin = counts + tx * counters;
    Word sum = 0, at = 4 * (tx & (banks - 1));
#pragma unroll
    for (int i = 0; i < counters / 4; ++i) {
        sum += bin[at] + bin[at + 1] + bin[at + 2] + bin[at + 3];
        at = (at + 4) & (counters - 1);
    }
    partial[blockIdx.x * 64 + tx] = sum;
}

/// Adds up what blocks have counted, a block for each bin.
template <int bins> __global__ void merge_histogram(Word* histogram, Word const* partial, Word parts) {
    int const threads = 256;
    __shared__ Word sums[threads];
    Word sum = 0;
    for (Word i = threadIdx.x; i < parts; i += threads) sum += partial[blockIdx.x + i * bins];
    sums[threadIdx.x] = sum;
    for (Word stride = threads / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}

/// histogram of 256 bins: six warps have counters each. A lane writes its number with a count, and repeats what another lane has
/// written over.
int const counting_warps = 6;

__global__ void histogram256(Word* partial, Word const* data, Word n) {
    int const threads = counting_warps * 32;
    Word const mask = (1u << 27) - 1;
    __shared__ Word counts[counting_warps * 256];
    Word volatile* const own = counts + (threadIdx.x >> 5) * 256;
#pragma unroll
    for (int i = 0; i < counting_warps * 256 / threads; ++i) counts[threadIdx.x + i * threads] = 0;
    Word const tag = threadIdx.x << 27;
    __syncthreads();
    auto const count = [&](Word bin) {
        Word written;
        do {
            written = tag | ((own[bin] & mask) + 1);
            own[bin] = written;
        } while (own[bin] != written);
    };
    for (Word at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += blockDim.x * gridDim.x) {
        Word const word = data[at];
        count(word & 255);
        count(word >> 8 & 255);
        count(word >> 16 & 255);
        count(word >> 24);
    }
    __syncthreads();
    for (Word bin = threadIdx.x; bin < 256; bin += threads) {
        Word sum = 0;
        for (Word i = 0; i < counting_warps; ++i) sum += counts[bin + i * 256] & mask;
        partial[blockIdx.x * 256 + bin] = sum;
    }
}

/// scan: sums of the `size` words up to a thread's one, in a warp without barriers; in front of each array stand as many zeros.
int const scan_threads = 256;

__device__ Word scan_warp(Word word, Word volatile* words, Word size) {
    Word at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    words[at] = 0;
    at += size;
    words[at] = word;
    for (Word offset = 1; offset < size; offset <<= 1) words[at] += words[at - offset];
    return words[at];
}

__device__ Word scan_block(Word word, Word volatile* words, Word size) {
    if (size <= 32) return scan_warp(word, words, size);
    Word const sum = scan_warp(word, words, 32);
    __syncthreads();
    if ((threadIdx.x & 31) == 31) words[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x < scan_threads / 32) {
        Word const total = words[threadIdx.x];
        words[threadIdx.x] = scan_warp(total, words, size >> 5) - total;
    }
    __syncthreads();
    return sum + words[threadIdx.x >> 5];
}

/// Arrays of up to 1024 words, four for each thread.
__global__ void scan_short(uint4* to, uint4 const* from, Word size) {
    __shared__ Word words[2 * scan_threads];
    Word const at = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 const own = from[at];
    uint4 sums = own;
    sums.y += sums.x;
    sums.z += sums.y;
    sums.w += sums.z;
    Word const before = scan_block(sums.w, words, size / 4) - sums.w;
    to[at] = make_uint4(sums.x + before - own.x, sums.y + before - own.y, sums.z + before - own.z,
                        sums.w + before - own.w);
}

/// What is in front of each part of 1024 words of longer arrays.
__global__ void scan_totals(Word* totals, Word const* sums, Word const* words, Word n, Word size) {
    __shared__ Word shared[2 * scan_threads];
    Word const at = blockIdx.x * blockDim.x + threadIdx.x, last = 4 * scan_threads - 1 + 4 * scan_threads * at;
    Word total = 0;
    if (at < n) total = sums[last] + words[last];
    Word const before = scan_block(total, shared, size) - total;
    if (at < n) totals[at] = before;
}

__global__ void scan_update(uint4* sums, Word const* totals) {
    __shared__ Word before;
    Word const at = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) before = totals[blockIdx.x];
    __syncthreads();
    uint4 sum = sums[at];
    sum.x += before;
    sum.y += before;
    sum.z += before;
    sum.w += before;
    sums[at] = sum;
}
