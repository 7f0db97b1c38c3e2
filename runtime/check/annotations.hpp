// Faults and findings for GitHub, which shows them beside the lines of a change.
#pragma once

#include "runtime/check/findings/finding.hpp"
#include "sim/events.hpp"

#include <mutex>
#include <string>
#include <vector>

namespace warpsim::check {

class Annotations final : public sim::EventSink {
public:
    sim::EventMask wants() const override {
        return sim::event_mask(sim::EventKind::launch, sim::EventKind::fault);
    }
    void launch_begins(sim::LaunchBegin const& e) override;
    void fault(sim::FaultEvent const& e) override;

    /// The commands of all faults, and of findings that are no faults.
    std::string text(std::vector<Finding> const& findings) const;

private:
    mutable std::mutex mutex_;
    sim::LaunchContext const* launch_ = nullptr;               // the last that has begun
    std::vector<std::pair<std::string, std::string>> faults_;  // what, and the command
};

}  // namespace warpsim::check
