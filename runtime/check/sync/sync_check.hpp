// What the manual forbids of barriers, mbarriers and asynchronous copies, and no fault is where the kernel runs.
#pragma once

#include "runtime/check/sync/barrier_use.hpp"
#include "runtime/check/sync/cluster_use.hpp"
#include "runtime/check/sync/collective_use.hpp"
#include "runtime/check/sync/copy_use.hpp"
#include "runtime/check/sync/mbarrier_use.hpp"

namespace warpsim::check {

class SyncCheck final : public sim::EventSink {
public:
    explicit SyncCheck(Findings& findings) : reporter_(findings) {}

    sim::EventMask wants() const override {
        using enum sim::EventKind;
        return sim::event_mask(launch, cta, barrier, mbarrier, warp_copy, bulk_copy, copy_group, fence, call,
                               collective, remote_access, reconvergence);
    }
    void launch_begins(sim::LaunchBegin const& e) override {
        reporter_.begin(e.launch);
        barriers_.begin();
        mbarriers_.begin();
        copies_.begin();
        clusters_.begin();
        collectives_.begin();
    }
    void launch_ends(sim::LaunchEnd const&) override { reporter_.end(); }
    void cta_ends(sim::CtaEnd const& e) override {
        barriers_.ends(e.cta);
        mbarriers_.ends(e.cta);
        copies_.ends(e.cta);
        clusters_.ends(e.cta);
        collectives_.ends(e.cta);
    }
    void arrives_at_barrier(sim::BarrierArrival const& e) override {
        barriers_.arrives(e);
        clusters_.arrives(e);
    }
    void barrier_releases(sim::BarrierRelease const& e) override {
        barriers_.releases(e);
        mbarriers_.releases(e);
        clusters_.releases(e);
    }
    void mbarrier(sim::MbarrierEvent const& e) override {
        mbarriers_.happens(e);
        clusters_.happens(e);
    }
    void mbarrier_releases(sim::MbarrierRelease const& e) override { mbarriers_.ends_phase(e); }
    void remote_access(sim::RemoteAccessEvent const& e) override { clusters_.accesses(e); }
    void collective(sim::CollectiveEvent const& e) override {
        mbarriers_.meet(e);
        collectives_.meet(e);
    }
    void reconverges(sim::ReconvergenceEvent const& e) override { collectives_.go_on(e); }
    void warp_copies(sim::WarpCopyIssue const& e) override { copies_.issues(e); }
    void bulk_copies(sim::BulkCopyIssue const& e) override {
        copies_.issues(e);
        mbarriers_.issues(e);
    }
    void copy_group(sim::CopyGroupEvent const& e) override { copies_.groups(e); }
    void fence(sim::FenceEvent const& e) override {
        if (e.site.op.effect != isa::Effect::fence) return;
        mbarriers_.fence(e);
        clusters_.fence(e);
    }
    void exits(sim::ExitEvent const& e) override { copies_.exits(e); }

private:
    Reporter reporter_;
    BarrierUse barriers_{reporter_};
    MbarrierUse mbarriers_{reporter_};
    CopyUse copies_{reporter_};
    ClusterUse clusters_{reporter_};
    CollectiveUse collectives_{reporter_};
};

}  // namespace warpsim::check
