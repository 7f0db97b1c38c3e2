/* What cuda12_forms.c uses of CUDA 12's runtime, for where its headers are not: layouts, and functions by the names that
 * programs ask for. */
#pragma once

#include <stddef.h>

typedef int cudaError_t;
typedef void *cudaStream_t, *cudaEvent_t, *cudaGraph_t, *cudaGraphNode_t, *cudaArray_t, *cudaMipmappedArray_t;
typedef unsigned long long cudaTextureObject_t;
enum { cudaSuccess };
enum { cudaMemoryTypeDevice = 2 };
enum { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum { cudaMemAdviseSetPreferredLocation = 3 };
enum { cudaMemRangeAttributePreferredLocation = 2, cudaMemRangeAttributeLastPrefetchLocation = 4 };
enum { cudaStreamCaptureModeRelaxed = 2, cudaMemLocationTypeDevice = 1, cudaStreamSetCaptureDependencies = 1 };
enum { cudaResourceTypeMipmappedArray = 1, cudaResViewFormatFloat1 = 0x16, cudaChannelFormatKindFloat = 2 };
enum { cudaLimitStackSize = 0, cudaGraphNodeTypeEmpty = 5, cudaDevAttrMultiProcessorCount = 16 };
#define cudaCpuDeviceId ((int)-1)
#define CUDART_VERSION 12090

struct cudaDeviceProp {
    char name[256], uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, before_threads[58], maxThreadsPerMultiProcessor;
    int between[20], maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, between_2[10], clusterLaunch, unifiedFunctionPointers, reserved[63];
};
struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
};
struct cudaMemLocation {
    int type, id;
};
struct cudaChannelFormatDesc {
    int x, y, z, w, f;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaResourceDesc {
    int resType;
    union {
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        size_t widest[7];
    } res;
};
struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaGraphNodeParams {
    int type, reserved0[3];
    long long reserved1[29], reserved2;
};

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp*, int);
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
cudaError_t cudaDeviceGetAttribute(int*, int, int);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaMalloc(void**, size_t);
cudaError_t cudaMallocManaged(void**, size_t, unsigned);
cudaError_t cudaFree(void*);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes*, void const*);
cudaError_t cudaMemPrefetchAsync(void const*, size_t, int, cudaStream_t);
cudaError_t cudaMemPrefetchAsync_v2(void const*, size_t, struct cudaMemLocation, unsigned, cudaStream_t);
cudaError_t cudaMemAdvise(void const*, size_t, int, int);
cudaError_t cudaMemRangeGetAttribute(void*, size_t, int, void const*, size_t);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, int*, unsigned long long*, cudaGraph_t*,
                                        cudaGraphNode_t const**, size_t*);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t*, size_t, unsigned);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t);
cudaError_t cudaMemcpyBatchAsync(void**, void**, size_t*, size_t, void*, size_t*, size_t, size_t*, cudaStream_t);
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned);
cudaError_t cudaGraphAddNode(cudaGraphNode_t*, cudaGraph_t, cudaGraphNode_t const*, size_t,
                             struct cudaGraphNodeParams*);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t*, cudaGraph_t, cudaGraphNode_t const*, size_t);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, cudaGraphNode_t const*, cudaGraphNode_t const*, size_t);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, cudaGraphNode_t const*, cudaGraphNode_t const*, size_t);
cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t*, cudaGraphNode_t*, size_t*);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t*, size_t*);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t, cudaGraphNode_t*, size_t*);
cudaError_t cudaThreadGetLimit(size_t*, int);
cudaError_t cudaThreadSetLimit(int, size_t);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t*, struct cudaChannelFormatDesc const*, struct cudaExtent,
                                     unsigned, unsigned);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, struct cudaResourceDesc const*,
                                    struct cudaTextureDesc const*, struct cudaResourceViewDesc const*);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc*, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc*, cudaTextureObject_t);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
