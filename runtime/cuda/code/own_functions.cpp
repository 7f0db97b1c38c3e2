#include "runtime/cuda/code/own_functions.hpp"

#include "runtime/cuda/code/contains.hpp"

#include <algorithm>
#include <string_view>

namespace warpsim::cuda {

namespace {

struct OwnText {
    std::string_view word;  // in the texts that need it
    char const* ptx;
};

constexpr OwnText own_texts[] = {
    // Kernels set the values of conditional nodes with this function: a handle is the address of its value.
    {"cudaGraphSetConditional", R"(.version 6.0
.target sm_30
.address_size 64
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
    .reg .b64 %rd1;
    .reg .b32 %r1;
    ld.param.b64 %rd1, [handle];
    ld.param.b32 %r1, [value];
    st.volatile.global.u32 [%rd1], %r1;
    ret;
}
)"},
    // A cooperative grid as an object. Its handle is the address of the grid's workspace, whose second word counts
    // the CTAs that have arrived: the first CTA adds what is missing to the top bit, which turns over with the last
    // arrival. A grid that was not launched cooperatively has the handle 0.
    {"cudaCG", R"(.version 6.0
.target sm_30
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %workspace;
    ld.param.b32 %r1, [scope];
    mov.b32 %r2, %envreg2;
    mov.b32 %r3, %envreg1;
    mov.b64 %workspace, {%r2, %r3};
    setp.eq.u32 %p, %r1, 1;
    selp.b64 %workspace, %workspace, 0, %p;
    st.param.b64 [handle], %workspace;
    ret;
}
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p, %first;
    .reg .b32 %r<8>, %arrivals, %before;
    .reg .b64 %workspace;
    ld.param.b64 %workspace, [handle];
    setp.eq.u64 %p, %workspace, 0;
    @%p bra invalid;
    bar.sync 0;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    or.b32 %r1, %r1, %r2;
    or.b32 %r1, %r1, %r3;
    setp.ne.u32 %p, %r1, 0;
    @%p bra together;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ctaid.y;
    mov.u32 %r3, %ctaid.z;
    or.b32 %r1, %r1, %r2;
    or.b32 %r1, %r1, %r3;
    setp.eq.u32 %first, %r1, 0;
    mov.u32 %r1, %nctaid.x;
    mov.u32 %r2, %nctaid.y;
    mov.u32 %r3, %nctaid.z;
    mul.lo.u32 %r1, %r1, %r2;
    mul.lo.u32 %r1, %r1, %r3;
    sub.u32 %r1, 0x80000001, %r1;
    selp.b32 %arrivals, %r1, 1, %first;
    membar.gl;
    atom.global.add.u32 %before, [%workspace+4], %arrivals;
wait:
    ld.volatile.global.u32 %r1, [%workspace+4];
    xor.b32 %r1, %r1, %before;
    setp.ge.s32 %p, %r1, 0;
    @%p bra wait;
    membar.gl;
together:
    bar.sync 0;
    st.param.b32 [error], 0;
    ret;
invalid:
    st.param.b32 [error], 1;
    ret;
}
.visible .func (.param .b32 error) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags)
{
    .reg .b32 %r<3>;
    .reg .b64 %workspace;
    ld.param.b64 %workspace, [handle];
    ld.param.b32 %r1, [flags];
    {
        .param .b64 of;
        .param .b32 with;
        .param .b32 result;
        st.param.b64 [of], %workspace;
        st.param.b32 [with], %r1;
        call.uni (result), cudaCGSynchronize, (of, with);
        ld.param.b32 %r2, [result];
    }
    st.param.b32 [error], %r2;
    ret;
}
.visible .func (.param .b32 error) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %d<4>;
    ld.param.b64 %d1, [threads];
    ld.param.b64 %d2, [grids];
    ld.param.b64 %d3, [handle];
    setp.eq.u64 %p, %d3, 0;
    @%p bra invalid;
    mov.u32 %r1, %nctaid.x;
    mov.u32 %r2, %nctaid.y;
    mul.lo.u32 %r1, %r1, %r2;
    mov.u32 %r2, %nctaid.z;
    mul.lo.u32 %r1, %r1, %r2;
    mov.u32 %r2, %ntid.x;
    mul.lo.u32 %r1, %r1, %r2;
    mov.u32 %r2, %ntid.y;
    mul.lo.u32 %r1, %r1, %r2;
    mov.u32 %r2, %ntid.z;
    mul.lo.u32 %r1, %r1, %r2;
    setp.ne.u64 %p, %d1, 0;
    @%p st.u32 [%d1], %r1;
    setp.ne.u64 %p, %d2, 0;
    @%p st.u32 [%d2], 1;
    st.param.b32 [error], 0;
    ret;
invalid:
    st.param.b32 [error], 1;
    ret;
}
.visible .func (.param .b32 error) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle)
{
    .reg .pred %p;
    .reg .b32 %r<4>, %rank;
    .reg .b64 %d<4>;
    ld.param.b64 %d1, [thread];
    ld.param.b64 %d2, [grid];
    ld.param.b64 %d3, [handle];
    setp.eq.u64 %p, %d3, 0;
    @%p bra invalid;
    mov.u32 %rank, %ctaid.z;
    mov.u32 %r1, %nctaid.y;
    mov.u32 %r2, %ctaid.y;
    mad.lo.u32 %rank, %rank, %r1, %r2;
    mov.u32 %r1, %nctaid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %rank, %rank, %r1, %r2;
    mov.u32 %r1, %ntid.z;
    mov.u32 %r2, %tid.z;
    mad.lo.u32 %rank, %rank, %r1, %r2;
    mov.u32 %r1, %ntid.y;
    mov.u32 %r2, %tid.y;
    mad.lo.u32 %rank, %rank, %r1, %r2;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %rank, %rank, %r1, %r2;
    setp.ne.u64 %p, %d1, 0;
    @%p st.u32 [%d1], %rank;
    setp.ne.u64 %p, %d2, 0;
    @%p st.u32 [%d2], 0;
    st.param.b32 [error], 0;
    ret;
invalid:
    st.param.b32 [error], 1;
    ret;
}
)"},
};

}  // namespace

void add_own_functions(std::vector<runtime::PtxText>& texts) {
    std::size_t const count = texts.size();
    for (OwnText const& own : own_texts) {
        bool const is_called = std::any_of(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(count),
                                           [&](auto const& one) { return contains(one.text, own.word); });
        if (is_called) texts.push_back({"the simulator's own functions", own.ptx});
    }
}

}  // namespace warpsim::cuda
