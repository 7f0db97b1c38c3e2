// What every function of the interface does around its work: it turns failures into numbers and remembers the last
// one.
#pragma once

#include "runtime/cuda/core/arguments.hpp"
#include "runtime/cuda/interface/call.hpp"
#include "runtime/cuda/interface/per_thread.hpp"
#include "runtime/cuda/runtime_api/types.hpp"

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

namespace warpsim::cuda {

constexpr int driver_version = 13000;  // of libcuda.so.1 beside this library

inline cudaError_t remember(Result result) {
    // "Not ready" is an answer, not a failure.
    if (result != Result::success && result != Result::not_ready) Thread::current().last_error = result;
    return static_cast<cudaError_t>(result);
}

/// work() or work(process).
template <class F> cudaError_t call(F&& work) noexcept { return remember(enter(work)); }

/// For functions that need a context: the one of the device becomes the thread's own.
template <class F> cudaError_t in_context(F&& work) noexcept {
    return call([&](Process& process) {
        process.current();
        work_with(process, work);
    });
}

inline std::uint64_t address(void const* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace warpsim::cuda
