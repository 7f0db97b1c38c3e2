// Arrays of one to three dimensions through the driver's interface: copies of all kinds, what is asked of them; texture and
// surface objects, and the references of before.
#include "check_driver.h"

enum { width = 24, height = 10, depth = 4 };

static CUarray array_of(size_t w, size_t h, size_t d, CUarray_format format, unsigned channels, unsigned flags) {
    CUarray array = NULL;
    CUDA_ARRAY3D_DESCRIPTOR const description = {w, h, d, format, channels, flags};
    OK(cuArray3DCreate(&array, &description));
    return array;
}

static void in_one_dimension(void) {
    unsigned host[width], back[width] = {0};
    CUdeviceptr memory;
    CUstream stream;
    for (unsigned i = 0; i < width; ++i) host[i] = i * i;
    CUarray const a = array_of(width, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    CUarray const b = array_of(width, 0, 0, CU_AD_FORMAT_SIGNED_INT16, 2, 0);
    CUarray const bytes = array_of(width, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    OK(cuMemAlloc(&memory, sizeof host));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemcpyHtoA(a, 0, host, sizeof host));
    OK(cuMemcpyAtoH(back, a, 8, 16));
    for (unsigned i = 0; i < 4; ++i) CHECK(back[i] == host[i + 2]);
    OK(cuMemcpyAtoA(b, 0, a, 12, 20));
    OK(cuMemcpyAtoD(memory + 4, b, 4, 16));
    OK(cuMemcpyDtoA(a, 80, memory + 4, 16));
    OK(cuMemcpyAtoHAsync(back, a, 80, 16, stream));
    OK(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < 4; ++i) CHECK(back[i] == host[i + 4]);
    OK(cuMemcpyHtoAAsync(a, 0, back, 8, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyAtoH(back + 4, a, 0, 12));
    CHECK(back[4] == host[4] && back[5] == host[5] && back[6] == host[2]);
    IS(cuMemcpyAtoH(back, a, 80, 20), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyHtoA(a, sizeof host + 4, host, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyAtoA(bytes, 0, a, 0, 8), CUDA_ERROR_INVALID_VALUE);      // elements of another size
    IS(cuMemcpyAtoD(memory, (CUarray)&memory, 0, 4), CUDA_ERROR_INVALID_HANDLE);
    OK(cuArrayDestroy(bytes));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    IS(cuArrayDestroy(b), CUDA_ERROR_INVALID_HANDLE);
    IS(cuMemcpyAtoH(back, a, 0, 4), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(memory));
}

static void in_two_dimensions(void) {
    static float host[height][width], back[height][width];
    CUarray a;
    CUdeviceptr memory;
    CUDA_ARRAY_DESCRIPTOR description = {width, height, CU_AD_FORMAT_FLOAT, 1}, found;
    CUDA_ARRAY3D_DESCRIPTOR found_3d;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) host[y][x] = (float)(100 * y + x);
    }
    OK(cuArrayCreate(&a, &description));
    memset(&found, 0, sizeof found);
    OK(cuArrayGetDescriptor(&found, a));
    CHECK(found.Width == width && found.Height == height && found.Format == CU_AD_FORMAT_FLOAT && found.NumChannels == 1);
    OK(cuArray3DGetDescriptor(&found_3d, a));
    CHECK(found_3d.Width == width && found_3d.Depth == 0 && found_3d.Flags == 0);
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = sizeof host[0];
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = sizeof host[0];
    c.Height = height;
    OK(cuMemcpy2D(&c));
    // From within it to memory, and on to another array.
    OK(cuMemAlloc(&memory, 64 * 4));
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.srcXInBytes = 3 * 4;
    c.srcY = 2;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = memory;
    c.dstPitch = 5 * 4;
    c.WidthInBytes = 5 * 4;
    c.Height = 4;
    OK(cuMemcpy2DAsync(&c, NULL));
    CUarray const b = array_of(width, height, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = memory;
    c.srcPitch = 5 * 4;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = b;
    c.dstXInBytes = 4;
    c.dstY = 6;
    c.WidthInBytes = 5 * 4;
    c.Height = 4;
    OK(cuMemcpy2DUnaligned(&c));
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = b;
    c.srcXInBytes = 4;
    c.srcY = 6;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = back;
    c.dstPitch = sizeof back[0];
    c.dstXInBytes = 0;
    c.dstY = 1;
    OK(cuMemcpy2D(&c));
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 5; ++x) CHECK(back[y + 1][x] == host[y + 2][x + 3]);
    }
    c.srcY = 7;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c.srcY = 6;
    c.srcXInBytes = 2;      // within an element
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    IS(cuArrayCreate(&a, NULL), CUDA_ERROR_INVALID_VALUE);
    description.NumChannels = 3;
    IS(cuArrayCreate(&a, &description), CUDA_ERROR_INVALID_VALUE);
    description.NumChannels = 1;
    description.Format = CU_AD_FORMAT_NV12;
    IS(cuArrayCreate(&a, &description), CUDA_ERROR_NOT_SUPPORTED);
    description.Format = (CUarray_format)0x77;
    IS(cuArrayCreate(&a, &description), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuMemFree(memory));
}

