// Arithmetic: the latency of dependent instructions in one warp, and the throughput of one SM's units with all its
// warps. `rounds` is 2: the first loads the instructions into the caches. x and y are arguments, unknown to the
// compiler.
#include "clock.cuh"

// One warp; each instruction needs the result of the one before. `few` and `many` write the sequence that many times.
// Both begin after a `few`, so that each waits for its first operand. Lanes differ: uniform values may be treated
// differently. Chains are such that the compiler cannot make them shorter, as it does with sums of one number and with a
// reciprocal of a reciprocal; votes alone it does.
#define CHAIN(name, Type, letter, sequence, few, many, operations)                                               \
    extern "C" __global__ void chain_##name(Reading* out, unsigned rounds, Type x, Type y) {                     \
        unsigned begin = 0, between = 0, end = 0;                                                                \
        x += static_cast<Type>(threadIdx.x);                                                                            \
        _Pragma("unroll 1") for (unsigned i = 0; i < rounds; ++i) {                                              \
            asm volatile(few(sequence) : "+" letter(x), "+" letter(y));                                             \
            begin = clock_now();                                                                                 \
            asm volatile(few(sequence) : "+" letter(x), "+" letter(y));                                             \
            between = clock_now();                                                                               \
            asm volatile(many(sequence) : "+" letter(x), "+" letter(y));                                            \
            end = clock_now();                                                                                   \
        }                                                                                                        \
        report(out, begin, between, end, operations);                                                            \
        *reinterpret_cast<Type*>(out + 1) = x;                                                                   \
    }
#define SHORT_CHAIN(name, Type, letter, sequence) CHAIN(name, Type, letter, sequence, TIMES8, TIMES32, 24)
#define LONG_CHAIN(name, Type, letter, sequence) CHAIN(name, Type, letter, sequence, TIMES2, TIMES8, 6)

