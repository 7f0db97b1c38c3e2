// Accesses to memory that a thread may not make. Each is left out, and its thread goes on.
#pragma once

#include "runtime/check/findings/findings.hpp"
#include "sim/events.hpp"

namespace warpsim::check {

class MemoryCheck final : public sim::EventSink {
public:
    explicit MemoryCheck(Findings& findings) : findings_(findings) {}

    sim::EventMask wants() const override {
        return sim::event_mask(sim::EventKind::launch, sim::EventKind::bad_access, sim::EventKind::fault);
    }
    void launch_begins(sim::LaunchBegin const& e) override { launch_ = &e.launch; }
    void launch_ends(sim::LaunchEnd const&) override { launch_ = nullptr; }
    void bad_access(sim::BadAccessEvent const& e) override;
    void fault(sim::FaultEvent const& e) override;

private:
    Findings& findings_;
    sim::LaunchContext const* launch_ = nullptr;
};

}  // namespace warpsim::check
