// Clocks of different speeds, all derived from one time in whole picoseconds, so that conversions lose nothing
// over a run and are the same on every machine.
#pragma once

#include <cstdint>

namespace warpsim::engine {

/// Picoseconds since the run began.
using Time = std::uint64_t;
/// Ticks of one clock since the run began.
using Cycle = std::uint64_t;

inline constexpr std::uint64_t never = UINT64_MAX;

/// A clock of a given frequency in MHz whose tick 0 is at time 0. Tick n is at floor(n * 10^6 / MHz): the period
/// need not be a whole number of picoseconds, and rounding errors do not accumulate.
class Clock {
public:
    explicit constexpr Clock(std::uint32_t mhz) : mhz_(mhz) {}

    constexpr Time time_of(Cycle cycle) const {
        return cycle / mhz_ * 1'000'000 + cycle % mhz_ * 1'000'000 / mhz_;
    }
    /// The first tick at or after `time`.
    constexpr Cycle first_at(Time time) const {
        std::uint64_t const microseconds = time / 1'000'000, rest = time % 1'000'000;
        return microseconds * mhz_ + (rest * mhz_ + 999'999) / 1'000'000;
    }
    /// The first tick of this clock at or after tick `cycle` of the other.
    constexpr Cycle first_at(Cycle cycle, Clock other) const {
        return mhz_ == other.mhz_ ? cycle : first_at(other.time_of(cycle));
    }
    constexpr std::uint32_t mhz() const { return mhz_; }

private:
    std::uint32_t mhz_;
};

}  // namespace warpsim::engine
