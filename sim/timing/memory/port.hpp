// A way for so many bytes per cycle of its own clock, through which packets go one behind the other.
#pragma once

#include "sim/engine/clock.hpp"

#include <algorithm>
#include <cstdint>

namespace warpsim::timing {

using engine::Cycle;

class Port {
public:
    Port(engine::Clock core, engine::Clock own, std::uint32_t bytes_per_cycle)
        : core_(core), own_(own), bytes_per_cycle_(std::max(bytes_per_cycle, 1u)) {}

    /// Core cycles.
    struct Passage {
        Cycle begin;   // the first bytes go
        Cycle end;     // the port is free again
    };
    /// A packet that is ready in cycle `at`.
    Passage pass(Cycle at, std::uint32_t bytes) { return take(at, (bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_); }
    /// The same, when it is known how many cycles of the port's clock it takes.
    Passage take(Cycle at, Cycle cycles) {
        Cycle const begin = std::max(own_.first_at(at, core_), free_);
        free_ = begin + cycles;
        return {std::max(at, core_.first_at(begin, own_)), std::max(at, free())};
    }
    /// The first core cycle in which it takes another packet.
    Cycle free() const { return core_.first_at(free_, own_); }
    /// Not before cycle `at`.
    void hold(Cycle at) { free_ = std::max(free_, own_.first_at(at, core_)); }
    /// What so many bytes take, in core cycles.
    Cycle cycles(std::uint64_t bytes) const { return core_.first_at((bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_, own_); }

private:
    engine::Clock core_, own_;
    std::uint32_t bytes_per_cycle_;
    Cycle free_ = 0;   // of its own clock: nothing is lost where the two do not divide
};

}  // namespace warpsim::timing
