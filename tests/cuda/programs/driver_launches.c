// Launches of the driver's interface with attributes: clusters, cooperative ones, events, several at once; in the ways of
// before CUDA 4; and what is refused.
#include "check_driver.h"

static const char text[] =
    ".version 8.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    // out[block] = 10 times the number of the next block of the cluster, and 1000 times the cluster's size
    ".visible .entry neighbours(.param .u64 out) {\n"
    "  .reg .b32 %r<9>; .reg .b64 %rd<3>; .shared .align 4 .u32 own;\n"
    "  ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x; mul.lo.u32 %r1, %r0, 10; st.shared.u32 [own], %r1;\n"
    "  barrier.cluster.arrive; barrier.cluster.wait;\n"
    "  mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank; add.u32 %r4, %r2, 1; rem.u32 %r4, %r4, %r3;\n"
    "  mov.u32 %r5, own; mapa.shared::cluster.u32 %r6, %r5, %r4; ld.shared::cluster.u32 %r7, [%r6];\n"
    "  barrier.cluster.arrive; barrier.cluster.wait;\n"
    "  mad.lo.u32 %r7, %r3, 1000, %r7; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r7; ret; }\n"
    // All blocks wait for all.
    ".visible .entry meet(.param .u64 count) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %rd0, [count]; mov.u32 %r0, %nctaid.x; atom.global.add.u32 %r1, [%rd0], 1;\n"
    "again: ld.volatile.global.u32 %r2, [%rd0]; setp.lt.u32 %p0, %r2, %r0; @%p0 bra again; ret; }\n"
    ".visible .entry store(.param .u64 out, .param .u32 i, .param .f32 f) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f<2>; .shared .align 4 .b8 fixed[64];\n"
    "  ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [i]; ld.param.f32 %f0, [f]; mov.u32 %r1, %ctaid.y;\n"
    "  mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd1, %r1, 16;\n"
    "  add.s64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r0; st.global.f32 [%rd2+4], %f0;\n"
    "  mov.u32 %r1, %ntid.x; st.global.u32 [%rd2+8], %r1; mov.u32 %r2, %dynamic_smem_size; st.global.u32 [%rd2+12], %r2; ret; }\n";

static CUfunction neighbours, meet, store;

static CUlaunchConfig config_of(unsigned blocks, CUlaunchAttribute* attributes, unsigned count) {
    CUlaunchConfig c;
    memset(&c, 0, sizeof c);
    c.gridDimX = blocks;
    c.gridDimY = c.gridDimZ = 1;
    c.blockDimX = 1;
    c.blockDimY = c.blockDimZ = 1;
    c.attrs = attributes;
    c.numAttrs = count;
    return c;
}

