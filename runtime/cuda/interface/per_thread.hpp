// Second names of functions, for programs built for per-thread default streams.
#pragma once

#include "runtime/cuda/devices/thread.hpp"

namespace warpsim::cuda {

/// A function, called with the calling thread's own stream for stream 0.
template <auto function> struct WithOwnStream;
template <class R, class... A, R (*function)(A...)>
struct __attribute__((visibility("hidden"))) WithOwnStream<function> {
    static R call(A... arguments) {
        OwnStreamScope const scope;
        return function(arguments...);
    }
};

}  // namespace warpsim::cuda

// What the second function does follows from the first, so that its parameters need not be written again: the
// linker asks where the function is.
#define WARPSIM_PER_THREAD(function, second)                                                     \
    extern "C" {                                                                                 \
    __attribute__((visibility("hidden"))) decltype(&function) resolve_##second() {               \
        return &warpsim::cuda::WithOwnStream<&function>::call;                                   \
    }                                                                                            \
    __attribute__((visibility("default"), ifunc("resolve_" #second))) decltype(function) second; \
    }
