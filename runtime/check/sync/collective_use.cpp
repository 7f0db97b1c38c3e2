#include "runtime/check/sync/collective_use.hpp"

#include "runtime/check/sync/only_ends.hpp"
#include "sim/exec/faults.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>

namespace warpsim::check {

using isa::LaneMask;

void CollectiveUse::ends(sim::Cta const& cta) {
    passed_.erase(passed_.lower_bound({cta.linear, 0}), passed_.lower_bound({cta.linear + 1, 0}));
}

/// Lanes go on behind the point where all come together again. If that is without those that wait in an operation, they wait for
/// each other: hardware may do anything, and here those that are at the point go on.
void CollectiveUse::go_on(sim::ReconvergenceEvent const& e) {
    sim::Warp const& warp = e.site.warp;
    bool const has_waiting = std::any_of(warp.splits.begin(), warp.splits.end(), [&](sim::WarpSplit const& split) {
        return split.state == sim::WarpSplit::State::in_collective && (split.lanes & e.lanes) == 0;
    });
    if (!has_waiting) return;
    auto const pc = static_cast<std::uint32_t>(&e.site.op - e.site.frame.function->ops.data());
    if (only_ends(e.site.frame, pc)) return;
    Passed& passed = passed_[{e.site.cta.linear, warp.index}];
    if (passed.lanes == 0) passed.one = doer_of(e.site, std::countr_zero(e.lanes));
    passed.lanes |= e.lanes;
}

void CollectiveUse::meet(sim::CollectiveEvent const& e) {
    auto const found = passed_.find({e.site.cta.linear, e.site.warp.index});
    if (found == passed_.end()) return;
    found->second.lanes &= ~e.together;
    LaneMask const missing = e.members & found->second.lanes;
    if (missing == 0) return;
    reporter_.add(MisuseSort::absent, doer_of(e.site, std::countr_zero(e.lanes)), [&] {
        char mask[16];
        std::snprintf(mask, sizeof mask, "0x%08x", e.members);
        Misuse wrong{"lanes of the mask do not come", ""};
        wrong.message = std::string("the member mask ") + mask + " names " + sim::lanes_text(missing) +
                        ", which " + (std::popcount(missing) == 1 ? "does" : "do") + " not execute it; " +
                        sim::lanes_text(e.together) + (std::popcount(e.together) == 1 ? " does" : " do");
        wrong.verb = "takes part";
        wrong.other = found->second.one;
        wrong.other_verb = "goes on without";
        wrong.notes.emplace_back("move it to where all of them come by, or give it the mask of those that do");
        return wrong;
    });
}

}  // namespace warpsim::check
