#include "sim/host_clock.hpp"

#include <atomic>
#include <chrono>

namespace warpsim::sim {

namespace {

using Steady = std::chrono::steady_clock;

struct Origin {
    Steady::time_point time = Steady::now();
    std::uint64_t ticks = HostClock::ticks();
};

/// The longer one waits the better it is known.
double nanoseconds_of_a_tick() {
    static Origin const origin;
    static std::atomic<double> known{0};
    constexpr double long_enough = 20e6;
    if (double const value = known.load(std::memory_order_relaxed); value != 0) return value;
    double const elapsed = std::chrono::duration<double, std::nano>(Steady::now() - origin.time).count();
    auto const ticks = static_cast<double>(HostClock::ticks() - origin.ticks);
    double const value = ticks > 0 && elapsed > 0 ? elapsed / ticks : 0.4;
    if (elapsed > long_enough) known.store(value, std::memory_order_relaxed);
    return value;
}

}  // namespace

std::uint64_t HostClock::nanoseconds(std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * nanoseconds_of_a_tick());
}

}  // namespace warpsim::sim
