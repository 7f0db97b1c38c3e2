// A link with a width in bytes per cycle of its own clock; packets pass it one after another.
#pragma once

#include "sim/engine/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace warpsim::timing {

using engine::Cycle;

/// A packet that finds the port free passes at once: the cost of crossing between clock domains is included in the
/// measured latencies.
class Port {
public:
    Port(engine::Clock core, engine::Clock own, std::uint32_t bytes_per_cycle)
        : per_core_cycle_(own.mhz() / std::gcd(core.mhz(), own.mhz())),
          per_cycle_(core.mhz() / std::gcd(core.mhz(), own.mhz())),
          bytes_per_cycle_(std::max(bytes_per_cycle, 1u)) {}

    /// All in core cycles.
    struct Passage {
        Cycle begin;  // the first bytes pass
        Cycle last;   // the last bytes pass
        Cycle end;    // the port is free again
    };
    /// Passes a packet that is ready in cycle `at`.
    Passage pass(Cycle at, std::uint32_t bytes) {
        return take(at, (bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_);
    }
    /// The same when the number of cycles of the port's clock is already known.
    Passage take(Cycle at, Cycle cycles) {
        Cycle const begin = std::max(at * per_core_cycle_, free_);
        set_free(begin + cycles * per_cycle_);
        return {core(begin), core(cycles == 0 ? begin : free_ - per_cycle_), free_in_core_};
    }
    /// The first core cycle in which the port accepts another packet.
    Cycle free() const { return free_in_core_; }
    /// Keeps the port busy until cycle `at`.
    void hold(Cycle at) { set_free(std::max(free_, at * per_core_cycle_)); }
    /// The core cycles that this many bytes take.
    Cycle cycles(std::uint64_t bytes) const {
        return core((bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_ * per_cycle_);
    }
    template <class Archive> void state(Archive& archive) {
        archive(free_);
        set_free(free_);
    }

private:
    void set_free(Cycle time) {
        free_ = time;
        free_in_core_ = core(time);
    }
    Cycle core(Cycle time) const {
        return per_core_cycle_ == 1 ? time : (time + per_core_cycle_ - 1) / per_core_cycle_;
    }

    // Time is counted in the largest unit that divides the cycles of both clocks, so that nothing is lost when
    // neither divides the other.
    std::uint64_t per_core_cycle_, per_cycle_;
    std::uint32_t bytes_per_cycle_;
    Cycle free_ = 0, free_in_core_ = 0;  // the same; it is asked for more often than it changes
};

}  // namespace warpsim::timing
