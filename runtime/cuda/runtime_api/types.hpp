// The types of the CUDA runtime's C interface that CUDA 12 and 13 lay out alike, as compiled programs pass them. The
// layouts are the interface; tests/cuda compares them with the toolkits' headers where they are installed.
#pragma once

#include "runtime/cuda/streams/launch.hpp"

#include <cstddef>
#include <cstdint>

extern "C" {

using cudaError_t = int;
using cudaStream_t = void*;
using cudaEvent_t = void*;
using cudaFunction_t = void*;
using cudaKernel_t = void*;
using cudaLibrary_t = void*;
using cudaMemPool_t = void*;
using cudaArray_t = void*;
using cudaHostFn_t = void (*)(void* user_data);
using cudaStreamCallback_t = void (*)(cudaStream_t stream, cudaError_t status, void* user_data);

struct dim3 {
    unsigned x, y, z;
};

enum cudaMemcpyKind {
    host_to_host = 0,
    host_to_device = 1,
    device_to_host = 2,
    device_to_device = 3,
    by_address = 4
};

struct cudaFuncAttributes {
    std::size_t sharedSizeBytes;
    std::size_t constSizeBytes;
    std::size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
    int clusterDimMustBeSet;
    int requiredClusterWidth;
    int requiredClusterHeight;
    int requiredClusterDepth;
    int clusterSchedulingPolicyPreference;
    int nonPortableClusterSizeAllowed;
    int reserved[16];
};

struct cudaPitchedPtr {
    void* ptr;
    std::size_t pitch;  // bytes from row to row
    std::size_t xsize, ysize;
};

struct cudaExtent {
    std::size_t width, height, depth;
};

struct cudaPos {
    std::size_t x, y, z;
};

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
};

struct cudaChannelFormatDesc {
    int x, y, z, w;  // bits
    int f;
};

// What a texture or a surface refers to, if it is no array.
struct cudaLinearMemory {
    void* devPtr;
    cudaChannelFormatDesc desc;
    std::size_t sizeInBytes;
};

struct cudaPitchedMemory {
    void* devPtr;
    cudaChannelFormatDesc desc;
    std::size_t width, height, pitchInBytes;
};

using cudaLaunchAttribute = warpsim::cuda::LaunchAttribute;

struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

}  // extern "C"

static_assert(sizeof(cudaFuncAttributes) == 144);
static_assert(sizeof(cudaMemcpy3DParms) == 160 && sizeof(cudaMemcpy3DPeerParms) == 168 &&
              sizeof(cudaChannelFormatDesc) == 20);
static_assert(sizeof(cudaLaunchConfig_t) == 56);
