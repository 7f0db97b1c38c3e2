// Copies and sets in all dimensions, and what is known of pointers.
#include "check_driver.h"

enum { width = 20, height = 6, depth = 3 };

static void in_two_dimensions(void) {
    unsigned char host[height][width], back[height][width];
    CUdeviceptr memory;
    size_t pitch = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) host[y][x] = (unsigned char)(y * width + x);
    }
    IS(cuMemAllocPitch(&memory, &pitch, width, height, 3), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocPitch(&memory, &pitch, width, height, 4));
    CHECK(pitch >= width && pitch % 32 == 0);
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = width;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = memory;
    c.dstPitch = pitch;
    c.WidthInBytes = width;
    c.Height = height;
    OK(cuMemcpy2D(&c));
    OK(cuMemsetD2D8(memory + pitch + 2, pitch, 0xaa, 4, 3));
    // A part of it, from the second row and the third byte.
    memset(back, 0, sizeof back);
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcDevice = memory;
    c.srcPitch = pitch;
    c.srcXInBytes = 2;
    c.srcY = 1;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = back;
    c.dstPitch = width;
    c.dstXInBytes = 5;
    c.dstY = 2;
    c.WidthInBytes = 8;
    c.Height = 4;
    OK(cuMemcpy2DAsync(&c, NULL));
    OK(cuCtxSynchronize());
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int const sx = x - 5 + 2, sy = y - 2 + 1;
            int wanted = 0;
            if (x >= 5 && x < 13 && y >= 2) wanted = sx < 6 && sy < 4 ? 0xaa : host[sy][sx];
            CHECK(back[y][x] == wanted);
        }
    }
    c.WidthInBytes = 100000;
    IS(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c.WidthInBytes = 8;
    c.srcMemoryType = (CUmemorytype)9;
    IS(cuMemcpy2DUnaligned(&c), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(memory));
}

static void in_three_dimensions(void) {
    static unsigned host[depth][height][width], back[depth][height][width];
    CUdeviceptr memory;
    for (int z = 0; z < depth; ++z) {
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) host[z][y][x] = (unsigned)(10000 * z + 100 * y + x);
        }
    }
    OK(cuMemAlloc(&memory, sizeof host));
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = width * 4;
    c.srcHeight = height;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = memory;
    c.dstPitch = width * 4;
    c.dstHeight = height;
    c.WidthInBytes = width * 4;
    c.Height = height;
    c.Depth = depth;
    OK(cuMemcpy3D(&c));
    CUDA_MEMCPY3D d = c;
    memset(&d, 0, sizeof d);
    d.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    d.srcDevice = memory;
    d.srcPitch = width * 4;
    d.srcHeight = height;
    d.srcXInBytes = 4;
    d.srcY = 2;
    d.srcZ = 1;
    d.dstMemoryType = CU_MEMORYTYPE_HOST;
    d.dstHost = back;
    d.dstPitch = width * 4;
    d.dstHeight = height;
    d.WidthInBytes = 8;
    d.Height = 2;
    d.Depth = 2;
    OK(cuMemcpy3DAsync(&d, NULL));
    OK(cuCtxSynchronize());
    CHECK(back[0][0][0] == 10201 && back[0][1][1] == 10302 && back[1][0][0] == 20201 && back[1][1][1] == 20302);
    CHECK(back[0][0][2] == 0 && back[0][2][0] == 0);
    OK(cuMemFree(memory));
}

static void sets(void) {
    unsigned short host[32];
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, sizeof host));
    OK(cuMemsetD8(memory, 0, sizeof host));
    OK(cuMemsetD16(memory + 2, 0x1234, 3));
    OK(cuMemsetD2D16(memory + 16, 16, 0x5678, 2, 3));
    OK(cuMemsetD2D32(memory + 24, 16, 0x9abcdef0, 1, 2));
    OK(cuMemcpyDtoH(host, memory, sizeof host));
    CHECK(host[0] == 0 && host[1] == 0x1234 && host[3] == 0x1234 && host[4] == 0);
    CHECK(host[8] == 0x5678 && host[9] == 0x5678 && host[10] == 0 && host[16] == 0x5678 && host[24] == 0x5678);
    CHECK(host[12] == 0xdef0 && host[13] == 0x9abc && host[20] == 0xdef0);
    IS(cuMemsetD16(memory + 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemsetD32(memory, 1, 100), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemsetD8(8, 1, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(memory));
}

static void pointers(void) {
    CUdeviceptr memory, begin = 0, managed;
    size_t bytes = 0;
    unsigned type = 0, is_managed = 9, flags = 0;
    int ordinal = -7;
    void* host = NULL;
    char own[64];
    OK(cuMemAlloc(&memory, 1000));
    OK(cuMemGetAddressRange(&begin, &bytes, memory + 77));
    CHECK(begin == memory && bytes == 1000);
    IS(cuMemGetAddressRange(&begin, &bytes, (CUdeviceptr)own), CUDA_ERROR_NOT_FOUND);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 5));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, memory + 5));
    CHECK(bytes == 1000);
    IS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)own), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
    CUpointer_attribute list[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* out[] = {&type, &is_managed, &ordinal};
    OK(cuPointerGetAttributes(3, list, out, managed));
    CHECK(type == CU_MEMORYTYPE_DEVICE && is_managed == 1 && ordinal == 0);
    OK(cuPointerGetAttributes(3, list, out, (CUdeviceptr)own));
    CHECK(type == 0 && is_managed == 0 && ordinal == -2);
    OK(cuMemHostAlloc(&host, 100, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
    OK(cuMemHostGetFlags(&flags, host));
    CHECK(flags == (CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
    OK(cuMemHostGetDevicePointer(&begin, host, 0));
    OK(cuMemsetD8(begin, 3, 100));
    OK(cuCtxSynchronize());
    CHECK(((char*)host)[99] == 3);
    OK(cuMemHostRegister(own, sizeof own, 0));
    IS(cuMemHostRegister(own, sizeof own, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemsetD8((CUdeviceptr)own, 4, sizeof own));
    OK(cuCtxSynchronize());
    CHECK(own[63] == 4);
    OK(cuMemHostUnregister(own));
    IS(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    OK(cuMemFreeHost(host));
    IS(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemFree((CUdeviceptr)own), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemAlloc(&memory, 1ull << 50), CUDA_ERROR_OUT_OF_MEMORY);
}

int main(void) {
    use_primary();
    in_two_dimensions();
    in_three_dimensions();
    sets();
    pointers();
    return result();
}
