// What engine tasks need of the host thread that runs them.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// One at least.
inline std::size_t hardware_threads() { return std::max<std::size_t>(std::thread::hardware_concurrency(), 1); }

}  // namespace warpsim::sim
