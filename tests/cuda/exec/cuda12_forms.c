/* What CUDA 12's runtime has in a form or in a layout of its own. With CUDA12_HEADERS the declarations are NVIDIA's, else
 * those beside this file. */
#ifdef CUDA12_HEADERS
#include <cuda_runtime_api.h>
#else
#include "cuda12_declarations.h"
#endif

#include <stdio.h>
#include <string.h>

_Static_assert(CUDART_VERSION / 1000 == 12, "not CUDA 12");

static int failures;
#define CHECK(what) \
    if (!(what)) failures += printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what) > 0
#define OK(call) CHECK((call) == cudaSuccess)

enum { guard_bytes = 256 };
/* A structure with bytes behind it that nobody may write. */
#define GUARDED(type)            \
    struct {                     \
        struct type it;          \
        char guard[guard_bytes]; \
    }
static int is_untouched(char const* guard) {
    for (int i = 0; i < guard_bytes; ++i)
        if (guard[i] != 0x5a) return 0;
    return 1;
}

static void check_device(void) {
    GUARDED(cudaDeviceProp) p;
    memset(&p, 0x5a, sizeof p);
    OK(cudaGetDeviceProperties(&p.it, 0));
    CHECK(is_untouched(p.guard));
    int sms = 0, version = 0;
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(p.it.multiProcessorCount == sms && p.it.warpSize == 32 && p.it.maxThreadsPerBlock == 1024);
    CHECK(p.it.clockRate > 0 && p.it.maxThreadsPerMultiProcessor >= 1024 && p.it.maxBlocksPerMultiProcessor > 0);
    CHECK(p.it.deviceOverlap == 1 && p.it.unifiedFunctionPointers == 1 && p.it.hostRegisterSupported == 1);
    CHECK(p.it.reserved[0] == 0 && p.it.reserved[62] == 0);
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == 12);
}

static void check_pointers(void) {
    void* memory = NULL;
    OK(cudaMalloc(&memory, 64));
    GUARDED(cudaPointerAttributes) a;
    memset(&a, 0x5a, sizeof a);
    OK(cudaPointerGetAttributes(&a.it, memory));
    CHECK(a.it.type == cudaMemoryTypeDevice && a.it.devicePointer == memory && a.it.hostPointer == NULL);
    CHECK(is_untouched(a.guard));
    OK(cudaFree(memory));
}

static void check_managed(void) {
    enum { bytes = 1 << 16 };
    void* memory = NULL;
    int place = 7;
    OK(cudaMallocManaged(&memory, bytes, 1));
    OK(cudaMemPrefetchAsync(memory, bytes, cudaCpuDeviceId, NULL));
    OK(cudaMemRangeGetAttribute(&place, sizeof place, cudaMemRangeAttributeLastPrefetchLocation, memory, bytes));
    CHECK(place == cudaCpuDeviceId);
    OK(cudaMemPrefetchAsync(memory, bytes, 0, NULL));
    OK(cudaMemRangeGetAttribute(&place, sizeof place, cudaMemRangeAttributeLastPrefetchLocation, memory, bytes));
    CHECK(place == 0);
    CHECK(cudaMemPrefetchAsync(memory, bytes, 9, NULL) != cudaSuccess);
    struct cudaMemLocation const device = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPrefetchAsync_v2(memory, bytes, device, 0, NULL));
    OK(cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    OK(cudaMemRangeGetAttribute(&place, sizeof place, cudaMemRangeAttributePreferredLocation, memory, bytes));
    CHECK(place == cudaCpuDeviceId);

    char source[16] = "fifteen letters";
    void *to[2] = {memory, (char*)memory + 16}, *from[2] = {source, source};
    size_t sizes[2] = {16, 8}, first = 0, failed = 5;
    struct {
        int order;
        int locations[4];
        unsigned flags;
    } attributes = {1, {0}, 0};
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemcpyBatchAsync(to, from, sizes, 2, (void*)&attributes, &first, 1, &failed, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(memcmp(memory, source, 16) == 0 && memcmp((char*)memory + 16, source, 8) == 0);
    to[1] = NULL;
    CHECK(cudaMemcpyBatchAsync(to, from, sizes, 2, (void*)&attributes, &first, 1, &failed, stream) != cudaSuccess);
    CHECK(failed == 1);
    OK(cudaFree(memory));
}

static void check_graphs(void) {
    cudaGraph_t graph;
    cudaGraphNode_t n[3], from[4], to[4];
    size_t count = 4;
    struct cudaGraphNodeParams empty;
    memset(&empty, 0, sizeof empty);
    empty.type = cudaGraphNodeTypeEmpty;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddNode(&n[0], graph, NULL, 0, &empty));
    OK(cudaGraphAddNode(&n[1], graph, &n[0], 1, &empty));
    OK(cudaGraphAddEmptyNode(&n[2], graph, NULL, 0));
    OK(cudaGraphAddDependencies(graph, &n[1], &n[2], 1));
    OK(cudaGraphGetEdges(graph, from, to, &count));
    CHECK(count == 2 && from[0] == n[0] && to[0] == n[1] && from[1] == n[1] && to[1] == n[2]);
    count = 4;
    OK(cudaGraphNodeGetDependencies(n[2], from, &count));
    CHECK(count == 1 && from[0] == n[1]);
    count = 4;
    OK(cudaGraphNodeGetDependentNodes(n[0], to, &count));
    CHECK(count == 1 && to[0] == n[1]);
    OK(cudaGraphRemoveDependencies(graph, &n[1], &n[2], 1));
    OK(cudaGraphGetEdges(graph, NULL, NULL, &count));
    CHECK(count == 1);
}

