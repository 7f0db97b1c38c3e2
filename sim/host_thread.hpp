// What engine tasks need of the host thread that runs them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <xmmintrin.h>

namespace warpsim::sim {

/// Lane functions rely on the default floating-point environment; the host program may have set another.
class DefaultFloatingPoint {
public:
    DefaultFloatingPoint() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
    ~DefaultFloatingPoint() { _mm_setcsr(saved_); }
    DefaultFloatingPoint(DefaultFloatingPoint const&) = delete;
    DefaultFloatingPoint& operator=(DefaultFloatingPoint const&) = delete;

private:
    unsigned saved_;
};

/// Orders tasks after what came before give(), and what follows take() after the tasks, in operations that the
/// thread sanitizer sees: it does not see those inside oneTBB, which is not instrumented. The task group must be
/// made before.
class Handover {
public:
    void give() { count_.fetch_add(1, std::memory_order_release); }
    void take() const { static_cast<void>(count_.load(std::memory_order_acquire)); }
    /// Calls `task(argument)` between the two.
    template <class Task> void run(Task const& task, std::size_t argument) {
        take();
        task(argument);
        give();
    }

private:
    std::atomic<std::uint32_t> count_{0};
};

/// What a task group runs: its captures are read before the handover, so the sanitizer must not look.
#define WARPSIM_TASK(handover, task, argument) \
    [&handover, &task, argument ]() __attribute__((no_sanitize("thread"))) { handover.run(task, argument); }

/// One at least.
inline std::size_t hardware_threads() { return std::max<std::size_t>(std::thread::hardware_concurrency(), 1); }

}  // namespace warpsim::sim
