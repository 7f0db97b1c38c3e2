// Texture and surface references of modules, as programs of before texture objects use them: bound to arrays, levels, lines
// and planes of memory, with all their settings; textures and samplers apart; formats of the driver's interface; and a
// reference that is bound to nothing.
// error: no texture is bound (of 'nothing')
// exec:
// exec: --mode timing
#include "check_driver.h"

#include <math.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { width = 16, height = 8, count = 256 };

// The head of a kernel with parameters out and at (pairs of floats): %rd1 is the thread's 16 bytes of out, %f0 and %f1 its
// coordinates.
#define HEAD                                                                                                         \
    "  .reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .f32 %f<8>; .reg .b64 %t<2>;\n"                                       \
    "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"           \
    "  ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 16; add.s64 %rd1, %rd0, %rd1;\n"                            \
    "  ld.param.u64 %rd2, [at]; mul.wide.u32 %rd3, %r0, 8; add.s64 %rd2, %rd2, %rd3; ld.global.v2.f32 {%f0, %f1}, [%rd2];\n"

static const char unified[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .global .texref image;\n"
    ".visible .global .texref line;\n"
    ".visible .global .texref nothing;\n"
    ".visible .global .texref declared = { normalized_coords = 1, filter_mode = linear, addr_mode_0 = mirror, addr_mode_1 = clamp_to_edge };\n"
    ".visible .global .surfref picture;\n"
    ".visible .entry floats(.param .u64 out, .param .u64 at) {\n" HEAD
    "  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f0, %f1}]; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; }\n"
    ".visible .entry integers(.param .u64 out, .param .u64 at) {\n" HEAD
    "  tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [image, {%f0, %f1}]; st.global.v4.b32 [%rd1], {%r2, %r3, %r4, %r5}; ret; }\n"
    ".visible .entry levels(.param .u64 out, .param .u64 at) {\n" HEAD
    "  tex.level.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f0, %f0}], %f1; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; }\n"
    ".visible .entry by_index(.param .u64 out, .param .u64 at) {\n" HEAD
    "  cvt.rzi.s32.f32 %r6, %f0; tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [line, {%r6}]; st.global.v4.b32 [%rd1], {%r2, %r3, %r4, %r5}; ret; }\n"
    ".visible .entry of_nothing(.param .u64 out, .param .u64 at) {\n" HEAD
    "  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [nothing, {%f0, %f1}]; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; }\n"
    ".visible .entry as_declared(.param .u64 out, .param .u64 at) {\n" HEAD
    "  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [declared, {%f0, %f1}]; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; }\n"
    // picture[y][x] = picture[y][x] + 100 for each of count places
    ".visible .entry add(.param .u64 out, .param .u64 at) {\n" HEAD
    "  cvt.rzi.s32.f32 %r2, %f0; shl.b32 %r2, %r2, 2; cvt.rzi.s32.f32 %r3, %f1;\n"
    "  suld.b.2d.b32.trap {%r4}, [picture, {%r2, %r3}]; add.u32 %r5, %r4, 100; sust.b.2d.b32.trap [picture, {%r2, %r3}], {%r5};\n"
    "  st.global.v4.b32 [%rd1], {%r4, %r5, %r2, %r3}; ret; }\n"
    // A reference through a register.
    ".visible .entry by_address(.param .u64 out, .param .u64 at) {\n" HEAD
    "  mov.u64 %t0, image; tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%t0, {%f0, %f1}]; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; }\n";

static const char independent[] =
    ".version 7.0\n"
    ".target sm_70, texmode_independent\n"
    ".address_size 64\n"
    ".visible .global .texref image;\n"
    ".visible .global .samplerref nearest = { addr_mode_0 = clamp_to_border, addr_mode_1 = clamp_to_edge, filter_mode = nearest };\n"
    ".visible .global .samplerref smooth = { addr_mode_0 = wrap, addr_mode_1 = mirror, filter_mode = linear };\n"
    ".visible .entry near(.param .u64 out, .param .u64 at) {\n" HEAD
    "  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, nearest, {%f0, %f1}]; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; }\n"
    ".visible .entry between(.param .u64 out, .param .u64 at) {\n" HEAD
    "  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, smooth, {%f0, %f1}]; st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5}; ret; }\n";

typedef enum { wrap, clamp, mirror, border } Mode;

static CUdeviceptr out, at;
static float places[count][2];
static union {
    float f[count][4];
    int i[count][4];
} got;

static CUfunction function(CUmodule module, char const* name) {
    CUfunction f = NULL;
    OK(cuModuleGetFunction(&f, module, name));
    return f;
}

static CUtexref reference(CUmodule module, char const* name) {
    CUtexref r = NULL;
    OK(cuModuleGetTexRef(&r, module, name));
    return r;
}

static void run(CUmodule module, char const* kernel) {
    void* arguments[] = {&out, &at};
    OK(cuMemcpyHtoD(at, places, sizeof places));
    OK(cuLaunchKernel(function(module, kernel), count / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(&got, out, sizeof got));
}

static CUarray array_of(CUarray_format format, unsigned channels, unsigned flags, void const* values, size_t texel) {
    CUDA_ARRAY3D_DESCRIPTOR const d = {width, height, 0, format, channels, flags};
    CUarray array = NULL;
    CUDA_MEMCPY2D c;
    OK(cuArray3DCreate(&array, &d));
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = values;
    c.srcPitch = width * texel;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = array;
    c.WidthInBytes = width * texel;
    c.Height = height;
    OK(cuMemcpy2D(&c));
    return array;
}

/* The texel that an index means; -1: the border. */
static int resolved(long i, int size, Mode mode) {
    if (i >= 0 && i < size) return (int)i;
    if (mode == border) return -1;
    if (mode == clamp) return i < 0 ? 0 : size - 1;
    long const period = mode == wrap ? size : 2 * size;
    long const in = (i % period + period) % period;
    return (int)(in < size ? in : 2 * size - 1 - in);
}

static double texel(float const* values, long x, long y, Mode mode_x, Mode mode_y, double outside) {
    int const i = resolved(x, width, mode_x), j = resolved(y, height, mode_y);
    return i < 0 || j < 0 ? outside : values[j * width + i];
}

/* A linear fetch, with weights of whole 256ths. */
static double between(float const* values, double x, double y, Mode mode_x, Mode mode_y) {
    long const at_x = (long)floor((x - 0.5) * 256 + 0.5), at_y = (long)floor((y - 0.5) * 256 + 0.5);
    long const a = at_x & 255, b = at_y & 255, left = (at_x - a) / 256, top = (at_y - b) / 256;
    long const last = (a * b + 128) / 256;
    long const weights[4] = {256 - a - b + last, a - last, b - last, last};
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += (double)weights[k] / 256 * texel(values, left + (k & 1), top + (k >> 1), mode_x, mode_y, 0);
    return sum;
}

static void places_around(double scale_x, double scale_y) {
    unsigned random = 17;
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 2; ++c) {
            random = random * 1664525u + 1013904223u;
            int const size = c == 0 ? width : height;
            double const p = (double)(random >> 8) / (1 << 24) * 4 * size - 1.5 * size;
            places[i][c] = (float)((floor(p * 64) + 0.5) / 64 * (c == 0 ? scale_x : scale_y));
        }
    }
}

