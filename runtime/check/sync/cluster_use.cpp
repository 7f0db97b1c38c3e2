#include "runtime/check/sync/cluster_use.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace warpsim::check {

namespace {

bool is_same_warp(Doer const& a, Doer const& b) { return a.cta == b.cta && a.thread / 32 == b.thread / 32; }

}  // namespace

void ClusterUse::add(sim::Cta const& owner, Use const& use) {
    std::vector<Use>& uses = ctas_[owner.linear];
    auto const like = std::find_if(uses.begin(), uses.end(), [&](Use const& known) {
        return known.is_of_mbarrier == use.is_of_mbarrier && is_same_warp(known.by, use.by);
    });
    if (like == uses.end()) uses.push_back(use);
    else *like = use;  // the later one is over later
}

void ClusterUse::accesses(sim::RemoteAccessEvent const& e) {
    add(e.owner, {doer_of(e.site, std::countr_zero(e.lanes)), e.site.cta.linear, false, false});
}

/// An arrival from elsewhere is an access, too, and tells of what the threads of its block have done before: those who wait for
/// a phase of an mbarrier know it.
void ClusterUse::happens(sim::MbarrierEvent const& e) {
    if (e.place.cta == nullptr || e.cause != sim::MbarrierCause::instruction) return;
    bool const is_own = e.cta == e.place.cta->id;
    if (is_own && !e.passed) return;
    auto const found = ctas_.find(e.place.cta->linear);
    if (found != ctas_.end() && is_own) std::erase_if(found->second, [](Use const& use) { return use.is_told; });
    if (is_own) return;
    if (found != ctas_.end())
        for (Use& use : found->second) use.is_told |= use.by.cta == e.cta;
    add(*e.place.cta, {{e.cta, e.thread, {e.by.function, e.by.instruction}}, 0, true, true});
}

/// It releases to whoever acquires; nothing says who does.
void ClusterUse::fence(sim::FenceEvent const& e) {
    for (auto& [owner, uses] : ctas_)
        std::erase_if(uses, [&](Use const& use) {
            return !use.is_of_mbarrier && use.cta == e.site.cta.linear &&
                   is_same_warp(use.by, doer_of(e.site, std::countr_zero(e.lanes)));
        });
}

void ClusterUse::arrives(sim::BarrierArrival const& e) {
    if (e.scope != sim::BarrierScope::cluster || e.waits || ctas_.empty()) return;
    Doer const by = doer_of(e.site, std::countr_zero(e.lanes));
    for (auto& [owner, uses] : ctas_)
        for (Use& use : uses) use.is_told |= is_same_warp(use.by, by);
}

void ClusterUse::releases(sim::BarrierRelease const& e) {
    if (e.scope != sim::BarrierScope::cluster) return;
    if (auto const found = ctas_.find(e.cta.linear); found != ctas_.end())
        std::erase_if(found->second, [](Use const& use) { return use.is_told; });
}

void ClusterUse::ends(sim::Cta const& cta) {
    auto const found = ctas_.find(cta.linear);
    if (found == ctas_.end()) return;
    for (Use const& use : found->second) {
        reporter_.add(MisuseSort::outlived, use.by, [&] {
            Misuse wrong{"shared memory of a block that may have ended", ""};
            std::string const what = use.is_of_mbarrier ? "an mbarrier" : "shared memory";
            wrong.message =
                what + " of block " + dims_text(cta.id) +
                " is used by another block of the cluster, and that block ends without having waited for it";
            wrong.verb = "uses it";
            wrong.notes.emplace_back("barrier.cluster.arrive and wait (cluster.sync()) are missing in both "
                                     "between the use and the end");
            return wrong;
        });
    }
    ctas_.erase(found);
}

}  // namespace warpsim::check
