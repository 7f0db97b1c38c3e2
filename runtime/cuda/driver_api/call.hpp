// What every function of the interface does around its work: ask whether there is a context, and turn failures
// into numbers.
#pragma once

#include "runtime/cuda/driver_api/types.hpp"
#include "runtime/cuda/interface/per_thread.hpp"

#include <new>

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

namespace warpsim::cuda::driver {

inline CUresult number_of(Result result) { return static_cast<CUresult>(as_driver_error(result)); }

/// For functions that need nothing but cuInit(), which the first call of the runtime's interface does as well.
template <class F> CUresult call(F&& work) noexcept {
    if (!Process::exists()) return number_of(Result::not_initialized);
    try {
        work();
        return 0;
    } catch (Failure const& failure) {
        return number_of(failure.result());
    } catch (std::bad_alloc const&) {
        return number_of(Result::out_of_memory);
    } catch (std::exception const&) {
        return number_of(Result::unknown);
    }
}

/// The device of the calling thread's context. Throws Failure(invalid_context) when there is none, or
/// Failure(context_is_destroyed).
Gpu& current_gpu();

/// For functions that need a context: work(gpu).
template <class F> CUresult in_context(F&& work) noexcept {
    return call([&] { work(current_gpu()); });
}
/// For functions of a stream: work(stream), with the null stream as the thread's call says.
template <class F> CUresult in_stream(CUstream handle, F&& work) noexcept {
    return call([&] {
        current_gpu();
        auto const stream = Process::get().stream(handle);
        work(*stream);
    });
}

/// `*out = value`, and Failure(invalid_value) for a null `out`.
template <class T, class V> void give(T* out, V const& value) {
    if (out == nullptr) throw Failure(Result::invalid_value);
    *out = static_cast<T>(value);
}

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline std::uint64_t number(void const* address) { return reinterpret_cast<std::uint64_t>(address); }

}  // namespace warpsim::cuda::driver

// For runtime/cuda/interface: functions that both interfaces spell alike but for the beginning of their names, and
// those that the driver numbers.
#define COMMON_FUNCTION(name) WARPSIM_API CUresult cu##name
#define NEWER_FUNCTION(name) WARPSIM_API CUresult cu##name##_v2
#define COMMON_PER_THREAD(name) WARPSIM_PER_THREAD(cu##name, _ptsz)
#define NEWER_PER_THREAD(name) WARPSIM_PER_THREAD(cu##name##_v2, _ptsz)
