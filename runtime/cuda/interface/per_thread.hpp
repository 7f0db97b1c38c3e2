// Second names of functions, for programs built for per-thread default streams.
#pragma once

#include "runtime/cuda/devices/thread.hpp"

namespace warpsim::cuda {

/// Calls a function such that stream 0 is the calling thread's own.
template <auto function> struct WithOwnStream;
template <class R, class... A, R (*function)(A...)>
struct __attribute__((visibility("hidden"))) WithOwnStream<function> {
    static R call(A... arguments) {
        OwnStreamScope const scope;
        return function(arguments...);
    }
};

}  // namespace warpsim::cuda

// The signature of the second function follows from the first, so its parameters need not be written again. It is
// an ifunc: the linker calls the resolver for its address.
#define WARPSIM_PER_THREAD(function, second) WARPSIM_PER_THREAD_NAMED(function, second)
#define WARPSIM_PER_THREAD_NAMED(function, second)                                               \
    extern "C" {                                                                                 \
    __attribute__((visibility("hidden"))) decltype(&function) resolve_##second() {               \
        return &warpsim::cuda::WithOwnStream<&function>::call;                                   \
    }                                                                                            \
    __attribute__((visibility("default"), ifunc("resolve_" #second))) decltype(function) second; \
    }