static int is_near(double value, double want) { return fabs(value - want) <= 1e-5 * (1 + fabs(want)); }

static float values[height * width];

static void over_arrays(CUmodule module) {
    CUtexref const image = reference(module, "image");
    float twice[height * width];
    for (int i = 0; i < height * width; ++i) values[i] = (float)(i * 37 % 101), twice[i] = 2 * values[i];
    CUarray const a = array_of(CU_AD_FORMAT_FLOAT, 1, 0, values, 4), b = array_of(CU_AD_FORMAT_FLOAT, 1, 0, twice, 4);
    OK(cuTexRefSetArray(image, a, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_CLAMP));
    OK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_CLAMP));
    OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT));
    places_around(1, 1);
    run(module, "floats");
    for (int i = 0; i < count; ++i) CHECK(got.f[i][0] == texel(values, (long)floor(places[i][0]), (long)floor(places[i][1]), clamp, clamp, 0));
    run(module, "by_address");
    for (int i = 0; i < count; ++i) CHECK(got.f[i][0] == texel(values, (long)floor(places[i][0]), (long)floor(places[i][1]), clamp, clamp, 0));
    OK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_BORDER));
    float color[4] = {-7, 0, 0, 0};
    OK(cuTexRefSetBorderColor(image, color));
    run(module, "floats");
    for (int i = 0; i < count; ++i) CHECK(got.f[i][0] == texel(values, (long)floor(places[i][0]), (long)floor(places[i][1]), border, clamp, -7));
    OK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_WRAP));
    OK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_MIRROR));
    OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
    places_around(1.0 / width, 1.0 / height);
    run(module, "floats");
    for (int i = 0; i < count; ++i) CHECK(is_near(got.f[i][0], between(values, places[i][0] * width, places[i][1] * height, wrap, mirror)));
    // Another array, while the kernel before may still run.
    void* arguments[] = {&out, &at};
    OK(cuLaunchKernel(function(module, "floats"), count / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    OK(cuTexRefSetArray(image, b, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuMemcpyDtoH(&got, out, sizeof got));
    for (int i = 0; i < count; ++i) CHECK(is_near(got.f[i][0], between(values, places[i][0] * width, places[i][1] * height, wrap, mirror)));
    run(module, "floats");
    for (int i = 0; i < count; ++i) CHECK(is_near(got.f[i][0], 2 * between(values, places[i][0] * width, places[i][1] * height, wrap, mirror)));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
}

/// A reference begins as its variable is declared in PTX.
static void as_declared(CUmodule module) {
    CUtexref const declared = reference(module, "declared");
    CUaddress_mode mode;
    CUfilter_mode filter;
    unsigned flags = 0;
    OK(cuTexRefGetAddressMode(&mode, declared, 0));
    CHECK(mode == CU_TR_ADDRESS_MODE_MIRROR);
    OK(cuTexRefGetAddressMode(&mode, declared, 1));
    CHECK(mode == CU_TR_ADDRESS_MODE_CLAMP);
    OK(cuTexRefGetFilterMode(&filter, declared));
    CHECK(filter == CU_TR_FILTER_MODE_LINEAR);
    OK(cuTexRefGetFlags(&flags, declared));
    CHECK(flags == CU_TRSF_NORMALIZED_COORDINATES);
    CUarray const a = array_of(CU_AD_FORMAT_FLOAT, 1, 0, values, 4);
    OK(cuTexRefSetArray(declared, a, CU_TRSA_OVERRIDE_FORMAT));
    places_around(1.0 / width, 1.0 / height);
    run(module, "as_declared");
    for (int i = 0; i < count; ++i) CHECK(is_near(got.f[i][0], between(values, places[i][0] * width, places[i][1] * height, mirror, clamp)));
    OK(cuArrayDestroy(a));
}

static void of_bytes(CUmodule module) {
    CUtexref const image = reference(module, "image");
    unsigned char bytes[height * width][4];
    for (int i = 0; i < height * width * 4; ++i) bytes[0][i] = (unsigned char)(i * 73);
    CUarray const a = array_of(CU_AD_FORMAT_UNSIGNED_INT8, 4, 0, bytes, 4);
    OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefSetFlags(image, 0));
    OK(cuTexRefSetArray(image, a, CU_TRSA_OVERRIDE_FORMAT));
    for (int i = 0; i < count; ++i) places[i][0] = (float)(i % width) + 0.5f, places[i][1] = (float)(i / width % height) + 0.5f;
    run(module, "floats");
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 4; ++c) CHECK(is_near(got.f[i][c], bytes[i % (width * height)][c] / 255.0));
    }
    OK(cuTexRefSetFlags(image, CU_TRSF_READ_AS_INTEGER));
    run(module, "integers");
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 4; ++c) CHECK(got.i[i][c] == bytes[i % (width * height)][c]);
    }
    OK(cuArrayDestroy(a));
}

