// What CUDA 13 lays out in its own way.
#pragma once

#include "runtime/cuda/runtime_api/types.hpp"

namespace warpsim::cuda {

inline constexpr int runtime_version = 13000;
inline constexpr std::size_t device_properties_bytes = 1008;
inline constexpr std::size_t resource_view_bytes = 112;

}  // namespace warpsim::cuda

extern "C" {

struct cudaPointerAttributes {
    int type;  // 0 unregistered, 1 host, 2 device, 3 managed
    int device;
    void* devicePointer;
    void* hostPointer;
    long reserved[8];
};

struct cudaResourceDesc {
    int resType;  // array, mipmapped array, linear, pitch 2D
    union {
        void* array;
        cudaLinearMemory linear;
        cudaPitchedMemory pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};

}  // extern "C"

static_assert(sizeof(cudaPointerAttributes) == 88);
static_assert(sizeof(cudaResourceDesc) == 144);
