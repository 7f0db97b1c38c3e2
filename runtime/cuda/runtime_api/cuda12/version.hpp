// What CUDA 12 lays out in its own way, the same from 12.0 to 12.9.
#pragma once

#include "runtime/cuda/runtime_api/types.hpp"

namespace warpsim::cuda {

inline constexpr int runtime_version = 12090;
inline constexpr std::size_t device_properties_bytes = 1032;
inline constexpr std::size_t resource_view_bytes = 48;

}  // namespace warpsim::cuda

extern "C" {

struct cudaPointerAttributes {
    int type;  // 0 unregistered, 1 host, 2 device, 3 managed
    int device;
    void* devicePointer;
    void* hostPointer;
};

struct cudaResourceDesc {
    int resType;  // array, mipmapped array, linear, pitch 2D
    union {
        void* array;
        cudaLinearMemory linear;
        cudaPitchedMemory pitch2D;
    } res;
};

}  // extern "C"

static_assert(sizeof(cudaPointerAttributes) == 24);
static_assert(sizeof(cudaResourceDesc) == 64);
