#include "sim/timing/livelock.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

constexpr std::uint32_t looks_at_one_state = 8;
constexpr Cycle patience_at_mbarriers = 1000;

}  // namespace

void LivelockDetector::restart() {
    kept_.clear();
    host_.end();
    released_ = 0;
    interval_ = shortest_interval;
}

void LivelockDetector::keep() {
    kept_.clear();
    for (WarpSample const& s : samples_) kept_.push_back({s.hash, s.executed, false, false});
    looks_ = 0;
}

bool LivelockDetector::look(std::vector<std::unique_ptr<Sm>> const& sms, std::uint64_t begun_and_ended,
                            Cycle now) {
    next_look_ = now + interval_;
    std::uint64_t changes = 0;
    bool quiet = true;
    for (auto const& sm : sms) {
        changes += sm->changes();
        quiet &= sm->is_quiet();
    }
    bool const same = quiet && changes == changes_ && begun_and_ended == begun_and_ended_;
    changes_ = changes;
    begun_and_ended_ = begun_and_ended;
    if (!same) {
        restart();
        return false;
    }
    samples_.clear();
    for (auto const& sm : sms) sm->give_warps(samples_);
    if (samples_.size() != kept_.size()) {
        keep();
        return false;
    }
    // Each warp must return to its state by itself: what it sees does not change, so it will do the same again. A
    // warp that has not moved may be waiting for its loads.
    bool all = true, may_be_released = false;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        WarpSample const& s = samples_[i];
        bool const back = s.hash == kept_[i].hash && (s.is_blocked || s.executed - kept_[i].executed >= s.round);
        kept_[i].came_back |= back;
        // What lanes do that were released in the meantime, after a long wait, is not known yet.
        kept_[i].may_be_released |= s.is_suspended || s.has_waiting_lanes;
        all &= kept_[i].came_back || s.is_suspended;
        may_be_released |= kept_[i].may_be_released;
    }
    if (all) {
        if (may_be_released && released_ != sim::most_releases) {
            ++released_;
            for (auto const& sm : sms) sm->let_go(now + patience_at_mbarriers);
        } else if (host_.is_over()) {
            return true;
        }
        keep();
    } else if (++looks_ == looks_at_one_state) {
        // The state may recur only after many instructions, or belong to a long loop.
        interval_ = std::min(2 * interval_, longest_interval);
        keep();
    }
    return false;
}

}  // namespace warpsim::timing
