"""Kernels as PTX, so that no test needs a compiler."""

_head = """.version 7.8
.target sm_75
.address_size 64
"""

scale = (
    _head
    + """
.visible .entry scale(.param .u32 n, .param .f32 factor, .param .u64 array)
{
    .reg .pred %p;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [factor];
    ld.param.u64 %d1, [array];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p ret;
    mul.wide.u32 %d2, %r5, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.f32 %f2, [%d3];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%d3], %f3;
    ret;
}
"""
)

spin = (
    _head
    + """
.visible .entry spin(.param .u64 flag)
{
    .reg .pred %p;
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [flag];
AGAIN:
    atom.global.add.u32 %r1, [%d1], 1;
    setp.ne.u32 %p, %r1, 0xffffffff;
    @%p bra AGAIN;
    ret;
}
"""
)

race = (
    _head
    + """
.visible .entry count(.param .u64 counter)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [counter];
    ld.global.u32 %r1, [%d1];
    add.u32 %r2, %r1, 1;
    st.global.u32 [%d1], %r2;
    ret;
}
"""
)

parameters = (
    (
        _head
        + """
.visible .entry keep(.param .u8 a, .param .u16 b, .param .u64 c, .param .f64 d, .param .align 8 .b8 e[12], .param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    .reg .f64 %g;
    ld.param.u64 %d1, [out];
    ld.param.u8 %r1, [a];
    ld.param.u16 %r2, [b];
    ld.param.u64 %d2, [c];
    ld.param.f64 %g, [d];
    ld.param.u32 %r3, [e];
    ld.param.u64 %d3, [e+4];
    st.global.u8 [%d1], %r1;
    st.global.u16 [%d1+2], %r2;
    st.global.u64 [%d1+8], %d2;
    st.global.f64 [%d1+16], %g;
    st.global.u32 [%d1+24], %r3;
    st.global.u64 [%d1+32], %d3;
    ret;
}
"""
    )
    .replace("ld.param.u64 %d3, [e+4];", "ld.param.u32 %r4, [e+4];\n    ld.param.u32 %r5, [e+8];")
    .replace("st.global.u64 [%d1+32], %d3;", "st.global.u32 [%d1+32], %r4;\n    st.global.u32 [%d1+36], %r5;")
)

variables = (
    _head
    + """
.visible .const .align 4 .f32 coefficients[4] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
.visible .global .align 4 .u32 total;
.visible .entry _Z3addv()
{
    .reg .b32 %r<3>;
    .reg .f32 %f<2>;
    ld.const.f32 %f1, [coefficients+4];
    cvt.rzi.u32.f32 %r1, %f1;
    atom.global.add.u32 %r2, [total], %r1;
    ret;
}
"""
)

hello = (
    _head
    + """
.extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[10] = {104, 101, 108, 108, 111, 32, 37, 100, 10, 0};
.visible .entry hello()
{
    .local .align 8 .b8 values[8];
    .reg .b64 %d<5>;
    .reg .b32 %r<3>;
    mov.u64 %d1, values;
    mov.b32 %r1, 3;
    st.local.u32 [%d1], %r1;
    cvta.local.u64 %d2, %d1;
    mov.u64 %d3, text;
    cvta.global.u64 %d4, %d3;
    {
        .param .b64 format;
        .param .b64 list;
        .param .b32 status;
        st.param.b64 [format], %d4;
        st.param.b64 [list], %d2;
        call.uni (status), vprintf, (format, list);
    }
    ret;
}
"""
)

texture = (
    _head
    + """
.visible .entry sample(.param .u64 texture, .param .f32 x, .param .f32 y, .param .u64 out)
{
    .reg .b64 %d<3>;
    .reg .f32 %f<7>;
    ld.param.u64 %d1, [texture];
    ld.param.f32 %f1, [x];
    ld.param.f32 %f2, [y];
    ld.param.u64 %d2, [out];
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
    st.global.f32 [%d2], %f3;
    ret;
}
"""
)

surface = (
    _head
    + """
.visible .entry mark(.param .u64 surface)
{
    .reg .b64 %d<2>;
    .reg .b32 %r<5>;
    ld.param.u64 %d1, [surface];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mad.lo.u32 %r3, %r2, 10, %r1;
    shl.b32 %r4, %r1, 2;
    sust.b.2d.b32.trap [%d1, {%r4, %r2}], {%r3};
    ret;
}
"""
)
