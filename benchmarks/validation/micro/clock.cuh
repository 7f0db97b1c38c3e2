// What the microbenchmarks share: readings of the SM's clock around a sequence that is written so many times over.
#pragma once

using Cycles = unsigned long long;

#define TIMES2(text) text text
#define TIMES8(text) TIMES2(TIMES2(TIMES2(text)))
#define TIMES32(text) TIMES2(TIMES2(TIMES8(text)))

/// The clock; volatile instructions keep their order.
__device__ inline unsigned clock_now() {
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now) : : "memory");
    return now;
}

/// What a kernel leaves behind: cycles, and how many operations took them.
struct Reading {
    Cycles cycles, operations;
};

/// The difference between a long and a short sequence of one warp: what surrounds them cancels.
__device__ inline void report(Reading* out, unsigned begin, unsigned between, unsigned end, Cycles operations) {
    if (threadIdx.x != 0 || blockIdx.x != 0) return;
    out->cycles = (end - between) - (between - begin);
    out->operations = operations;
}

/// When the warps of a CTA began and ended a short and a long piece of work. The SM is busy from the first to the last.
struct WarpTimes {
    unsigned begin[2][32], end[2][32];

    /// `work(times)` does the same so many times over, each warp by itself.
    template <class Work>
    __device__ void measure(Work&& work) {
        unsigned const repetitions[2] = {2, 10};
        _Pragma("unroll 1") for (unsigned piece = 0; piece < 2; ++piece) {
            __syncthreads();
            unsigned const from = clock_now();
            work(repetitions[piece]);
            unsigned const to = clock_now();
            if (threadIdx.x % 32 != 0) continue;
            begin[piece][threadIdx.x / 32] = from;
            end[piece][threadIdx.x / 32] = to;
        }
        __syncthreads();
    }
    /// `operations` of the warps together in each repetition.
    __device__ void report(Reading* out, Cycles operations) const {
        if (threadIdx.x != 0 || blockIdx.x != 0) return;
        unsigned cycles[2];
        for (unsigned piece = 0; piece < 2; ++piece) {
            unsigned first = begin[piece][0], last = end[piece][0];
            for (unsigned w = 1; w < blockDim.x / 32; ++w) {
                first = min(first, begin[piece][w]);
                last = max(last, end[piece][w]);
            }
            cycles[piece] = last - first;
        }
        out->cycles = cycles[1] - cycles[0];
        out->operations = 8 * operations;
    }
};
