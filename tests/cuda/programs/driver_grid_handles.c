// Grids as objects of the device runtime, as Numba's grid.sync() uses them: handles, synchronisation, size, rank.
#include "check_driver.h"

/* Each thread writes its rank in one phase and reads that of the mirrored thread in the next. */
static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"
    ".extern .func (.param .b32 r) cudaCGGetSize(.param .b64 t, .param .b64 g, .param .b64 handle);\n"
    ".extern .func (.param .b32 r) cudaCGGetRank(.param .b64 t, .param .b64 g, .param .b64 handle);\n"
    ".visible .entry mirror(.param .u64 ranks, .param .u64 out) {\n"
    " .local .align 4 .b8 two[8]; .reg .b64 %h, %d<9>; .reg .b32 %r<9>, %rank, %size, %phase; .reg .pred %p;\n"
    " { .param .b32 s; .param .b64 h; st.param.b32 [s], 1;\n"
    "   call.uni (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %h, [h]; }\n"
    " mov.u64 %d1, two; cvta.local.u64 %d1, %d1; add.u64 %d2, %d1, 4; st.u32 [%d1], 0;\n"
    " { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 e;\n"
    "   st.param.b64 [a], %d1; st.param.b64 [b], %d2; st.param.b64 [c], %h;\n"
    "   call.uni (e), cudaCGGetSize, (a, b, c); ld.param.b32 %r1, [e]; }\n"
    " ld.u32 %size, [%d1];\n"
    " { .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 e;\n"
    "   st.param.b64 [a], %d1; st.param.b64 [b], 0; st.param.b64 [c], %h;\n"
    "   call.uni (e), cudaCGGetRank, (a, b, c); ld.param.b32 %r2, [e]; }\n"
    " ld.u32 %rank, [%d1]; or.b32 %r1, %r1, %r2;\n"
    " mov.u32 %r6, %r1; setp.ne.u32 %p, %r1, 0; @%p bra done;\n"
    " ld.param.u64 %d3, [ranks]; mad.wide.u32 %d4, %rank, 4, %d3;\n"
    " sub.u32 %r3, %size, 1; sub.u32 %r3, %r3, %rank; mad.wide.u32 %d5, %r3, 4, %d3;\n"
    " mov.u32 %phase, 0; mov.u32 %r6, 0;\n"
    "again: add.u32 %r4, %rank, %phase; st.global.u32 [%d4], %r4;\n"
    " { .param .b64 a; .param .b32 b; .param .b32 e; st.param.b64 [a], %h; st.param.b32 [b], 0;\n"
    "   call.uni (e), cudaCGSynchronize, (a, b); ld.param.b32 %r2, [e]; }\n"
    " or.b32 %r1, %r1, %r2; ld.volatile.global.u32 %r5, [%d5]; add.u32 %r6, %r6, %r5;\n"
    " { .param .b64 a; .param .b32 b; .param .b32 e; st.param.b64 [a], %h; st.param.b32 [b], 0;\n"
    "   call.uni (e), cudaCGSynchronize, (a, b); ld.param.b32 %r2, [e]; }\n"
    " add.u32 %phase, %phase, 1; setp.lt.u32 %p, %phase, 3; @%p bra again;\n"
    " setp.ne.u32 %p, %r1, 0; @%p mov.u32 %r6, %r1;\n"
    "done: ld.param.u64 %d6, [out]; mad.wide.u32 %d7, %rank, 4, %d6; st.global.u32 [%d7], %r6; ret; }\n";

enum { threads = 3 * 2 * 2 * 8 * 4 };

int main(void) {
    CUmodule module;
    CUfunction mirror;
    CUdeviceptr ranks, out;
    unsigned back[threads];
    use_primary();
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&mirror, module, "mirror"));
    OK(cuMemAlloc(&ranks, sizeof back));
    OK(cuMemAlloc(&out, sizeof back));
    void* arguments[] = {&ranks, &out};
    OK(cuLaunchCooperativeKernel(mirror, 3, 2, 2, 8, 4, 1, 0, NULL, arguments));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    for (unsigned i = 0; i < threads; ++i) CHECK(back[i] == 3 * (threads - 1 - i) + 3);
    // A grid that was not launched cooperatively is none that could be synchronised.
    OK(cuMemsetD32(ranks, 0, threads));
    OK(cuLaunchKernel(mirror, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(back, out, 4));
    CHECK(back[0] == 1);
    return result();
}
