// Barriers and operations of warps that are used wrongly.
#pragma once

#include "runtime/check/findings/findings.hpp"
#include "sim/events.hpp"

namespace warpsim::check {

class SyncCheck final : public sim::EventSink {
public:
    explicit SyncCheck(Findings& findings) : findings_(findings) {}

    sim::EventMask wants() const override {
        return sim::event_mask(sim::EventKind::launch, sim::EventKind::undefined, sim::EventKind::fault);
    }
    void launch_begins(sim::LaunchBegin const& e) override { launch_ = &e.launch; }
    void launch_ends(sim::LaunchEnd const&) override { launch_ = nullptr; }
    void undefined(sim::UndefinedEvent const& e) override;
    void fault(sim::FaultEvent const& e) override;

private:
    Findings& findings_;
    sim::LaunchContext const* launch_ = nullptr;
};

}  // namespace warpsim::check
