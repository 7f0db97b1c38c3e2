// Kernels of the time when textures were references, in the PTX of that time: the nearest of some centres (features in linear
// memory), the bucket of a number (a binary search among pivots), and matches of queries in a text (a tree in textures of two
// dimensions). Results are those of plain searches on the host.
// exec:
// exec: --mode timing
#include "check_driver.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum {
    points = 1000,
    features = 5,
    centres = 9,
    pivots = 255,
    letters = 4096,
    text_width = 64,
    depth = 8,
    nodes_width = 256,
    nodes_height = 64,
    queries = 700,
    query_letters = 12
};

#define THREAD                                                                                        \
    "  mov.u16 %h0, %ctaid.x; mov.u16 %h1, %ntid.x; mul.wide.u16 %r0, %h0, %h1;\n"                    \
    "  cvt.u32.u16 %r1, %tid.x; add.u32 %i, %r0, %r1; cvt.u64.u32 %at, %i; mul.lo.u64 %at, %at, 4;\n"
#define REGISTERS                                                                                     \
    "  .reg .u16 %h<4>; .reg .u32 %i; .reg .u32 %r<24>; .reg .u64 %at; .reg .u64 %a<4>;\n"            \
    "  .reg .f32 %f<12>; .reg .pred %p<4>;\n"

// As nvcc 2.3 wrote it: coordinates of four registers, variables of the .tex space.
static const char numbers[] =
    ".version 1.4\n"
    ".target sm_13\n"
    ".tex .u64 values;\n"
    ".tex .u64 limits;\n"
    ".const .f32 centre[45];\n"
    ".entry nearest(.param .u64 out, .param .u32 count) {\n" REGISTERS THREAD
    "  ld.param.u32 %r2, [count]; setp.ge.u32 %p0, %i, %r2; @%p0 bra done;\n"
    "  mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; mov.f32 %f0, 0f7f7fffff;\n"
    "  mov.u64 %a1, centre;\n"
    "each_centre:\n"
    "  mov.f32 %f1, 0f00000000; mov.u32 %r6, 0; mov.u32 %r7, %i;\n"
    "each_feature:\n"
    "  tex.1d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [values, {%r7, %r3, %r3, %r3}];\n"
    "  ld.const.f32 %f6, [%a1]; sub.f32 %f7, %f2, %f6; mul.f32 %f7, %f7, %f7; add.f32 %f1, %f1, %f7;\n"
    "  add.u64 %a1, %a1, 4; add.u32 %r7, %r7, %r2; add.u32 %r6, %r6, 1;\n"
    "  setp.lt.u32 %p1, %r6, 5; @%p1 bra each_feature;\n"
    "  setp.lt.f32 %p2, %f1, %f0; @%p2 mov.f32 %f0, %f1; @%p2 mov.u32 %r5, %r4;\n"
    "  add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra each_centre;\n"
    "  ld.param.u64 %a0, [out]; add.u64 %a0, %a0, %at; st.global.u32 [%a0], %r5;\n"
    "done:\n"
    "  exit;\n"
    "}\n"
    ".entry bucket(.param .u64 out, .param .u32 count) {\n" REGISTERS THREAD
    "  ld.param.u32 %r2, [count]; setp.ge.u32 %p0, %i, %r2; @%p0 bra done;\n"
    "  mov.u32 %r3, 0; mov.s32 %r4, 127; mov.s32 %r5, 64;\n"
    "  tex.1d.v4.f32.s32 {%f0, %f3, %f4, %f5}, [values, {%i, %r3, %r3, %r3}];\n"
    "halve:\n"
    "  tex.1d.v4.f32.s32 {%f1, %f3, %f4, %f5}, [limits, {%r4, %r3, %r3, %r3}];\n"
    "  setp.lt.f32 %p1, %f0, %f1; sub.s32 %r6, %r4, %r5; add.s32 %r7, %r4, %r5; selp.s32 %r4, %r6, %r7, %p1;\n"
    "  shr.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra halve;\n"
    "  tex.1d.v4.f32.s32 {%f1, %f3, %f4, %f5}, [limits, {%r4, %r3, %r3, %r3}];\n"
    "  setp.ge.f32 %p1, %f0, %f1; @%p1 add.s32 %r4, %r4, 1;\n"
    "  ld.param.u64 %a0, [out]; add.u64 %a0, %a0, %at; st.global.u32 [%a0], %r4;\n"
    "done:\n"
    "  exit;\n"
    "}\n";