// Each number is the sum, or the product, of the two before.
CHAIN(add_s32, int, "r", "add.s32 %0, %0, %1; add.s32 %1, %1, %0;", TIMES8, TIMES32, 48)
CHAIN(mul_lo_s32, int, "r", "mul.lo.s32 %0, %0, %1; mul.lo.s32 %1, %1, %0;", TIMES8, TIMES32, 48)
SHORT_CHAIN(mad_lo_s32, int, "r", "mad.lo.s32 %0, %0, %1, %1;")
CHAIN(xor_b32, int, "r", "xor.b32 %0, %0, %1; shf.l.wrap.b32 %0, %0, %0, 1;", TIMES8, TIMES32, 48)
SHORT_CHAIN(shl_b32, int, "r", "shl.b32 %0, %0, %1;")
CHAIN(min_s32, int, "r", "min.s32 %0, %0, %1; shf.l.wrap.b32 %0, %0, %0, 1;", TIMES8, TIMES32, 48)
CHAIN(add_s64, long long, "l", "add.s64 %0, %0, %1; add.s64 %1, %1, %0;", TIMES8, TIMES32, 48)
SHORT_CHAIN(add_f32, float, "f", "add.f32 %0, %0, %1;")
SHORT_CHAIN(mul_f32, float, "f", "mul.f32 %0, %0, %1;")
SHORT_CHAIN(fma_f32, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
SHORT_CHAIN(add_f64, double, "d", "add.f64 %0, %0, %1;")
SHORT_CHAIN(mul_f64, double, "d", "mul.f64 %0, %0, %1;")
SHORT_CHAIN(fma_f64, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
SHORT_CHAIN(add_f16x2, int, "r", "add.f16x2 %0, %0, %1;")
SHORT_CHAIN(mul_f16x2, int, "r", "mul.f16x2 %0, %0, %1;")
SHORT_CHAIN(fma_f16x2, int, "r", "fma.rn.f16x2 %0, %0, %1, %1;")
SHORT_CHAIN(rcp, float, "f", "{ .reg .f32 t; abs.f32 t, %0; rcp.approx.ftz.f32 %0, t; }")
SHORT_CHAIN(rsqrt, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
SHORT_CHAIN(sqrt, float, "f", "sqrt.approx.ftz.f32 %0, %0;")
SHORT_CHAIN(ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
SHORT_CHAIN(lg2, float, "f", "lg2.approx.ftz.f32 %0, %0;")
SHORT_CHAIN(tanh, float, "f", "tanh.approx.f32 %0, %0;")
SHORT_CHAIN(popc, int, "r", "popc.b32 %0, %0;")
SHORT_CHAIN(brev, int, "r", "brev.b32 %0, %0;")
SHORT_CHAIN(bfind, int, "r", "bfind.u32 %0, %0;")
// Two conversions each time.
CHAIN(convert, int, "r", "{ .reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rni.s32.f32 %0, f; }", TIMES8, TIMES32, 48)
SHORT_CHAIN(compare_select, int, "r", "{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %1, 7, p; }")
SHORT_CHAIN(compare_guard, int, "r", "{ .reg .pred p; setp.ne.s32 p, %0, %1; @p xor.b32 %0, %0, %1; }")
SHORT_CHAIN(across_units, int, "r", "xor.b32 %0, %0, %1; mul.lo.s32 %0, %0, %1;")
SHORT_CHAIN(shuffle, int, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
// The mask of each instruction is the result of the one before: all ones.
#define ALWAYS(times, text) "{ .reg .pred p; setp.eq.s32 p, %1, %1; or.b32 %0, %0, -1;" times(text) "}"
#define BALLOTS8(text) ALWAYS(TIMES8, text)
#define BALLOTS32(text) ALWAYS(TIMES32, text)
CHAIN(ballot, int, "r", "vote.sync.ballot.b32 %0, p, %0;", BALLOTS8, BALLOTS32, 24)
SHORT_CHAIN(warp_barrier, int, "r", "bar.warp.sync -1;")
LONG_CHAIN(div_f64, double, "d", "div.rn.f64 %0, %0, %1;")
LONG_CHAIN(sqrt_f64, double, "d", "sqrt.rn.f64 %0, %0;")

// One warp; two independent instructions, then two more on their results.
#define PAIR(name, Type, letter, first, second)                                                                  \
    extern "C" __global__ void pair_##name(Reading* out, unsigned rounds, Type x, Type y) {                      \
        unsigned begin = 0, between = 0, end = 0;                                                                \
        x += static_cast<Type>(threadIdx.x);                                                                     \
        Type z = x;                                                                                              \
        _Pragma("unroll 1") for (unsigned i = 0; i < rounds; ++i) {                                              \
            asm volatile(TIMES2(first second) : "+" letter(x), "+" letter(z) : letter(y));                       \
            begin = clock_now();                                                                                 \
            asm volatile(TIMES2(first second) : "+" letter(x), "+" letter(z) : letter(y));                       \
            between = clock_now();                                                                               \
            asm volatile(TIMES8(first second) : "+" letter(x), "+" letter(z) : letter(y));                       \
            end = clock_now();                                                                                   \
        }                                                                                                        \
        report(out, begin, between, end, 12);                                                                    \
        reinterpret_cast<Type*>(out + 1)[0] = x;                                                                 \
        reinterpret_cast<Type*>(out + 1)[1] = z;                                                                 \
    }
PAIR(div_s32, int, "r", "div.s32 %0, %0, %2;", "div.s32 %1, %1, %2;")
PAIR(div_u32, unsigned, "r", "div.u32 %0, %0, %2;", "div.u32 %1, %1, %2;")
PAIR(rem_s32, int, "r", "rem.s32 %0, %0, %2;", "rem.s32 %1, %1, %2;")
PAIR(rem_u32, unsigned, "r", "rem.u32 %0, %0, %2;", "rem.u32 %1, %1, %2;")
// By values that change: nothing of one division is of use for the next.
PAIR(div_s32_by, int, "r", "div.s32 %0, %2, %0;", "div.s32 %1, %2, %1;")
PAIR(div_u32_by, unsigned, "r", "div.u32 %0, %2, %0;", "div.u32 %1, %2, %1;")
PAIR(rem_s32_by, int, "r", "rem.s32 %0, %2, %0;", "rem.s32 %1, %2, %1;")
PAIR(rem_u32_by, unsigned, "r", "rem.u32 %0, %2, %0;", "rem.u32 %1, %2, %1;")
PAIR(rcp_rn, float, "f", "rcp.rn.f32 %0, %0;", "rcp.rn.f32 %1, %1;")
PAIR(sqrt_rn, float, "f", "sqrt.rn.f32 %0, %0;", "sqrt.rn.f32 %1, %1;")

__shared__ WarpTimes times;

// All warps of a CTA, four independent values in each thread; out->operations counts results of threads.
#define THROUGHPUT_OF(name, Type, letter, four, times_over, operations)                                          \
    extern "C" __global__ void throughput_##name(Reading* out, unsigned rounds, Type x, Type y) {                \
        Type a = x + static_cast<Type>(threadIdx.x), b = a, c = a, d = a;                                        \
        _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) times.measure([&](unsigned repetitions) {      \
            _Pragma("unroll 1") for (unsigned i = 0; i < repetitions; ++i) {                                     \
                asm volatile(times_over(four)                                                                    \
                             : "+" letter(a), "+" letter(b), "+" letter(c), "+" letter(d) : letter(y));          \
            }                                                                                                    \
        });                                                                                                      \
        times.report(out, Cycles{operations} * blockDim.x);                                                      \
        reinterpret_cast<Type*>(out + 1)[0] = a;                                                                 \
        reinterpret_cast<Type*>(out + 1)[1] = b;                                                                 \
        reinterpret_cast<Type*>(out + 1)[2] = c;                                                                 \
        reinterpret_cast<Type*>(out + 1)[3] = d;                                                                 \
    }
#define THROUGHPUT(name, Type, letter, four) THROUGHPUT_OF(name, Type, letter, four, TIMES32, 128)
#define LONG_THROUGHPUT(name, Type, letter, four) THROUGHPUT_OF(name, Type, letter, four, TIMES2, 8)
#define FOUR(opcode) opcode " %0, %0, %4;" opcode " %1, %1, %4;" opcode " %2, %2, %4;" opcode " %3, %3, %4;"
#define FOUR_OF_THREE(opcode) opcode " %0, %0, %4, %4;" opcode " %1, %1, %4, %4;" opcode " %2, %2, %4, %4;" opcode " %3, %3, %4, %4;"
#define FOUR_OF_ONE(opcode) opcode " %0, %0;" opcode " %1, %1;" opcode " %2, %2;" opcode " %3, %3;"

THROUGHPUT(add_s32, int, "r", FOUR("add.s32"))
THROUGHPUT(mul_lo_s32, int, "r",
           "mul.lo.s32 %0, %0, %1; mul.lo.s32 %2, %2, %3; mul.lo.s32 %1, %1, %0; mul.lo.s32 %3, %3, %2;")
THROUGHPUT(xor_b32, int, "r",
           "xor.b32 %0, %0, %4; xor.b32 %1, %1, %4; shf.l.wrap.b32 %0, %0, %0, 1; shf.l.wrap.b32 %1, %1, %1, 1;")
THROUGHPUT(shl_b32, int, "r", FOUR("shl.b32"))
THROUGHPUT(min_s32, int, "r",
           "min.s32 %0, %0, %4; min.s32 %1, %1, %4; shf.l.wrap.b32 %0, %0, %0, 1; shf.l.wrap.b32 %1, %1, %1, 1;")
THROUGHPUT(fma_f32, float, "f", FOUR_OF_THREE("fma.rn.f32"))
THROUGHPUT(fma_f64, double, "d", FOUR_OF_THREE("fma.rn.f64"))
THROUGHPUT(fma_f16x2, int, "r", FOUR_OF_THREE("fma.rn.f16x2"))
THROUGHPUT(rsqrt, float, "f", FOUR_OF_ONE("rsqrt.approx.ftz.f32"))
THROUGHPUT(popc, int, "r", FOUR_OF_ONE("popc.b32"))
THROUGHPUT(convert, float, "f", FOUR_OF_ONE("cvt.rni.f32.f32"))
THROUGHPUT(shuffle, int, "r",
           "shfl.sync.bfly.b32 %0, %0, 1, 31, -1; shfl.sync.bfly.b32 %1, %1, 1, 31, -1;"
           "shfl.sync.bfly.b32 %2, %2, 1, 31, -1; shfl.sync.bfly.b32 %3, %3, 1, 31, -1;")
// Half of them on each of two units.
THROUGHPUT(mixed, int, "r", "add.s32 %0, %0, %4; mul.lo.s32 %1, %1, %4; add.s32 %2, %2, %4; mul.lo.s32 %3, %3, %4;")
LONG_THROUGHPUT(div_u32, unsigned, "r", FOUR("div.u32"))
LONG_THROUGHPUT(div_f64, double, "d", FOUR("div.rn.f64"))
LONG_THROUGHPUT(sqrt_f64, double, "d", FOUR_OF_ONE("sqrt.rn.f64"))
LONG_THROUGHPUT(div_f32, float, "f", FOUR("div.rn.f32"))
