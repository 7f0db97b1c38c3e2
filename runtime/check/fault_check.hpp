// What the simulator takes for a fault or for undefined behaviour, as findings: of memory, where each bad access is left out
// and its thread goes on, or of barriers and operations of warps that are used wrongly.
#pragma once

#include "runtime/check/findings/findings.hpp"
#include "sim/events.hpp"

#include <functional>

namespace warpsim::check {

class FaultCheck final : public sim::EventSink {
public:
    /// `kind` is memory or sync.
    FaultCheck(Findings& findings, Kind kind) : findings_(findings), kind_(kind) {}

    sim::EventMask wants() const override;
    void launch_begins(sim::LaunchBegin const& e) override { launch_ = e.is_watched ? &e.launch : nullptr; }
    void launch_ends(sim::LaunchEnd const&) override { launch_ = nullptr; }
    void bad_access(sim::BadAccessEvent const& e) override;
    void undefined(sim::UndefinedEvent const& e) override;
    void fault(sim::FaultEvent const& e) override;

private:
    void add(sim::Fault const& fault, std::function<void(Finding&)> const& more = {});

    Findings& findings_;
    Kind const kind_;
    sim::LaunchContext const* launch_ = nullptr;
};

}  // namespace warpsim::check