// As nvcc 5 wrote it. A node has four children, and a place of the text at which it ends.
static const char tree[] =
    ".version 3.2\n"
    ".target sm_30\n"
    ".address_size 64\n"
    ".global .texref children;\n"
    ".global .texref ends;\n"
    ".global .texref text;\n"
    ".global .texref asked;\n"
    ".visible .entry match(.param .u64 out, .param .u32 count) {\n" REGISTERS THREAD
    "  ld.param.u32 %r2, [count]; setp.ge.u32 %p0, %i, %r2; @%p0 bra done;\n"
    "  mul.lo.u32 %r3, %i, 12; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
    "step:\n"
    "  tex.1d.v4.s32.s32 {%r6, %r7, %r8, %r9}, [asked, {%r3}];\n"
    "  and.b32 %r7, %r5, 255; shr.u32 %r8, %r5, 8; cvt.rn.f32.u32 %f0, %r7; cvt.rn.f32.u32 %f1, %r8;\n"
    "  tex.2d.v4.u32.f32 {%r10, %r11, %r12, %r13}, [children, {%f0, %f1}];\n"
    "  setp.eq.s32 %p1, %r6, 67; selp.u32 %r14, %r11, %r10, %p1;\n"
    "  setp.eq.s32 %p1, %r6, 71; selp.u32 %r14, %r12, %r14, %p1;\n"
    "  setp.eq.s32 %p1, %r6, 84; selp.u32 %r14, %r13, %r14, %p1;\n"
    "  setp.eq.u32 %p2, %r14, 0; @%p2 bra store;\n"
    "  and.b32 %r7, %r14, 255; shr.u32 %r8, %r14, 8; cvt.rn.f32.u32 %f0, %r7; cvt.rn.f32.u32 %f1, %r8;\n"
    "  tex.2d.v4.u32.f32 {%r10, %r11, %r12, %r13}, [ends, {%f0, %f1}];\n"
    "  and.b32 %r7, %r10, 63; shr.u32 %r8, %r10, 6; cvt.rn.f32.u32 %f0, %r7; cvt.rn.f32.u32 %f1, %r8;\n"
    "  tex.2d.v4.s32.f32 {%r15, %r11, %r12, %r13}, [text, {%f0, %f1}];\n"
    "  setp.ne.s32 %p1, %r15, %r6; @%p1 mov.u32 %r4, 1000; @%p1 bra store;\n"  // never in a right tree
    "  mov.u32 %r5, %r14; add.u32 %r4, %r4, 1; add.u32 %r3, %r3, 1;\n"
    "  setp.lt.u32 %p1, %r4, 12; @%p1 bra step;\n"
    "store:\n"
    "  ld.param.u64 %a0, [out]; add.u64 %a0, %a0, %at; st.global.u32 [%a0], %r4;\n"
    "done:\n"
    "  ret;\n"
    "}\n";

static unsigned state = 1;
static unsigned next(void) { return (state = state * 1664525u + 1013904223u) >> 8; }

static CUdeviceptr upload(void const* data, size_t bytes) {
    CUdeviceptr memory = 0;
    OK(cuMemAlloc(&memory, bytes));
    OK(cuMemcpyHtoD(memory, data, bytes));
    return memory;
}

static CUtexref reference(CUmodule module, char const* name) {
    CUtexref r = NULL;
    OK(cuModuleGetTexRef(&r, module, name));
    return r;
}

