// The layouts that runtime/cuda/runtime_api/types.hpp and device.cpp rely on, as the toolkit's headers have them.
#include "check.hpp"
#include <cstddef>
int main() {
    CHECK(sizeof(cudaPointerAttributes) == 88);
    CHECK(offsetof(cudaPointerAttributes, hostPointer) == 16);
    CHECK(sizeof(cudaFuncAttributes) == 144);
    CHECK(offsetof(cudaFuncAttributes, maxDynamicSharedSizeBytes) == 44);
    CHECK(sizeof(cudaMemcpy3DParms) == 160);
    CHECK(offsetof(cudaMemcpy3DParms, extent) == 128);
    CHECK(sizeof(cudaLaunchAttribute) == 72);
    CHECK(offsetof(cudaLaunchAttribute, val) == 8);
    CHECK(sizeof(cudaLaunchConfig_t) == 56);
    CHECK(offsetof(cudaLaunchConfig_t, numAttrs) == 48);
    CHECK(cudaLaunchAttributeCooperative == 2);
    CHECK(cudaLaunchAttributeClusterDimension == 4);
    CHECK(sizeof(cudaDeviceProp) == 1008);
    CHECK(offsetof(cudaDeviceProp, totalGlobalMem) == 288);
    CHECK(offsetof(cudaDeviceProp, major) == 360);
    CHECK(offsetof(cudaDeviceProp, multiProcessorCount) == 384);
    CHECK(offsetof(cudaDeviceProp, sharedMemPerBlockOptin) == 672);
    CHECK(offsetof(cudaDeviceProp, clusterLaunch) == 748);
    return result();
}