static void clusters(void) {
    CUdeviceptr out;
    unsigned back[16];
    int count = 0, value = 9;
    OK(cuMemAlloc(&out, sizeof back));
    void* arguments[] = {&out};
    CUlaunchAttribute a[2];
    memset(a, 0, sizeof a);
    a[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    a[0].value.clusterDim.y = a[0].value.clusterDim.z = 1;
    a[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    for (unsigned size = 1; size <= 8; size *= 2) {
        a[0].value.clusterDim.x = size;
        CUlaunchConfig const c = config_of(16, a, 2);
        OK(cuLaunchKernelEx(&c, neighbours, arguments, NULL));
        OK(cuMemcpyDtoH(back, out, sizeof back));
        for (unsigned b = 0; b < 16; ++b) CHECK(back[b] == 1000 * size + 10 * (b / size * size + (b + 1) % size));
    }
    CUlaunchConfig c = config_of(16, a, 1);
    OK(cuOccupancyMaxPotentialClusterSize(&count, neighbours, &c));
    CHECK(count == 8);
    OK(cuOccupancyMaxActiveClusters(&count, neighbours, &c));
    CHECK(count > 0);
    // More than is portable needs the program's word.
    a[0].value.clusterDim.x = 16;
    CHECK(cuLaunchKernelEx(&c, neighbours, arguments, NULL) != CUDA_SUCCESS);
    OK(cuFuncSetAttribute(neighbours, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, neighbours));
    CHECK(value == 1);
    OK(cuLaunchKernelEx(&c, neighbours, arguments, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    CHECK(back[0] == 16010 && back[15] == 16000);
    a[0].value.clusterDim.x = 3;      // 16 is no multiple of it
    CHECK(cuLaunchKernelEx(&c, neighbours, arguments, NULL) != CUDA_SUCCESS);
    a[0].id = (CUlaunchAttributeID)999;
    IS(cuLaunchKernelEx(&c, neighbours, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    c.attrs = NULL;
    IS(cuLaunchKernelEx(&c, neighbours, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernelEx(NULL, neighbours, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(out));
}

static void cooperative(void) {
    CUdeviceptr count;
    unsigned back = 0;
    int processors = 0, per_processor = 0;
    CUevent begin, end;
    float ms = -1;
    OK(cuMemAlloc(&count, 4));
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, meet, 1, 0));
    void* arguments[] = {&count};
    CUlaunchAttribute a[2];
    memset(a, 0, sizeof a);
    a[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    a[0].value.cooperative = 1;
    a[1].id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
    a[1].value.launchCompletionEvent.event = end;
    CUlaunchConfig c = config_of((unsigned)(processors * per_processor), a, 2);
    OK(cuMemsetD32(count, 0, 1));
    OK(cuEventRecord(begin, NULL));
    OK(cuLaunchKernelEx(&c, meet, arguments, NULL));
    OK(cuMemcpyDtoH(&back, count, 4));
    CHECK(back == c.gridDimX);
    OK(cuEventQuery(end));
    OK(cuEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0);
    ++c.gridDimX;
    IS(cuLaunchKernelEx(&c, meet, arguments, NULL), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuMemsetD32(count, 0, 1));
    OK(cuLaunchCooperativeKernel(meet, 64, 1, 1, 1, 1, 1, 0, NULL, arguments));
    IS(cuLaunchCooperativeKernel(meet, c.gridDimX, 1, 1, 1, 1, 1, 0, NULL, arguments), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuCtxSynchronize());
    // A node with the attribute.
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    CUDA_KERNEL_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.func = meet;
    p.gridDimX = 100;
    p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = arguments;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
    CUkernelNodeAttrValue value;
    memset(&value, 0, sizeof value);
    value.cooperative = 1;
    OK(cuGraphKernelNodeSetAttribute(node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &value));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuMemsetD32(count, 0, 1));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuMemcpyDtoH(&back, count, 4));
    CHECK(back == 100);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuEventDestroy(begin));
    OK(cuEventDestroy(end));
    OK(cuMemFree(count));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void by_parts(void) {
    struct {
        unsigned i;
        float f;
        unsigned threads, shared;
    } back[6];
    CUdeviceptr out;
    CUstream stream;
    OK(cuMemAlloc(&out, sizeof back));
    OK(cuStreamCreate(&stream, 0));
    OK(cuFuncSetBlockShape(store, 32, 2, 1));
    OK(cuFuncSetSharedSize(store, 256));
    OK(cuParamSetv(store, 0, &out, sizeof out));
    OK(cuParamSeti(store, 8, 42));
    OK(cuParamSetf(store, 12, 1.5f));
    OK(cuParamSetSize(store, 16));
    OK(cuLaunchGrid(store, 3, 2));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    for (int b = 0; b < 6; ++b) CHECK(back[b].i == 42 && back[b].f == 1.5f && back[b].threads == 32 && back[b].shared == 256);
    // It keeps what it was told.
    OK(cuParamSeti(store, 8, 43));
    OK(cuLaunchGridAsync(store, 2, 1, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    CHECK(back[1].i == 43 && back[2].i == 42 && back[1].f == 1.5f);
    OK(cuLaunch(store));
    IS(cuLaunchGrid(store, 0, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuFuncSetBlockShape(store, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuParamSeti(store, -4, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuParamSetSize(store, 12), CUDA_ERROR_INVALID_VALUE);
    IS(cuParamSeti((CUfunction)&out, 0, 1), CUDA_ERROR_INVALID_HANDLE);
    OK(cuCtxSynchronize());
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(out));
}

/* Users of a context as they were counted before push and pop. */
static void attached(void) {
    CUcontext before, context, same = NULL;
    CUdeviceptr memory;
    CUexecAffinityParam affinity;
    CUgreenCtx green = (CUgreenCtx)&before;
    OK(cuCtxGetCurrent(&before));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuCtxAttach(&same, 0));
    CHECK(same == context);
    IS(cuCtxAttach(&same, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDetach(context));
    OK(cuMemAlloc(&memory, 16));
    IS(cuCtxDetach(before), CUDA_ERROR_INVALID_CONTEXT);      // not the current one
    IS(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    OK(cuStreamGetGreenCtx(NULL, &green));
    CHECK(green == NULL);
    OK(cuCtxDetach(context));
    IS(cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxSetCurrent(before));
}

/* Copies of several boxes in one call. */
static void batches(void) {
    static float host[6][8], back[6][8];
    CUdeviceptr memory;
    CUarray array;
    CUstream stream;
    CUDA_ARRAY_DESCRIPTOR const d = {8, 6, CU_AD_FORMAT_FLOAT, 1};
    CUDA_MEMCPY3D_BATCH_OP list[3];
    for (int i = 0; i < 48; ++i) (&host[0][0])[i] = (float)i;
    OK(cuMemAlloc(&memory, sizeof host));
    OK(cuArrayCreate(&array, &d));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    memset(list, 0, sizeof list);
    for (int i = 0; i < 3; ++i) list[i].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    list[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    list[0].src.op.ptr.ptr = (CUdeviceptr)host;
    list[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    list[0].dst.op.array.array = array;
    list[0].extent.width = 8;
    list[0].extent.height = 6;
    list[0].extent.depth = 1;
    list[1].src = list[0].dst;      // from (2, 1), four wide and three high, into rows of eight
    list[1].src.op.array.offset.x = 2;
    list[1].src.op.array.offset.y = 1;
    list[1].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    list[1].dst.op.ptr.ptr = memory;
    list[1].dst.op.ptr.rowLength = 8;
    list[1].extent.width = 4;
    list[1].extent.height = 3;
    list[1].extent.depth = 1;
    list[2].src.type = list[2].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    list[2].src.op.ptr.ptr = memory;
    list[2].dst.op.ptr.ptr = (CUdeviceptr)back;
    list[2].extent.width = sizeof back;      // bytes, without an array
    list[2].extent.height = list[2].extent.depth = 1;
    OK(cuMemsetD8(memory, 0, sizeof host));
    OK(cuMemcpy3DBatchAsync(3, list, 0, stream));
    OK(cuStreamSynchronize(stream));
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 8; ++x) CHECK(back[y][x] == (x < 4 ? host[y + 1][x + 2] : 0));
    }
    CHECK(back[3][0] == 0);
    IS(cuMemcpy3DBatchAsync(3, list, 0, NULL), CUDA_ERROR_INVALID_VALUE);      // a default stream
    IS(cuMemcpy3DBatchAsync(0, list, 0, stream), CUDA_ERROR_INVALID_VALUE);
    list[1].dst.op.ptr.rowLength = 3;
    IS(cuMemcpy3DBatchAsync(3, list, 0, stream), CUDA_ERROR_INVALID_VALUE);
    list[1].src.type = (CUmemcpy3DOperandType)7;
    IS(cuMemcpy3DBatchAsync(3, list, 0, stream), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr to[2] = {memory, memory + 64}, from[2] = {(CUdeviceptr)host, (CUdeviceptr)host + 8};
    size_t sizes[2] = {32, 16}, first = 0;
    CUmemcpyAttributes attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    OK(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back, memory, sizeof back));
    CHECK(back[0][7] == 7 && back[2][0] == 2 && back[2][3] == 5);
    OK(cuStreamDestroy(stream));
    OK(cuArrayDestroy(array));
    OK(cuMemFree(memory));
}

int main(void) {
    CUmodule module;
    int value = 0;
    use_primary();
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&neighbours, module, "neighbours"));
    OK(cuModuleGetFunction(&meet, module, "meet"));
    OK(cuModuleGetFunction(&store, module, "store"));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 0));
    CHECK(value >= 65536);
    clusters();
    cooperative();
    by_parts();
    attached();
    batches();
    OK(cuModuleUnload(module));
    return result();
}
