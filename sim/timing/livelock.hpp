// Detects livelocks and deadlocks of running grids: every warp waits, or repeats what it did, and nothing changes
// any more.
#pragma once

#include "sim/exec/livelock.hpp"
#include "sim/timing/sm/sm.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpsim::timing {

class LivelockDetector {
public:
    /// For grids that begin in cycle `begin`. `host_wait_seconds`: how long a livelock may last before it is
    /// reported, as the grids may be waiting for the host.
    LivelockDetector(double host_wait_seconds, Cycle begin)
        : next_look_(begin + shortest_interval), host_(host_wait_seconds) {}
    /// Between epochs, in cycle `now`: true when nothing will ever change. `begun_and_ended` counts CTAs. Before
    /// it says so, it releases lanes that wait to reconverge and warps that wait at mbarriers, because others may
    /// be waiting for what these do next.
    bool look(std::vector<std::unique_ptr<Sm>> const& sms, std::uint64_t begun_and_ended, Cycle now);
    Cycle next_look() const { return next_look_; }
    template <class Archive> void state(Archive& archive) {
        archive(kept_, changes_, begun_and_ended_, looks_, released_, interval_, next_look_);
    }

private:
    void restart();
    void keep();

    struct Kept {
        std::uint64_t hash, executed;
        bool came_back;
        bool may_be_released;
    };
    std::vector<Kept> kept_;  // the state of every warp some looks ago; empty: none
    std::vector<WarpSample> samples_;
    std::uint64_t changes_ = 0, begun_and_ended_ = 0;
    std::uint32_t looks_ = 0, released_ = 0;
    Cycle interval_ = shortest_interval;
    Cycle next_look_;
    sim::HostWait host_;

    static constexpr Cycle shortest_interval = 1 << 15, longest_interval = 1 << 22;
};

}  // namespace warpsim::timing