static void over_levels(CUmodule module) {
    CUtexref const image = reference(module, "image");
    CUDA_ARRAY3D_DESCRIPTOR const d = {width, width, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray mipmapped = NULL;
    OK(cuMipmappedArrayCreate(&mipmapped, &d, 3));
    for (unsigned level = 0; level < 3; ++level) {
        CUarray array;
        CUDA_MEMCPY2D c;
        float all[width * width];
        for (int i = 0; i < width * width; ++i) all[i] = (float)(10 * level);
        OK(cuMipmappedArrayGetLevel(&array, mipmapped, level));
        memset(&c, 0, sizeof c);
        c.srcMemoryType = CU_MEMORYTYPE_HOST;
        c.srcHost = all;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = array;
        c.WidthInBytes = (size_t)4 * (width >> level);
        c.Height = width >> level;
        OK(cuMemcpy2D(&c));
    }
    OK(cuTexRefSetMipmappedArray(image, mipmapped, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefSetMipmapFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefSetMipmapLevelClamp(image, 0.25f, 1.5f));
    for (int i = 0; i < count; ++i) places[i][0] = (float)i / count, places[i][1] = (float)(i - 32) / 64;
    run(module, "levels");
    for (int i = 0; i < count; ++i) CHECK(is_near(got.f[i][0], 10 * fmin(fmax(places[i][1], 0.25), 1.5)));
    OK(cuMipmappedArrayDestroy(mipmapped));
}

static void over_memory(CUmodule module) {
    CUtexref const image = reference(module, "image"), line = reference(module, "line");
    CUdeviceptr memory;
    size_t pitch = 0, offset = 9;
    int numbers[512];
    for (int i = 0; i < 512; ++i) numbers[i] = i * i - 1000;
    OK(cuMemAllocPitch(&memory, &pitch, width * 4, 64, 4));
    OK(cuMemcpyHtoD(memory, numbers, sizeof numbers));
    OK(cuTexRefSetFormat(line, CU_AD_FORMAT_SIGNED_INT32, 1));
    OK(cuTexRefSetFlags(line, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetAddress(&offset, line, memory, sizeof numbers));
    CHECK(offset == 0);
    for (int i = 0; i < count; ++i) places[i][0] = (float)(3 * i - 50), places[i][1] = 0;
    run(module, "by_index");
    for (int i = 0; i < count; ++i) {
        int const index = 3 * i - 50;
        CHECK(got.i[i][0] == (index >= 0 && index < 512 ? numbers[index] : 0));
    }
    // Within memory: the kernel has to add the offset.
    OK(cuTexRefSetAddress(&offset, line, memory + 40, 256 * 4));
    CHECK(offset == 40);
    run(module, "by_index");
    for (int i = 0; i < count; ++i) {
        int const index = 3 * i - 50;
        CHECK(got.i[i][0] == (index >= 0 && index < 266 ? numbers[index] : 0));
    }
    for (int i = 0; i < height * width; ++i) values[i] = (float)(i * 53 % 97);
    for (int y = 0; y < height; ++y) OK(cuMemcpyHtoD(memory + (size_t)y * pitch, values + y * width, width * 4));
    CUDA_ARRAY_DESCRIPTOR const d = {width, height, CU_AD_FORMAT_FLOAT, 1};
    OK(cuTexRefSetFlags(image, 0));
    OK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_CLAMP));
    OK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_CLAMP));
    OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefSetAddress2D(image, &d, memory, pitch));
    places_around(1, 1);
    run(module, "floats");
    for (int i = 0; i < count; ++i) CHECK(is_near(got.f[i][0], between(values, places[i][0], places[i][1], clamp, clamp)));
    OK(cuMemFree(memory));
}

