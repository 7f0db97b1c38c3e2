// ptx: driver_kernels_part.cu
// Two devices through the driver's interface: contexts, copies between them of one to three dimensions and of arrays, graphs.
// exec: --devices 2
// exec: --devices 2 --check=init,race
#include "check_driver.h"

enum { width = 12, height = 5, depth = 3 };

static CUcontext contexts[2];

static void use(int device) { OK(cuCtxSetCurrent(contexts[device])); }

static void plain(void) {
    int host[64], back[64] = {0};
    CUdeviceptr memory[2];
    CUstream stream;
    for (int i = 0; i < 64; ++i) host[i] = i * 3;
    for (int d = 0; d < 2; ++d) {
        use(d);
        OK(cuMemAlloc(&memory[d], sizeof host));
    }
    use(0);
    OK(cuMemcpyHtoD(memory[0], host, sizeof host));
    OK(cuMemcpyPeer(memory[1], contexts[1], memory[0], contexts[0], sizeof host));
    use(1);
    OK(cuMemcpyDtoH(back, memory[1], sizeof back));
    CHECK(memcmp(host, back, sizeof host) == 0);
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemsetD32Async(memory[1], 9, 64, stream));
    OK(cuMemcpyPeerAsync(memory[0], contexts[0], memory[1] + 4, contexts[1], 8, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back, memory[0], sizeof back));
    CHECK(back[0] == 9 && back[1] == 9 && back[2] == 6);
    IS(cuMemcpyPeer(memory[1], contexts[1], memory[0], (CUcontext)memory, 4), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuMemcpyPeer(memory[1], contexts[1], memory[0], contexts[0], sizeof host + 4), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemcpyPeer(memory[1], contexts[1], (CUdeviceptr)host, contexts[0], 4), CUDA_ERROR_INVALID_VALUE);

    // Kernels do not reach the other's memory, and say so beforehand.
    int value = 9;
    OK(cuDeviceCanAccessPeer(&value, 0, 1));
    CHECK(value == 0);
    OK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    CHECK(value == 0);
    IS(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 1, 1), CUDA_ERROR_INVALID_DEVICE);
    IS(cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)99, 0, 1), CUDA_ERROR_INVALID_VALUE);
    // All memory is the host's.
    CUatomicOperation const operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_CAS};
    unsigned capabilities[2] = {0};
    OK(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 1));
    CHECK(capabilities[0] == (CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION |
                              CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64));
    CHECK((capabilities[1] & CU_ATOMIC_CAPABILITY_SCALAR_128) != 0);
    IS(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 0, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 2), CUDA_ERROR_INVALID_DEVICE);

    IS(cuCtxEnablePeerAccess(contexts[0], 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    IS(cuCtxDisablePeerAccess(contexts[0]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(memory[0]));
    OK(cuMemFree(memory[1]));
}

static void boxes(void) {
    static unsigned short host[depth][height][width], back[depth][height][width];
    CUdeviceptr memory;
    CUarray array;
    for (int i = 0; i < depth * height * width; ++i) (&host[0][0][0])[i] = (unsigned short)(i + 1);
    use(0);
    OK(cuMemAlloc(&memory, sizeof host));
    OK(cuMemcpyHtoD(memory, host, sizeof host));
    use(1);
    CUDA_ARRAY3D_DESCRIPTOR const description = {width, height, depth, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0};
    OK(cuArray3DCreate(&array, &description));
    // From a box of the first device's memory into the second's array, and back beside it.
    CUDA_MEMCPY3D_PEER c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = memory;
    c.srcContext = contexts[0];
    c.srcPitch = width * 2;
    c.srcHeight = height;
    c.srcXInBytes = 4;
    c.srcY = 1;
    c.srcZ = 1;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = array;
    c.dstContext = contexts[1];
    c.dstXInBytes = 10;
    c.WidthInBytes = 12;
    c.Height = 3;
    c.Depth = 2;
    OK(cuMemcpy3DPeer(&c));
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = array;
    c.srcContext = contexts[1];
    c.srcXInBytes = 10;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = memory;
    c.dstContext = contexts[0];
    c.dstPitch = width * 2;
    c.dstHeight = height;
    c.WidthInBytes = 12;
    c.Height = 3;
    c.Depth = 2;
    OK(cuMemcpy3DPeerAsync(&c, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(back, memory, sizeof back));
    for (int z = 0; z < depth; ++z) {
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                int const moved = x < 6 && y < 3 && z < 2;
                CHECK(back[z][y][x] == (moved ? host[z + 1][y + 1][x + 2] : host[z][y][x]));
            }
        }
    }
    c.srcContext = (CUcontext)&c;
    IS(cuMemcpy3DPeer(&c), CUDA_ERROR_INVALID_CONTEXT);
    c.srcContext = contexts[1];
    c.Depth = 4;
    IS(cuMemcpy3DPeer(&c), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
    OK(cuMemFree(memory));
}

static void kernels(char const* path) {
    int results[2][32];
    for (int d = 0; d < 2; ++d) {
        CUmodule module;
        CUfunction multiply;
        CUdeviceptr scale, values;
        int n = 32, factor = 10 + d;
        use(d);
        OK(cuModuleLoad(&module, path));
        OK(cuModuleGetFunction(&multiply, module, "multiply"));
        OK(cuModuleGetGlobal(&scale, NULL, module, "scale"));
        OK(cuMemcpyHtoD(scale, &factor, 4));
        OK(cuMemAlloc(&values, sizeof results[d]));
        OK(cuMemsetD32(values, 2, 32));
        void* arguments[] = {&values, &n};
        OK(cuLaunchKernel(multiply, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
        OK(cuMemcpyDtoH(results[d], values, sizeof results[d]));
        CHECK(results[d][31] == 2 * factor);
        OK(cuMemFree(values));
        OK(cuModuleUnload(module));
    }
}

/* One graph with kernels of both devices, made and launched in either context: each runs where its function is, or in the
   context that is named for a kernel of a library. */
static void graphs(char const* path) {
    int n = 32, results[32];
    CUlibrary library;
    CUkernel anywhere;
    CUmodule modules[2];
    CUfunction multiply[2];
    CUdeviceptr values[2];
    CUstream stream;
    OK(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&anywhere, library, "multiply"));
    for (int d = 0; d < 2; ++d) {
        int const factor = 10 + d;
        CUdeviceptr scale;
        use(d);
        OK(cuModuleLoad(&modules[d], path));
        OK(cuModuleGetFunction(&multiply[d], modules[d], "multiply"));
        OK(cuModuleGetGlobal(&scale, NULL, modules[d], "scale"));
        OK(cuMemcpyHtoD(scale, &factor, 4));
        OK(cuMemAlloc(&values[d], sizeof results));
    }
    for (int d = 0; d < 2; ++d) {
        CUgraph graph;
        CUgraphExec exec;
        CUgraphNode nodes[4];
        CUDA_KERNEL_NODE_PARAMS k;
        CUDA_MEMCPY3D c;
        use(d);
        OK(cuGraphCreate(&graph, 0));
        memset(&k, 0, sizeof k);
        k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
        k.blockDimX = 32;
        void* arguments[2][2] = {{&values[0], &n}, {&values[1], &n}};
        k.func = multiply[0];
        k.kernelParams = arguments[0];
        OK(cuGraphAddKernelNode(&nodes[0], graph, NULL, 0, &k));
        memset(&c, 0, sizeof c);
        c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        c.srcDevice = values[0];
        c.dstDevice = values[1];
        c.srcPitch = c.dstPitch = c.WidthInBytes = sizeof results;
        c.srcHeight = c.dstHeight = c.Height = c.Depth = 1;
        OK(cuGraphAddMemcpyNode(&nodes[1], graph, nodes, 1, &c, contexts[0]));
        k.func = multiply[1];
        k.kernelParams = arguments[1];
        OK(cuGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &k));
        k.func = NULL;
        k.kern = anywhere;
        k.ctx = contexts[0];
        k.kernelParams = arguments[0];
        OK(cuGraphAddKernelNode(&nodes[3], graph, &nodes[1], 1, &k));
        OK(cuGraphInstantiate(&exec, graph, 0));
        for (int launch = 0; launch < 4; ++launch) {
            use(0);
            OK(cuMemsetD32(values[0], 2 + launch, 32));
            OK(cuCtxSynchronize());
            use(launch % 2);
            OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
            OK(cuGraphLaunch(exec, stream));
            OK(cuStreamSynchronize(stream));
            /* All is done, which the check of races learns from each device by itself. */
            use(1 - launch % 2);
            OK(cuCtxSynchronize());
            use(launch % 2);
            OK(cuMemcpyDtoH(results, values[0], sizeof results));
            CHECK(results[0] == (2 + launch) * 10 * 3 && results[31] == results[0]);
            OK(cuMemcpyDtoH(results, values[1], sizeof results));
            CHECK(results[0] == (2 + launch) * 10 * 11 && results[31] == results[0]);
            OK(cuStreamDestroy(stream));
        }
        OK(cuGraphExecDestroy(exec));
        OK(cuGraphDestroy(graph));
    }
    for (int d = 0; d < 2; ++d) {
        use(d);
        OK(cuMemFree(values[d]));
        OK(cuModuleUnload(modules[d]));
    }
    OK(cuLibraryUnload(library));
}

int main(int argc, char** argv) {
    int count = 0;
    if (argc < 2) return 2;
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 2);
    for (int d = 0; d < 2; ++d) OK(cuDevicePrimaryCtxRetain(&contexts[d], d));
    CHECK(contexts[0] != contexts[1]);
    plain();
    boxes();
    kernels(argv[1]);
    graphs(argv[1]);
    return result();
}
