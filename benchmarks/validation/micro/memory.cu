// Memory: chains of loads through each level, strided accesses to L1 and shared memory, streams, atomics, barriers and
// an empty kernel. README.md says what they measure.
#include "clock.cuh"

#define CHASE(name, pointer, letter, load)                                                                       \
    __device__ inline pointer name##_16(pointer at) {                                                            \
        asm volatile(TIMES8(load) TIMES8(load) : "+" letter(at) : : "memory");                                   \
        return at;                                                                                               \
    }

CHASE(any, Cycles, "l", "ld.global.u64 %0, [%0];")
CHASE(l2, Cycles, "l", "ld.relaxed.gpu.global.u64 %0, [%0];")   // past L1
CHASE(shared, unsigned, "r", "ld.shared.u32 %0, [%0];")

/// Pointers `stride` bytes apart, the last one to the first.
extern "C" __global__ void make_ring(Reading*, char* ring, unsigned count, unsigned stride) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned const next = i + 1 == count ? 0 : i + 1;
        *reinterpret_cast<char**>(ring + Cycles{i} * stride) = ring + Cycles{next} * stride;
    }
}

/// 64 loads, 16 of them before the clock; the last of `rounds` repetitions counts.
extern "C" __global__ void chase_l1(Reading* out, unsigned rounds, char* ring) {
    Cycles at = reinterpret_cast<Cycles>(ring);
    unsigned begin = 0, between = 0, end = 0;
    _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) {
        at = any_16(at);
        begin = clock_now();
        at = any_16(at);
        between = clock_now();
        at = any_16(any_16(at));
        end = clock_now();
    }
    report(out, begin, between, end, 16);
    reinterpret_cast<Cycles*>(out + 1)[0] = at;
}

// The last of `rounds` passes through the ring counts; in a single pass, no line was touched before in this launch.
#define CHASE_KERNEL(name, pointer, follow)                                                                      \
    extern "C" __global__ void name(Reading* out, unsigned rounds, char* ring, unsigned count) {                 \
        pointer at = pointer(reinterpret_cast<Cycles>(ring));                                                    \
        unsigned begin = 0, end = 0;                                                                             \
        _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) {                                              \
            begin = clock_now();                                                                                 \
            _Pragma("unroll 1") for (unsigned i = 0; i < count; i += 16) at = follow(at);                        \
            end = clock_now();                                                                                   \
        }                                                                                                        \
        out->cycles = end - begin;                                                                               \
        out->operations = count;                                                                                 \
        reinterpret_cast<Cycles*>(out + 1)[0] = at;                                                              \
    }
CHASE_KERNEL(chase, Cycles, any_16)
CHASE_KERNEL(chase_l2, Cycles, l2_16)

/// Pointers to themselves, `stride` bytes apart.
extern "C" __global__ void make_loops(Reading*, char* loops, unsigned count, unsigned stride) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) *reinterpret_cast<char**>(loops + Cycles{i} * stride) = loops + Cycles{i} * stride;
}

/// Each pointer is followed separately: the shortest time of 16 loads, or the longest.
extern "C" __global__ void chase_l2_each(Reading* out, char* loops, unsigned count, unsigned stride, unsigned longest) {
    unsigned best = longest ? 0 : ~0u;
    Cycles at = 0;
    _Pragma("unroll 1") for (unsigned i = 0; i < count; ++i) {
        at = l2_16(reinterpret_cast<Cycles>(loops + Cycles{i} * stride));
        unsigned const begin = clock_now();
        at = l2_16(at);
        unsigned const between = clock_now();
        at = l2_16(l2_16(at));
        unsigned const end = clock_now(), time = (end - between) - (between - begin);
        best = longest ? max(best, time) : min(best, time);
    }
    out->cycles = best;
    out->operations = 16;
    reinterpret_cast<Cycles*>(out + 1)[0] = at;
}

__shared__ unsigned area[8192];