static void surfaces(CUmodule module) {
    CUsurfref picture;
    int numbers[height][width], after[height][width];
    for (int i = 0; i < height * width; ++i) numbers[0][i] = i;
    CUarray const a = array_of(CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST, numbers, 4);
    OK(cuModuleGetSurfRef(&picture, module, "picture"));
    OK(cuSurfRefSetArray(picture, a, 0));
    for (int i = 0; i < count; ++i) places[i][0] = (float)(i % width), places[i][1] = (float)(i / width % height);
    void* arguments[] = {&out, &at};
    OK(cuMemcpyHtoD(at, places, sizeof places));
    OK(cuLaunchKernel(function(module, "add"), 2, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = after;
    c.WidthInBytes = sizeof after[0];
    c.Height = height;
    OK(cuMemcpy2D(&c));
    for (int i = 0; i < height * width; ++i) CHECK(after[0][i] == numbers[0][i] + 100);
    OK(cuArrayDestroy(a));
}

static void apart(void) {
    CUmodule module;
    OK(cuModuleLoadData(&module, independent));
    CUtexref const image = reference(module, "image");
    for (int i = 0; i < height * width; ++i) values[i] = (float)(i * 29 % 83);
    CUarray const a = array_of(CU_AD_FORMAT_FLOAT, 1, 0, values, 4);
    OK(cuTexRefSetArray(image, a, CU_TRSA_OVERRIDE_FORMAT));
    // Samplers of their own count, not the reference's settings. Their coordinates are normalised unless they say otherwise.
    places_around(1.0 / width, 1.0 / height);
    run(module, "near");
    for (int i = 0; i < count; ++i) CHECK(got.f[i][0] == texel(values, (long)floor(places[i][0] * width), (long)floor(places[i][1] * height), border, clamp, 0));
    run(module, "between");
    for (int i = 0; i < count; ++i) CHECK(is_near(got.f[i][0], between(values, places[i][0] * width, places[i][1] * height, wrap, mirror)));
    OK(cuModuleUnload(module));
    OK(cuArrayDestroy(a));
}

/* Formats whose texels are fractions whatever a texture says. */
static void normalized_formats(CUmodule module) {
    CUtexref const image = reference(module, "image");
    signed char bytes[height * width][4];
    unsigned words[height * width];
    for (int i = 0; i < height * width * 4; ++i) bytes[0][i] = (signed char)(i * 91);
    for (int i = 0; i < height * width; ++i) words[i] = (unsigned)i * 2654435761u;
    CUarray const a = array_of(CU_AD_FORMAT_SNORM_INT8X4, 4, 0, bytes, 4), b = array_of(CU_AD_FORMAT_UNORM_INT_101010_2, 4, 0, words, 4);
    CUDA_ARRAY_DESCRIPTOR told;
    OK(cuArrayGetDescriptor(&told, a));
    CHECK(told.Format == CU_AD_FORMAT_SNORM_INT8X4 && told.NumChannels == 4);
    OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefSetFlags(image, 0));
    for (int i = 0; i < count; ++i) places[i][0] = (float)(i % width) + 0.5f, places[i][1] = (float)(i / width % height) + 0.5f;
    OK(cuTexRefSetArray(image, a, CU_TRSA_OVERRIDE_FORMAT));
    run(module, "floats");
    for (int i = 0; i < width * height; ++i) {
        for (int c = 0; c < 4; ++c) CHECK(is_near(got.f[i][c], fmax(bytes[i][c] / 127.0, -1)));
    }
    OK(cuTexRefSetArray(image, b, CU_TRSA_OVERRIDE_FORMAT));
    run(module, "floats");
    for (int i = 0; i < width * height; ++i) {
        for (int c = 0; c < 3; ++c) CHECK(is_near(got.f[i][c], (words[i] >> (10 * c) & 1023) / 1023.0));
        CHECK(is_near(got.f[i][3], (words[i] >> 30) / 3.0));
    }
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    CUarray none = NULL;
    told.NumChannels = 2;      // the format says four
    IS(cuArrayCreate(&none, &told), CUDA_ERROR_INVALID_VALUE);
}

/// Objects end with their context.
static void in_another_context(void) {
    CUcontext context = NULL;
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUtexObject texture = 0, again = 0;
    CUsurfObject surface = 0;
    OK(cuCtxCreate(&context, NULL, 0, 0));
    CUarray const a = array_of(CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST, values, 4);
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    r.res.array.hArray = a;
    OK(cuTexObjectCreate(&texture, &r, &t, NULL));
    OK(cuSurfObjectCreate(&surface, &r));
    OK(cuTexObjectGetTextureDesc(&t, texture));
    OK(cuCtxDestroy(context));
    CHECK(cuTexObjectGetTextureDesc(&t, texture) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuSurfObjectGetResourceDesc(&r, surface) == CUDA_ERROR_INVALID_VALUE);
    CUarray const b = array_of(CU_AD_FORMAT_FLOAT, 1, 0, values, 4);
    memset(&r, 0, sizeof r);
    r.res.array.hArray = b;
    OK(cuTexObjectCreate(&again, &r, &t, NULL));
    CHECK(again != texture);
    OK(cuTexObjectDestroy(again));
    OK(cuArrayDestroy(b));
}

int main(void) {
    CUmodule module;
    use_primary();
    OK(cuModuleLoadData(&module, unified));
    OK(cuMemAlloc(&out, sizeof got));
    OK(cuMemAlloc(&at, sizeof places));
    over_arrays(module);
    as_declared(module);
    of_bytes(module);
    over_levels(module);
    over_memory(module);
    surfaces(module);
    apart();
    normalized_formats(module);
    in_another_context();
    void* arguments[] = {&out, &at};
    OK(cuLaunchKernel(function(module, "of_nothing"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize() != CUDA_SUCCESS);
    return result();
}
