// Two devices: memory, streams, kernels, variables and failures of each by itself; no access to each other's memory.
// exec: --devices 2
// exec: --devices 2 --check=init,race --error-exitcode 0
#include "check.hpp"
#include <thread>

__device__ int counter;
__global__ void count(int n) { atomicAdd(&counter, n); }
__global__ void fill(int* p, int v) { p[threadIdx.x] = v; }

int main() {
    int devices = 0;
    OK(cudaGetDeviceCount(&devices));
    CHECK(devices == 2);
    IS(cudaSetDevice(2), cudaErrorInvalidDevice);
    cudaGetLastError();
    int* p[2];
    cudaStream_t s[2];
    for (int d = 0; d < 2; ++d) {
        OK(cudaSetDevice(d));
        OK(cudaMalloc(&p[d], 64 * 4));
        OK(cudaStreamCreate(&s[d]));
        cudaPointerAttributes attributes;
        OK(cudaPointerGetAttributes(&attributes, p[d]));
        CHECK(attributes.device == d && attributes.type == cudaMemoryTypeDevice);
        fill<<<1, 64, 0, s[d]>>>(p[d], 10 + d);
        for (int i = 0; i <= d; ++i) count<<<1, 32>>>(1);
        cudaDeviceProp properties;
        OK(cudaGetDeviceProperties(&properties, d));
        CHECK(properties.pciBusID == d + 1);
    }
    CHECK(p[0] != p[1]);
    for (int d = 0; d < 2; ++d) {
        OK(cudaSetDevice(d));
        OK(cudaStreamSynchronize(s[d]));
        int value = 0, v[64];
        OK(cudaMemcpyFromSymbol(&value, counter, 4));      // each device has its own
        CHECK(value == 32 * (d + 1));
        OK(cudaMemcpy(v, p[d], sizeof v, cudaMemcpyDeviceToHost));
        for (int const one : v) CHECK(one == 10 + d);
    }
    int can = 1;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 0);
    IS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    cudaGetLastError();
    // A copy between devices goes without.
    OK(cudaMemcpyPeer(p[1], 1, p[0], 0, 64 * 4));
    int first = 0;
    OK(cudaMemcpy(&first, p[1] + 63, 4, cudaMemcpyDefault));
    CHECK(first == 10);
    // One of two dimensions, and from an array of the one into memory of the other.
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    OK(cudaSetDevice(0));
    OK(cudaMallocArray(&array, &format, 8, 8));
    OK(cudaMemcpy2DToArray(array, 0, 0, p[0], 32, 32, 8, cudaMemcpyDeviceToDevice));
    fill<<<1, 64>>>(p[0], 12);
    cudaMemcpy3DPeerParms peer{};
    peer.srcArray = array;
    peer.srcPos = make_cudaPos(2, 1, 0);
    peer.srcDevice = 0;
    peer.dstPtr = make_cudaPitchedPtr(p[1], 32, 32, 8);
    peer.dstDevice = 1;
    peer.extent = make_cudaExtent(3, 2, 1);
    OK(cudaSetDevice(1));
    fill<<<1, 64>>>(p[1], 77);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy3DPeer(&peer));
    peer.srcArray = nullptr;
    peer.srcPtr = make_cudaPitchedPtr(p[0], 32, 32, 8);
    peer.srcPos = make_cudaPos(0, 3, 0);
    peer.dstPos = make_cudaPos(8, 6, 0);      // bytes
    peer.extent = make_cudaExtent(16, 2, 1);
    OK(cudaMemcpy3DPeerAsync(&peer, s[1]));
    OK(cudaStreamSynchronize(s[1]));
    int plane[8][8];
    OK(cudaMemcpy(plane, p[1], sizeof plane, cudaMemcpyDefault));
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 8; ++x) {
            int const wanted = x < 3 && y < 2 ? 10 : x >= 2 && x < 6 && y >= 6 ? 12 : 77;
            CHECK(plane[y][x] == wanted);
        }
    }
    peer.srcDevice = 5;
    IS(cudaMemcpy3DPeer(&peer), cudaErrorInvalidDevice);
    IS(cudaMemcpyPeer(p[1], 2, p[0], 0, 4), cudaErrorInvalidDevice);
    OK(cudaFreeArray(array));
    int answer = 9;
    OK(cudaDeviceGetP2PAttribute(&answer, cudaDevP2PAttrAccessSupported, 0, 1));
    CHECK(answer == 0);
    IS(cudaDeviceGetP2PAttribute(&answer, cudaDevP2PAttrAccessSupported, 1, 1), cudaErrorInvalidDevice);
    cudaGetLastError();
    // Managed memory is everybody's.
    int* shared;
    OK(cudaMallocManaged(&shared, 64 * 4));
    OK(cudaSetDevice(0));
    fill<<<1, 64>>>(shared, 5);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    fill<<<1, 32>>>(shared, 6);
    OK(cudaDeviceSynchronize());
    CHECK(shared[0] == 6 && shared[63] == 5);
    // A thread begins with device 0.
    std::thread([] {
        int d = -1;
        OK(cudaGetDevice(&d));
        CHECK(d == 0);
    }).join();
    // With the one that it says is to come first.
    std::thread([] {
        int d = -1, order[] = {1, 0}, bad[] = {0, 7};
        IS(cudaSetValidDevices(bad, 2), cudaErrorInvalidDevice);
        OK(cudaSetValidDevices(order, 2));
        OK(cudaFree(nullptr));
        OK(cudaGetDevice(&d));
        CHECK(d == 1);
    }).join();
    // A stream takes kernels and events of its own device alone, and copies of any.
    OK(cudaSetDevice(0));
    cudaEvent_t event, other;
    OK(cudaEventCreate(&event));
    IS(cudaEventRecord(event, s[1]), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(event, s[0]));
    fill<<<1, 64, 0, s[1]>>>(p[0], 4);
    IS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    OK(cudaMemsetAsync(p[1], 1, 4, s[1]));
    OK(cudaSetDevice(1));
    OK(cudaEventCreate(&other));
    OK(cudaStreamWaitEvent(s[1], event, 0));
    OK(cudaEventRecord(other, s[1]));
    OK(cudaEventSynchronize(other));
    float ms = 0;
    IS(cudaEventElapsedTime(&ms, event, other), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    // A copy between two devices in a default stream follows the work of both, and their later work follows it.
    for (int i = 0; i < 50; ++i) {
        OK(cudaSetDevice(1));
        for (int k = 0; k < 20; ++k) fill<<<1, 64>>>(p[1], k);
        fill<<<1, 64>>>(p[1], 1000 + i);
        OK(cudaSetDevice(0));
        OK(cudaMemcpyAsync(p[0], p[1], 64 * 4, cudaMemcpyDefault));
        OK(cudaSetDevice(1));
        fill<<<1, 64>>>(p[1], 5);
        OK(cudaSetDevice(0));
        OK(cudaMemcpy(&first, p[0] + 63, 4, cudaMemcpyDefault));
        CHECK(first == 1000 + i);
    }
    OK(cudaSetDevice(1));
    OK(cudaDeviceSynchronize());
    // A capture that reaches the other device's stream: its kernels run there.
    {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaEvent_t there, back;
        OK(cudaSetDevice(1));
        OK(cudaEventCreate(&back));
        OK(cudaSetDevice(0));
        OK(cudaEventCreate(&there));
        OK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
        fill<<<1, 64, 0, s[0]>>>(p[0], 20);
        OK(cudaEventRecord(there, s[0]));
        OK(cudaSetDevice(1));
        OK(cudaStreamWaitEvent(s[1], there, 0));
        fill<<<1, 64, 0, s[1]>>>(p[1], 21);
        OK(cudaEventRecord(back, s[1]));
        OK(cudaSetDevice(0));
        OK(cudaStreamWaitEvent(s[0], back, 0));
        OK(cudaMemcpyAsync(p[0], p[1], 4, cudaMemcpyDefault, s[0]));
        OK(cudaStreamEndCapture(s[0], &graph));
        OK(cudaGraphInstantiate(&exec, graph, 0));
        for (int i = 0; i < 20; ++i) {
            int found[2] = {};
            OK(cudaMemset(p[0], 0, 64 * 4));
            OK(cudaMemset(p[1], 0, 64 * 4));
            OK(cudaGraphLaunch(exec, s[0]));
            OK(cudaStreamSynchronize(s[0]));
            OK(cudaMemcpy(found, p[0], 8, cudaMemcpyDefault));
            CHECK(found[0] == 21 && found[1] == 20);
        }
        OK(cudaGraphExecDestroy(exec));
        OK(cudaGraphDestroy(graph));
        OK(cudaEventDestroy(there));
        OK(cudaEventDestroy(back));
    }
    // A copy of another device's memory comes behind that one's work.
    OK(cudaSetDevice(0));
    for (int i = 0; i < 50; ++i) fill<<<1, 64, 0, s[0]>>>(p[0], i);
    OK(cudaSetDevice(1));
    OK(cudaMemcpy(&first, p[0], 4, cudaMemcpyDefault));
    CHECK(first == 49);
    // A kernel of device 1 in memory of device 0 fails there, and only there.
    fill<<<1, 32>>>(p[0], 9);
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaSetDevice(0));
    cudaGetLastError();
    fill<<<1, 64>>>(p[0], 3);
    OK(cudaDeviceSynchronize());
    IS(cudaSetDevice(1), cudaSuccess);
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaDeviceSynchronize());
    return result();
}