static void bind_line(CUmodule module, char const* name, CUarray_format format, void const* data, size_t bytes) {
    CUtexref const r = reference(module, name);
    size_t offset = 1;
    OK(cuTexRefSetFormat(r, format, 1));
    if (format != CU_AD_FORMAT_FLOAT) OK(cuTexRefSetFlags(r, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetAddress(&offset, r, upload(data, bytes), bytes));
    CHECK(offset == 0);
}

static void bind_plane(CUmodule module, char const* name, CUarray_format format, unsigned channels, unsigned width,
                       unsigned height, void const* data, size_t texel) {
    CUDA_ARRAY_DESCRIPTOR const d = {width, height, format, channels};
    CUarray array = NULL;
    CUDA_MEMCPY2D c;
    OK(cuArrayCreate(&array, &d));
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = data;
    c.srcPitch = width * texel;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = array;
    c.WidthInBytes = width * texel;
    c.Height = height;
    OK(cuMemcpy2D(&c));
    CUtexref const r = reference(module, name);
    OK(cuTexRefSetFilterMode(r, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefSetFlags(r, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetArray(r, array, CU_TRSA_OVERRIDE_FORMAT));
}

/* What `count` threads store. */
static void run(CUmodule module, char const* name, unsigned count, unsigned* got) {
    CUfunction f = NULL;
    CUdeviceptr out = 0;
    void* arguments[] = {&out, &count};
    OK(cuModuleGetFunction(&f, module, name));
    OK(cuMemAlloc(&out, count * sizeof *got));
    OK(cuLaunchKernel(f, (count + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(got, out, count * sizeof *got));
    OK(cuMemFree(out));
}

static void numbers_in_lines(void) {
    static float value[features * points], centre[centres * features], limit[pivots];
    static unsigned got[points];
    CUmodule module = NULL;
    CUdeviceptr constants = 0;
    size_t bytes = 0;
    for (int i = 0; i < features * points; ++i) value[i] = (float)(next() % 1000);
    for (int i = 0; i < centres * features; ++i) centre[i] = (float)(next() % 1000);
    for (int i = 0; i < pivots; ++i) limit[i] = (float)(4 * i - 7);
    OK(cuModuleLoadData(&module, numbers));
    bind_line(module, "values", CU_AD_FORMAT_FLOAT, value, sizeof value);
    bind_line(module, "limits", CU_AD_FORMAT_FLOAT, limit, sizeof limit);
    OK(cuModuleGetGlobal(&constants, &bytes, module, "centre"));
    CHECK(bytes == sizeof centre);
    OK(cuMemcpyHtoD(constants, centre, sizeof centre));

    run(module, "nearest", points, got);
    int wrong = 0;
    for (int p = 0; p < points; ++p) {
        unsigned best = 0;
        long least = -1;
        for (unsigned c = 0; c < centres; ++c) {
            long sum = 0;
            for (int f = 0; f < features; ++f) {
                long const d = (long)value[p + f * points] - (long)centre[c * features + (unsigned)f];
                sum += d * d;
            }
            if (least < 0 || sum < least) least = sum, best = c;
        }
        wrong += got[p] != best;
    }
    CHECK(wrong == 0);

    run(module, "bucket", points, got);
    for (int p = 0; p < points; ++p) {
        unsigned below = 0;
        for (int i = 0; i < pivots; ++i) below += limit[i] <= value[p];
        wrong += got[p] != below;
    }
    CHECK(wrong == 0);
}

/* Of all parts of the text with up to `depth` letters; returns how many nodes there are. Node 0 is the root. */
static unsigned make_tree(char const* text, unsigned (*children)[4], unsigned (*ends)[4]) {
    unsigned used = 1;
    for (int from = 0; from < letters; ++from) {
        unsigned node = 0;
        for (int i = from; i < letters && i < from + depth; ++i) {
            unsigned* const child = &children[node][strchr("ACGT", text[i]) - "ACGT"];
            if (*child == 0) {
                ends[used][0] = (unsigned)i;
                *child = used++;
            }
            node = *child;
        }
    }
    return used;
}

static void matches_in_planes(void) {
    static unsigned children[nodes_width * nodes_height][4], ends[nodes_width * nodes_height][4], got[queries];
    static char text[letters + 1], asked[queries * query_letters];
    CUmodule module = NULL;
    for (int i = 0; i < letters; ++i) text[i] = "ACGT"[next() % 4];
    for (int i = 0; i < queries * query_letters; ++i) asked[i] = "ACGT"[next() % 4];
    // Half of the queries begin as a part of the text does.
    for (int q = 0; q < queries; q += 2) memcpy(asked + q * query_letters, text + next() % (letters - 16), 10);
    CHECK(make_tree(text, children, ends) < nodes_width * nodes_height);
    OK(cuModuleLoadData(&module, tree));
    bind_plane(module, "children", CU_AD_FORMAT_UNSIGNED_INT32, 4, nodes_width, nodes_height, children, 16);
    bind_plane(module, "ends", CU_AD_FORMAT_UNSIGNED_INT32, 4, nodes_width, nodes_height, ends, 16);
    bind_plane(module, "text", CU_AD_FORMAT_SIGNED_INT8, 1, text_width, letters / text_width, text, 1);
    bind_line(module, "asked", CU_AD_FORMAT_SIGNED_INT8, asked, sizeof asked);

    run(module, "match", queries, got);
    int wrong = 0, full = 0;
    for (int q = 0; q < queries; ++q) {
        char part[depth + 1] = "";
        unsigned length = 0;
        while (length < depth) {
            part[length] = asked[q * query_letters + (int)length];
            if (strstr(text, part) == NULL) break;
            ++length;
        }
        wrong += got[q] != length;
        full += length == depth;
    }
    CHECK(wrong == 0);
    CHECK(full >= queries / 2);
}

int main(void) {
    use_primary();
    numbers_in_lines();
    matches_in_planes();
    return result();
}
