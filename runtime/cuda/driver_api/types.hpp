// The types of the CUDA driver's C interface, as programs compiled against CUDA 13 pass them. Their layouts are
// part of the interface.
#pragma once

#include "runtime/cuda/streams/launch.hpp"

#include <cstddef>
#include <cstdint>

extern "C" {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = void*;
using CUmodule = void*;
using CUlibrary = void*;
using CUfunction = void*;
using CUkernel = void*;
using CUlinkState = void*;
using CUstream = void*;
using CUevent = void*;
using CUarray = void*;
using CUmipmappedArray = void*;
using CUtexref = void*;
using CUsurfref = void*;
using CUmemoryPool = void*;
using CUmemGenericAllocationHandle = unsigned long long;
using CUhostFn = void (*)(void* user_data);
using CUstreamCallback = void (*)(CUstream stream, CUresult status, void* user_data);

struct CUuuid {
    char bytes[16];
};

struct CUdevprop {
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int sharedMemPerBlock;
    int totalConstantMemory;
    int SIMDWidth;
    int memPitch;
    int regsPerBlock;
    int clockRate;
    int textureAlign;
};

/// For copies: where a side is.
enum CUmemorytype : unsigned { host_memory = 1, device_memory = 2, array_memory = 3, unified_memory = 4 };

struct CUDA_MEMCPY2D {
    std::size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    void const* srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    std::size_t srcPitch;
    std::size_t dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void* dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    std::size_t dstPitch;
    std::size_t WidthInBytes, Height;
};

/// Also CUDA_MEMCPY3D_PEER, which has its contexts where this structure has reserved words.
struct CUDA_MEMCPY3D {
    std::size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    void const* srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void* reserved0;
    std::size_t srcPitch, srcHeight;
    std::size_t dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void* dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void* reserved1;
    std::size_t dstPitch, dstHeight;
    std::size_t WidthInBytes, Height, Depth;
};

struct CUDA_ARRAY_DESCRIPTOR {
    std::size_t Width, Height;
    unsigned Format;  // CUarray_format
    unsigned NumChannels;
};

struct CUDA_ARRAY3D_DESCRIPTOR {
    std::size_t Width, Height, Depth;
    unsigned Format;
    unsigned NumChannels;
    unsigned Flags;
};

struct CUDA_RESOURCE_DESC {
    int resType;  // array, mipmapped array, linear, pitch 2D
    union {
        CUarray array;
        struct {
            CUdeviceptr devPtr;
            unsigned format, numChannels;
            std::size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            unsigned format, numChannels;
            std::size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};

struct CUDA_TEXTURE_DESC {
    int addressMode[3];
    int filterMode;
    unsigned flags;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
};

struct CUmemLocation {
    int type;  // 1 device, 2 host
    int id;
};

struct CUmemAccessDesc {
    CUmemLocation location;
    int flags;  // 0 none, 1 read, 3 read and write
};

struct CUmemAllocationProp {
    int type;  // 1: pinned
    int requestedHandleTypes;
    CUmemLocation location;
    void* win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
};

struct CUctxCreateParams {
    void* execAffinityParams;
    int numExecAffinityParams;
    void* cigParams;
};

using CUlaunchAttribute = warpsim::cuda::LaunchAttribute;

struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute* attrs;
    unsigned numAttrs;
};

union CUstreamBatchMemOpParams {
    unsigned operation;  // 1 wait, 2 write, 3 flush, 4 wait 64, 5 write 64, 6 barrier
    struct {
        unsigned operation;
        CUdeviceptr address;
        std::uint64_t value;
        unsigned flags;
        CUdeviceptr alias;
    } value;
    std::uint64_t pad[6];
};

}  // extern "C"

static_assert(sizeof(CUDA_MEMCPY2D) == 128 && sizeof(CUDA_MEMCPY3D) == 200);
static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == 24 && sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40);
static_assert(sizeof(CUDA_RESOURCE_DESC) == 144 && sizeof(CUDA_TEXTURE_DESC) == 104);
static_assert(sizeof(CUmemAllocationProp) == 32 && sizeof(CUmemAccessDesc) == 12);
static_assert(sizeof(CUlaunchAttribute) == 72 && sizeof(CUlaunchConfig) == 56 &&
              sizeof(CUstreamBatchMemOpParams) == 48);