__device__ inline unsigned shared_address(unsigned const* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

/// Each lane chases a pointer to itself, `stride` words from its neighbour's.
extern "C" __global__ void chase_shared(Reading* out, unsigned rounds, unsigned stride) {
    unsigned at = shared_address(&area[threadIdx.x * stride]);
    area[threadIdx.x * stride] = at;
    __syncwarp();
    unsigned begin = 0, between = 0, end = 0;
    _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) {
        at = shared_16(at);
        begin = clock_now();
        at = shared_16(at);
        between = clock_now();
        at = shared_16(shared_16(at));
        end = clock_now();
    }
    report(out, begin, between, end, 16);
    reinterpret_cast<Cycles*>(out + 1)[0] = at;
}

__shared__ WarpTimes times;

/// Many warps load shared memory, neighbouring lanes `stride` words apart: cycles of the SM for a warp's load.
extern "C" __global__ void read_shared(Reading* out, unsigned rounds, unsigned stride) {
    for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x) area[i] = i;
    unsigned const at = shared_address(&area[threadIdx.x % 32 * stride]);
    unsigned sum = 0;
    _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) times.measure([&](unsigned repetitions) {
        _Pragma("unroll 1") for (unsigned i = 0; i < repetitions; ++i) {
            unsigned v[8];
            asm volatile(TIMES2("ld.volatile.shared.u32 %0, [%8]; ld.volatile.shared.u32 %1, [%8+4];"
                         "ld.volatile.shared.u32 %2, [%8+8]; ld.volatile.shared.u32 %3, [%8+12];"
                         "ld.volatile.shared.u32 %4, [%8+16]; ld.volatile.shared.u32 %5, [%8+20];"
                         "ld.volatile.shared.u32 %6, [%8+24]; ld.volatile.shared.u32 %7, [%8+28];")
                         : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7]) : "r"(at));
            for (unsigned const value : v) sum += value;
        }
    });
    times.report(out, Cycles{16} * blockDim.x / 32);
    reinterpret_cast<Cycles*>(out + 1)[0] = sum;
}

// Many warps load what is in L1, neighbouring lanes `stride` elements apart: cycles of the SM for a warp's load.
#define READ_EIGHT(v, letter, load, place)                                                                       \
    asm volatile(load " %0, [%8];" load " %1, [%8+128];" load " %2, [%8+256];" load " %3, [%8+384];"             \
                 load " %4, [%8+512];" load " %5, [%8+640];" load " %6, [%8+768];" load " %7, [%8+896];"         \
                 : "=" letter((v)[0]), "=" letter((v)[1]), "=" letter((v)[2]), "=" letter((v)[3]),               \
                   "=" letter((v)[4]), "=" letter((v)[5]), "=" letter((v)[6]), "=" letter((v)[7]) : "l"(place))
#define READ_L1(name, Type, letter, load)                                                                        \
    extern "C" __global__ void name(Reading* out, unsigned rounds, Type const* data, unsigned stride) {          \
        Type const* const at = data + threadIdx.x % 32 * stride;                                                 \
        Type sum = 0;                                                                                            \
        _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) times.measure([&](unsigned repetitions) {      \
            _Pragma("unroll 1") for (unsigned i = 0; i < repetitions; ++i) {                                     \
                Type v[16];                                                                                      \
                READ_EIGHT(v, letter, load, at);                                                                 \
                READ_EIGHT(v + 8, letter, load, at + 1024 / sizeof(Type));                                       \
                for (int k = 0; k < 8; ++k) sum += v[k] + v[k + 8];                                              \
            }                                                                                                    \
        });                                                                                                      \
        times.report(out, Cycles{16} * blockDim.x / 32);                                                         \
        *reinterpret_cast<Type*>(out + 1) = sum;                                                                 \
    }
READ_L1(read_l1_f32, float, "f", "ld.global.f32")
READ_L1(read_l1_f64, double, "d", "ld.global.f64")

/// One load of each thread, neighbouring lanes `stride` elements apart.
extern "C" __global__ void load_apart(Reading* out, float const* data, unsigned stride) {
    if (data[threadIdx.x * stride] == 1.5f) out->cycles = 1;
}

