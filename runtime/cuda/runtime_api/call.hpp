// What every function of the interface does around its work: turn failures into numbers, and remember the last
// one.
#pragma once

#include "runtime/cuda/interface/per_thread.hpp"
#include "runtime/cuda/runtime_api/types.hpp"

#include <new>

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

namespace warpsim::cuda {

inline cudaError_t remember(Result result) {
    // "Not ready" is an answer, no failure.
    if (result != Result::success && result != Result::not_ready) Thread::current().last_error = result;
    return static_cast<cudaError_t>(result);
}

template <class F> cudaError_t call(F&& work) noexcept {
    try {
        work();
        return remember(Result::success);
    } catch (Failure const& failure) {
        return remember(failure.result());
    } catch (std::bad_alloc const&) {
        return remember(Result::out_of_memory);
    } catch (std::exception const&) {
        return remember(Result::unknown);
    }
}

/// `*out = value`, and Failure(invalid_value) for a null `out`.
template <class T, class V> void give(T* out, V const& value) {
    if (out == nullptr) throw Failure(Result::invalid_value);
    *out = static_cast<T>(value);
}

inline std::uint64_t address(void const* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace warpsim::cuda

// For runtime/cuda/interface: functions that both interfaces spell alike but for the beginning of their names, and
// those that the driver numbers.
#define COMMON_FUNCTION(name) WARPSIM_API cudaError_t cuda##name
#define NEWER_FUNCTION(name) WARPSIM_API cudaError_t cuda##name
#define COMMON_PER_THREAD(name) WARPSIM_PER_THREAD(cuda##name, _ptsz)
#define NEWER_PER_THREAD(name) WARPSIM_PER_THREAD(cuda##name, _ptsz)