static void check_capture(void) {
    cudaStream_t stream;
    cudaGraph_t graph = NULL, captured = NULL;
    cudaGraphNode_t const* nodes = NULL;
    size_t count = 7;
    unsigned long long id = 0;
    void* memory = NULL;
    OK(cudaMalloc(&memory, 64));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cudaMemsetAsync(memory, 1, 64, stream));
#ifdef CUDA12_HEADERS
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
#else
    int status = cudaStreamCaptureStatusNone;
#endif
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &captured, &nodes, &count));
    CHECK(status == cudaStreamCaptureStatusActive && id != 0 && captured != NULL && count == 1);
    cudaGraphNode_t filled = nodes[0];
    OK(cudaStreamUpdateCaptureDependencies(stream, NULL, 0, cudaStreamSetCaptureDependencies));
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &captured, &nodes, &count));
    CHECK(count == 0);
    OK(cudaStreamUpdateCaptureDependencies(stream, &filled, 1, cudaStreamSetCaptureDependencies));
    OK(cudaStreamEndCapture(stream, &graph));
    CHECK(graph == captured);
}

static void check_textures(void) {
    struct cudaChannelFormatDesc const format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    struct cudaExtent const extent = {16, 16, 0};
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    GUARDED(cudaResourceDesc) got;
    GUARDED(cudaResourceViewDesc) view, got_view;
    cudaMipmappedArray_t array = NULL;
    cudaTextureObject_t object = 0;
    OK(cudaMallocMipmappedArray(&array, &format, extent, 3, 0));
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    memset(&texture, 0, sizeof texture);
    texture.normalizedCoords = 1;
    memset(&view, 0x5a, sizeof view); /* what stands behind it must not be read */
    memset(&view.it, 0, sizeof view.it);
    view.it.format = cudaResViewFormatFloat1;
    view.it.width = view.it.height = 16;
    view.it.lastMipmapLevel = 2;
    OK(cudaCreateTextureObject(&object, &resource, &texture, &view.it));
    memset(&got, 0x5a, sizeof got);
    memset(&got_view, 0x5a, sizeof got_view);
    OK(cudaGetTextureObjectResourceDesc(&got.it, object));
    OK(cudaGetTextureObjectResourceViewDesc(&got_view.it, object));
    CHECK(got.it.resType == cudaResourceTypeMipmappedArray && got.it.res.mipmap.mipmap == array);
    CHECK(got_view.it.width == 16 && got_view.it.lastMipmapLevel == 2);
    CHECK(is_untouched(got.guard) && is_untouched(got_view.guard));
}

static void check_threads_and_events(void) {
    size_t stack = 0;
    OK(cudaThreadSetLimit(cudaLimitStackSize, 4096));
    OK(cudaThreadGetLimit(&stack, cudaLimitStackSize));
    CHECK(stack == 4096);
    cudaEvent_t begin, end;
    float milliseconds = -1;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(begin, NULL));
    OK(cudaEventRecord(end, NULL));
    OK(cudaThreadSynchronize());
    OK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(milliseconds >= 0);
}

int main(void) {
    check_device();
    check_pointers();
    check_managed();
    check_graphs();
    check_capture();
    check_textures();
    check_threads_and_events();
    return failures != 0;
}
