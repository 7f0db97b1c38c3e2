// The boundary between a program and the rooms: each call of either interface comes in through enter(), which gets
// the process, carries out the call, and turns exceptions into error numbers. Nothing else gets the process.
#pragma once

#include "runtime/cuda/devices/host_guard.hpp"
#include "runtime/cuda/process/process.hpp"

#include <new>
#include <type_traits>
#include <utility>

namespace warpsim::cuda {

/// The work of a call may take the process as its first argument or do without.
template <class F, class... A> decltype(auto) work_with(Process& process, F&& work, A&&... arguments) {
    if constexpr (std::is_invocable_v<F, Process&, A...>) {
        return work(process, std::forward<A>(arguments)...);
    } else {
        return work(std::forward<A>(arguments)...);
    }
}

/// Carries out work(process), or work() for calls that must not create a process.
template <class F> Result enter(F&& work) noexcept {
    HostGuard::Inside const inside;
    try {
        if constexpr (std::is_invocable_v<F, Process&>) work(Process::get());
        else work();
        return Result::success;
    } catch (Failure const& failure) {
        if (Process::exists()) Process::get().checks.fail(Thread::current().id, failure);
        return failure.result();
    } catch (std::bad_alloc const&) {
        return Result::out_of_memory;
    } catch (std::exception const& error) {
        return tell(error);
    }
}

/// A program that asks what an error is called has looked at it.
inline void look_at(int error) {
    if (error != 0 && Process::exists()) Process::get().checks.look(static_cast<Result>(error));
}

/// `*out = value`; throws Failure(invalid_value) for a null `out`.
template <class T, class V> void give(T* out, V const& value) {
    if (out == nullptr) throw Failure(Result::invalid_value);
    *out = static_cast<T>(value);
}

}  // namespace warpsim::cuda
