// What every function of the interface does around its work: it checks for a context and turns failures into
// numbers.
#pragma once

#include "runtime/cuda/core/arguments.hpp"
#include "runtime/cuda/driver_api/types.hpp"
#include "runtime/cuda/interface/call.hpp"
#include "runtime/cuda/interface/per_thread.hpp"

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

namespace warpsim::cuda::driver {

inline CUresult number_of(Result result) { return static_cast<CUresult>(as_driver_error(result)); }

/// For functions that need nothing but cuInit(), which the first call of the runtime's interface performs as well:
/// work() or work(process).
template <class F> CUresult call(F&& work) noexcept {
    if (!Process::exists()) return number_of(Result::not_initialized);
    Result const result = enter(work);
    return result == Result::success ? 0 : number_of(result);
}

/// The device of the calling thread's context. Throws Failure(invalid_context) when there is none, or
/// Failure(context_is_destroyed).
Gpu& current_gpu(Process& process);

/// For functions that need a context: work(gpu) or work(process, gpu).
template <class F> CUresult in_context(F&& work) noexcept {
    return call([&](Process& process) { work_with(process, work, current_gpu(process)); });
}
/// For functions of a stream: work(stream) or work(process, stream). Which stream 0 is depends on the thread's
/// call.
template <class F> CUresult in_stream(CUstream handle, F&& work) noexcept {
    return call([&](Process& process) {
        current_gpu(process);
        auto const stream = process.stream(handle);
        work_with(process, work, *stream);
    });
}

inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline std::uint64_t number(void const* address) { return reinterpret_cast<std::uint64_t>(address); }

}  // namespace warpsim::cuda::driver
