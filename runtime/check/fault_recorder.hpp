// What ended launches before their end, kept for those who report on the run as a whole.
#pragma once

#include "runtime/check/findings/recorded_fault.hpp"
#include "sim/events.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace warpsim::check {

/// The allocation of device memory that a wrong address was probably meant for.
std::optional<Finding::Allocation> nearest_allocation(sim::LaunchContext const& launch, std::uint64_t address);

class FaultRecorder final : public sim::EventSink {
public:
    sim::EventMask wants() const override {
        return sim::event_mask(sim::EventKind::launch, sim::EventKind::fault);
    }
    void launch_begins(sim::LaunchBegin const& e) override;
    void launch_ends(sim::LaunchEnd const& e) override;
    void fault(sim::FaultEvent const& e) override;

    /// In the order in which they happened.
    std::vector<RecordedFault> faults() const;

private:
    mutable std::mutex mutex_;
    std::map<sim::LaunchContext const*, std::uint64_t> launches_;  // those that have begun and not ended
    std::uint64_t next_launch_ = 0;
    std::vector<RecordedFault> faults_;
};

}  // namespace warpsim::check