// Streams: all threads of the grid side by side, one element after the other.
#define STREAM(name, body)                                                                                       \
    extern "C" __global__ void name(Reading*, double* a, double const* b, double const* c, unsigned count) {     \
        double sum = 0;                                                                                          \
        _Pragma("unroll 1") for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) body; \
        if (sum == 1.5) a[0] = sum;                                                                              \
    }
STREAM(stream_init, a[i] = 2)
STREAM(stream_read, sum += b[i])
STREAM(stream_scale, a[i] = b[i] * 2)
STREAM(stream_triad, a[i] = b[i] * c[i] + 2)

/// Every CTA reads the same `count` vectors, bypassing L1, `rounds` times, each beginning at a different one.
extern "C" __global__ void read_l2(Reading* out, unsigned rounds, uint4 const* data, unsigned count) {
    unsigned sum = 0;
    unsigned at = (blockIdx.x * 997u * 32 + threadIdx.x) % count;
    for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) {
            uint2 v;
            asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(reinterpret_cast<uint2 const*>(data) + at));
            sum += v.x ^ v.y;
            at = at + blockDim.x < count ? at + blockDim.x : at + blockDim.x - count;
        }
    }
    if (sum == 1) reinterpret_cast<Cycles*>(out + 1)[0] = sum;
}

#define ATOMIC_CHAIN(name, address_letter, address, instruction)                                                 \
    extern "C" __global__ void name(Reading* out, unsigned rounds, unsigned* word) {                             \
        if (threadIdx.x == 0) area[0] = 0;                                                                       \
        unsigned begin = 0, between = 0, end = 0, x = 1;                                                         \
        _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) {                                              \
            asm volatile(TIMES2(instruction) : "+r"(x) : address_letter(address) : "memory");                    \
            begin = clock_now();                                                                                 \
            asm volatile(TIMES2(instruction) : "+r"(x) : address_letter(address) : "memory");                    \
            between = clock_now();                                                                               \
            asm volatile(TIMES8(instruction) : "+r"(x) : address_letter(address) : "memory");                    \
            end = clock_now();                                                                                   \
        }                                                                                                        \
        report(out, begin, between, end, 6);                                                                     \
        reinterpret_cast<Cycles*>(out + 1)[0] = x;                                                               \
    }
ATOMIC_CHAIN(chain_atomic_global, "l", word, "atom.global.add.u32 %0, [%1], %0;")
ATOMIC_CHAIN(chain_atomic_shared, "r", shared_address(area), "atom.shared.add.u32 %0, [%1], %0;")

/// Reductions by all threads, each on its own word, `stride` words apart; 0: all on one word.
extern "C" __global__ void reduce_global(Reading*, unsigned* words, unsigned stride, unsigned count) {
    unsigned* const at = words + (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    _Pragma("unroll 1") for (unsigned i = 0; i < count; ++i) asm volatile("red.global.add.u32 [%0], 1;" : : "l"(at) : "memory");
}

#define REPEATED(name, few, many, instruction, operations)                                                       \
    extern "C" __global__ void name(Reading* out, unsigned rounds, unsigned* word) {                             \
        unsigned begin = 0, between = 0, end = 0;                                                                \
        _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) {                                              \
            asm volatile(few(instruction) : : "l"(word) : "memory");                                             \
            begin = clock_now();                                                                                 \
            asm volatile(few(instruction) : : "l"(word) : "memory");                                             \
            between = clock_now();                                                                               \
            asm volatile(many(instruction) : : "l"(word) : "memory");                                            \
            end = clock_now();                                                                                   \
        }                                                                                                        \
        report(out, begin, between, end, operations);                                                            \
    }
REPEATED(barrier, TIMES8, TIMES32, "bar.sync 0;", 24)
// As in SyncPerformance: each fence follows a store.
REPEATED(fence_gpu, TIMES2, TIMES8, "st.volatile.global.u32 [%0], 1; fence.acq_rel.gpu;", 6)
REPEATED(fence_system, TIMES2, TIMES8, "st.volatile.global.u32 [%0], 1; fence.acq_rel.sys;", 6)

extern "C" __global__ void nothing() {}
