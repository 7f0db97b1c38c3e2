// Intrinsics that become one instruction, SIMD in a word, and inline assembly.
extern "C" __global__ void words(unsigned const* in, unsigned* out) {
    int const i = threadIdx.x;
    unsigned const a = in[i], b = in[i + 1], c = in[i + 2];
    out[i] = __vadd4(a, b) ^ __vabsdiffu4(b, c) ^ __vmaxs2(a, c) ^ __vsubus4(a, b) ^ __vcmpgtu4(b, c) ^ __vavgu2(a, b) ^
             __vsads4(a, c) ^ __vnegss2(b) ^ __byte_perm(a, b, c) ^ __funnelshift_l(a, b, c) ^ __usad(a, b, c) ^
             __umulhi(a, b) ^ __umul24(a, b) ^ __brev(c) ^ static_cast<unsigned>(__dp4a(a, b, c)) ^
             __dp2a_lo(a, b, c) ^ __uhadd(a, b) ^ __urhadd(b, c) ^ __fns(a, 0, 3) ^
             static_cast<unsigned>(__float2int_rz(__int_as_float(static_cast<int>(a)))) ^
             __vimax3_u16x2(a, b, c) ^ __viaddmax_u32(a, b, c);
}
extern "C" __global__ void assembly(unsigned* out, unsigned long long* wide) {
    unsigned lane, mask, r, q;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    asm("{ .reg .u32 t; mul.lo.u32 t, %1, %2; add.cc.u32 %0, t, %3; addc.u32 %0, %0, 0; }"
        : "=r"(r) : "r"(lane), "r"(mask), "n"(17));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(q) : "r"(r), "r"(lane), "r"(mask));
    asm("{ .reg .pred p; setp.ne.b32 p, %1, 0; vote.ballot.sync.b32 %0, p, 0xffffffff; }" : "=r"(r) : "r"(q));
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(q) : "r"(r), "r"(q));
    asm("mad.lo.cc.u64 %0, %1, %1, %1; madc.hi.u64 %0, %1, %1, %0;" : "+l"(wide[0]) : "l"(wide[1]));
    asm volatile("bar.sync 1, 64;" ::: "memory");
    asm volatile("prefetch.global.L2 [%0];" ::"l"(wide));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out), "r"(q));
    asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2+8];" : "=r"(r), "=r"(q) : "l"(out));
    asm("bfe.u32 %0, %1, 3, 5; bfi.b32 %0, %0, %1, 7, 9;" : "+r"(r) : "r"(q));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(q) : "r"(r), "r"(lane), "r"(mask));
    out[threadIdx.x] = r ^ q;
    out[lane] = __ldcg(out + 1) + __ldcs(out + 2) + __ldg(out + 3);
    __stwt(out + 4, __ldlu(out + 5) + __ldcv(out + 6));
    if (__isShared(out) || __isGlobal(out)) out[7] = static_cast<unsigned>(__cvta_generic_to_global(out));
}
