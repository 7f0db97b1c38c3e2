// A clock of the host that is read in a few nanoseconds.
#pragma once

#include <cstdint>
#include <x86intrin.h>

namespace warpsim::sim {

class HostClock {
public:
    static std::uint64_t ticks() { return __rdtsc(); }
    static std::uint64_t nanoseconds(std::uint64_t ticks);
};

}  // namespace warpsim::sim