static void in_three_dimensions(void) {
    static unsigned char host[depth][height][width], back[depth][height][width];
    for (int i = 0; i < depth * height * width; ++i) (&host[0][0][0])[i] = (unsigned char)(i * 7);
    CUarray const a = array_of(width, height, depth, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = width;
    c.srcHeight = height;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = width;
    c.Height = height;
    c.Depth = depth;
    OK(cuMemcpy3D(&c));
    // A box of it, as a node of a graph.
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    CUcontext context;
    CUDA_MEMCPY3D d, told;
    memset(&d, 0, sizeof d);
    d.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    d.srcArray = a;
    d.srcXInBytes = 4;
    d.srcY = 3;
    d.srcZ = 2;
    d.dstMemoryType = CU_MEMORYTYPE_HOST;
    d.dstHost = back;
    d.dstPitch = width;
    d.dstHeight = height;
    d.WidthInBytes = 9;
    d.Height = 5;
    d.Depth = 2;
    OK(cuCtxGetCurrent(&context));
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &d, context));
    OK(cuGraphMemcpyNodeGetParams(node, &told));
    CHECK(told.srcMemoryType == CU_MEMORYTYPE_ARRAY && told.srcArray == a && told.srcXInBytes == 4 && told.srcY == 3 &&
          told.srcZ == 2 && told.WidthInBytes == 9 && told.Height == 5 && told.Depth == 2 && told.dstPitch == width &&
          told.dstHeight == height);
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuCtxSynchronize());
    for (int z = 0; z < 2; ++z) {
        for (int y = 0; y < 5; ++y) {
            for (int x = 0; x < 9; ++x) CHECK(back[z][y][x] == host[z + 2][y + 3][x + 4]);
        }
    }
    // What it tells makes the same node again.
    OK(cuGraphExecMemcpyNodeSetParams(exec, node, &told, context));
    d.srcZ = 3;
    IS(cuGraphExecMemcpyNodeSetParams(exec, node, &d, context), CUDA_ERROR_INVALID_VALUE);
    d.srcZ = 2;
    d.srcLOD = 1;
    IS(cuMemcpy3D(&d), CUDA_ERROR_INVALID_VALUE);
    // Without its array it cannot be launched.
    OK(cuArrayDestroy(a));
    IS(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

static void levels(void) {
    CUmipmappedArray mipmapped;
    CUarray level, again;
    CUDA_ARRAY3D_DESCRIPTOR d = {64, 16, 0, CU_AD_FORMAT_HALF, 4, 0};
    float back[4] = {1, 2, 3, 4};
    OK(cuMipmappedArrayCreate(&mipmapped, &d, 3));
    OK(cuMipmappedArrayGetLevel(&level, mipmapped, 2));
    OK(cuMipmappedArrayGetLevel(&again, mipmapped, 2));
    CHECK(level == again);
    OK(cuArray3DGetDescriptor(&d, level));
    CHECK(d.Width == 16 && d.Height == 4 && d.Format == CU_AD_FORMAT_HALF && d.NumChannels == 4);
    IS(cuMipmappedArrayGetLevel(&level, mipmapped, 3), CUDA_ERROR_INVALID_VALUE);
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
    IS(cuMipmappedArrayGetMemoryRequirements(&requirements, mipmapped, 0), CUDA_ERROR_INVALID_VALUE);      // not mapped later
    IS(cuArrayGetMemoryRequirements(&requirements, level, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuArrayGetPlane(&again, level, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMipmappedArrayDestroy(mipmapped));
    IS(cuMipmappedArrayDestroy(mipmapped), CUDA_ERROR_INVALID_HANDLE);
    IS(cuMemcpyAtoH(back, level, 0, 16), CUDA_ERROR_INVALID_HANDLE);
    d.Flags = CUDA_ARRAY3D_SPARSE;
    IS(cuMipmappedArrayCreate(&mipmapped, &d, 3), CUDA_ERROR_NOT_SUPPORTED);
}

static void objects(void) {
    CUtexObject texture = 0, other = 0;
    CUsurfObject surface = 0;
    CUDA_RESOURCE_DESC r, r_back;
    CUDA_TEXTURE_DESC t, t_back;
    CUDA_RESOURCE_VIEW_DESC v, v_back;
    CUdeviceptr memory;
    size_t widest = 0;
    CUarray const a = array_of(width, height, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    CUarray const b = array_of(width, height, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    memset(&r, 0, sizeof r);
    memset(&t, 0, sizeof t);
    memset(&v, 0, sizeof v);
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = a;
    t.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
    t.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
    t.filterMode = CU_TR_FILTER_MODE_LINEAR;
    t.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB;
    t.maxAnisotropy = 4;
    t.maxMipmapLevelClamp = 2.5f;
    t.borderColor[3] = 0.25f;
    v.format = CU_RES_VIEW_FORMAT_UINT_4X8;
    v.width = width;
    v.height = height;
    OK(cuTexObjectCreate(&texture, &r, &t, &v));
    CHECK(texture != 0);
    OK(cuTexObjectGetResourceDesc(&r_back, texture));
    CHECK(r_back.resType == CU_RESOURCE_TYPE_ARRAY && r_back.res.array.hArray == a);
    OK(cuTexObjectGetTextureDesc(&t_back, texture));
    CHECK(memcmp(&t, &t_back, sizeof t) == 0);
    OK(cuTexObjectGetResourceViewDesc(&v_back, texture));
    CHECK(memcmp(&v, &v_back, sizeof v) == 0);
    v.format = CU_RES_VIEW_FORMAT_FLOAT_2X32;
    IS(cuTexObjectCreate(&other, &r, &t, &v), CUDA_ERROR_INVALID_VALUE);      // elements of another size
    v.format = CU_RES_VIEW_FORMAT_UINT_4X8;
    v.lastMipmapLevel = 1;
    IS(cuTexObjectCreate(&other, &r, &t, &v), CUDA_ERROR_INVALID_VALUE);
    t.flags = CU_TRSF_READ_AS_INTEGER;      // which cannot be filtered
    IS(cuTexObjectCreate(&other, &r, &t, NULL), CUDA_ERROR_INVALID_VALUE);
    t.filterMode = CU_TR_FILTER_MODE_POINT;
    OK(cuTexObjectCreate(&other, &r, &t, NULL));
    IS(cuTexObjectGetResourceViewDesc(&v_back, other), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectDestroy(other));
    IS(cuTexObjectDestroy(other), CUDA_ERROR_INVALID_HANDLE);
    IS(cuTexObjectGetTextureDesc(&t_back, other), CUDA_ERROR_INVALID_VALUE);
    t.flags = 0x1000;
    IS(cuTexObjectCreate(&other, &r, &t, NULL), CUDA_ERROR_INVALID_VALUE);
    t.flags = 0;

    IS(cuSurfObjectCreate(&surface, &r), CUDA_ERROR_INVALID_VALUE);      // made without the flag
    r.res.array.hArray = b;
    OK(cuSurfObjectCreate(&surface, &r));
    OK(cuSurfObjectGetResourceDesc(&r_back, surface));
    CHECK(r_back.res.array.hArray == b);
    OK(cuSurfObjectDestroy(surface));
    IS(cuSurfObjectGetResourceDesc(&r_back, surface), CUDA_ERROR_INVALID_VALUE);

    OK(cuMemAlloc(&memory, 4096));
    memset(&r, 0, sizeof r);
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    r.res.pitch2D.numChannels = 2;
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 32;
    r.res.pitch2D.pitchInBytes = 128;
    OK(cuTexObjectCreate(&other, &r, &t, NULL));
    OK(cuTexObjectGetResourceDesc(&r_back, other));
    CHECK(memcmp(&r, &r_back, sizeof r) == 0);
    OK(cuTexObjectDestroy(other));
    r.res.pitch2D.height = 33;      // more than there is
    IS(cuTexObjectCreate(&other, &r, &t, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetTexture1DLinearMaxWidth(&widest, CU_AD_FORMAT_FLOAT, 1, 0));
    CHECK(widest >= 1u << 27);
    OK(cuTexObjectDestroy(texture));
    OK(cuTexObjectDestroy(0));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuMemFree(memory));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const char text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .global .texref image;\n"
    ".visible .global .surfref picture;\n"
    ".visible .global .u64 plain;\n"
    ".visible .entry seven(.param .u64 p) { .reg .b64 %rd; ld.param.u64 %rd, [p]; st.global.u32 [%rd], 7; ret; }\n"
    ".visible .entry look(.param .u64 p) {\n"
    "  .reg .b64 %rd; .reg .f32 %f<4>; ld.param.u64 %rd, [p]; mov.f32 %f0, 0f00000000;\n"
    "  tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, {%f0, %f0}];\n"
    "  st.global.f32 [%rd], %f0; ret; }\n";

static void references(void) {
    CUmodule module;
    CUfunction seven, look;
    CUtexref image = NULL, again = NULL, made = NULL;
    CUsurfref picture = NULL;
    CUdeviceptr memory, at = 0;
    CUarray found = NULL;
    unsigned value = 0, flags = 9;
    int channels = 0, mode = 9;
    float least = 9, most = 9;
    size_t offset = 9;
    CUarray_format format;
    CUarray const a = array_of(width, height, 0, CU_AD_FORMAT_FLOAT, 2, CUDA_ARRAY3D_SURFACE_LDST);
    CUarray const b = array_of(width, height, 0, CU_AD_FORMAT_FLOAT, 2, 0);
    OK(cuModuleLoadData(&module, text));
    OK(cuMemAlloc(&memory, 1024));
    OK(cuModuleGetTexRef(&image, module, "image"));
    OK(cuModuleGetTexRef(&again, module, "image"));
    CHECK(image != NULL && image == again);
    IS(cuModuleGetTexRef(&again, module, "picture"), CUDA_ERROR_NOT_FOUND);
    IS(cuModuleGetTexRef(&again, module, "plain"), CUDA_ERROR_NOT_FOUND);
    IS(cuModuleGetTexRef(&again, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetSurfRef(&picture, module, "picture"));
    IS(cuTexRefGetArray(&found, image), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetArray(image, a, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefGetArray(&found, image));
    OK(cuTexRefGetFormat(&format, &channels, image));
    CHECK(found == a && format == CU_AD_FORMAT_FLOAT && channels == 2);
    OK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_MIRROR));
    OK(cuTexRefGetAddressMode((CUaddress_mode*)&mode, image, 1));
    CHECK(mode == CU_TR_ADDRESS_MODE_MIRROR);
    IS(cuTexRefSetAddressMode(image, 3, CU_TR_ADDRESS_MODE_MIRROR), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
    OK(cuTexRefGetFilterMode((CUfilter_mode*)&mode, image));
    CHECK(mode == CU_TR_FILTER_MODE_LINEAR);
    OK(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefGetFlags(&flags, image));
    CHECK(flags == CU_TRSF_NORMALIZED_COORDINATES);
    OK(cuTexRefSetMipmapLevelClamp(image, 0.5f, 2));
    OK(cuTexRefGetMipmapLevelClamp(&least, &most, image));
    CHECK(least == 0.5f && most == 2);
    OK(cuTexRefSetMaxAnisotropy(image, 8));
    OK(cuTexRefGetMaxAnisotropy(&mode, image));
    CHECK(mode == 8);
    OK(cuSurfRefSetArray(picture, a, 0));
    OK(cuSurfRefGetArray(&found, picture));
    CHECK(found == a);
    IS(cuSurfRefSetArray(picture, b, 0), CUDA_ERROR_INVALID_VALUE);
    // One that is no module's, over plain memory.
    OK(cuTexRefCreate(&made));
    OK(cuTexRefSetFormat(made, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(cuTexRefSetAddress(&offset, made, memory + 12, 100));
    CHECK(offset == 12);
    OK(cuTexRefGetAddress(&at, made));
    CHECK(at == memory);
    IS(cuTexRefSetAddress(NULL, made, memory + 12, 100), CUDA_ERROR_INVALID_VALUE);
    IS(cuTexRefSetAddress(&offset, made, memory, 5000), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefDestroy(made));
    IS(cuTexRefDestroy(made), CUDA_ERROR_INVALID_HANDLE);

    // The module's other kernels run.
    OK(cuModuleGetFunction(&seven, module, "seven"));
    OK(cuModuleGetFunction(&look, module, "look"));
    void* arguments[] = {&memory};
    OK(cuLaunchKernel(seven, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(&value, memory, 4));
    CHECK(value == 7);
    OK(cuLaunchKernel(look, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
    OK(cuModuleUnload(module));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuMemFree(memory));
}

/* Arrays end with their context. */
static void with_context(void) {
    CUcontext context;
    CUarray array;
    CUdeviceptr memory;
    int word = 5;
    CUDA_ARRAY_DESCRIPTOR const d = {16, 0, CU_AD_FORMAT_SIGNED_INT32, 1};
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuArrayCreate(&array, &d));
    OK(cuCtxDestroy(context));
    OK(cuMemAlloc(&memory, 64));
    OK(cuMemcpyHtoD(memory, &word, 4));
    IS(cuMemcpyHtoA(array, 0, &word, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuArrayDestroy(array));
    word = 0;
    OK(cuMemcpyDtoH(&word, memory, 4));
    CHECK(word == 5);
    OK(cuMemFree(memory));
}

int main(void) {
    CUarray none = NULL;
    CUDA_ARRAY_DESCRIPTOR const d = {4, 4, CU_AD_FORMAT_FLOAT, 1};
    OK(cuInit(0));
    IS(cuArrayCreate(&none, &d), CUDA_ERROR_INVALID_CONTEXT);
    use_primary();
    in_one_dimension();
    in_two_dimensions();
    in_three_dimensions();
    levels();
    objects();
    references();
    with_context();
    return result();
}
