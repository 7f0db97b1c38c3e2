// Products of warpgroups (wgmma): they queue in front of the tensor units while their warps go on, and a wait for them
// ends when all four warps' parts have ended.
#include "sim/timing/sm/sm.hpp"

#include <algorithm>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;
using sim::warps_of_group;

/// The unit of the warp's sub-core computes one after the other, without a gap between them: the banks of shared memory
/// give their operands, once for the four warps, before anything that others read or write there (CIC). When the queue is
/// full, the next has to wait for the first to leave the unit. Simplified: mma of single warps does not wait for them.
void Sm::begin_product(std::uint32_t w, MicroOp const& micro, Cycle now) {
    SubCore& core = this->core(w);
    Cycle until = now + 1;
    Cycle const begin = std::max(core.products_end, until);
    core.products_end = begin + micro.interval;
    if (warps_[w].warp->index % warps_of_group == 0) data_path_.give_operands(begin, micro.banks, now);
    warps_[w].products.last = begin + micro.wait;
    if (!core.product_ends.empty()) {
        core.product_ends[core.products++ % core.product_ends.size()] = core.products_end;
        until = std::max(until, core.product_ends[core.products % core.product_ends.size()]);
    }
    occupy(sub_core_of_[w], MicroUnit::tensor, now, until);
}

/// Warps of the group may wait for this one to have issued as much as they have.
void Sm::commit_products(std::uint32_t w, Cycle now) {
    warps_[w].products.commit();
    CtaSlot const& place = cta_slots_[warps_[w].place];
    std::uint32_t const first = warps_[w].warp->index / warps_of_group * warps_of_group;
    for (std::uint32_t part = 0; part < warps_of_group && first + part < place.warps.size(); ++part) {
        std::uint32_t const other = place.warps[first + part];
        WarpState const& s = warps_[other];
        bool const is_here = s.warp != nullptr && s.grid == warps_[w].grid && s.place == warps_[w].place;
        if (other == w || !is_here || s.blocked || s.held || wake(other) != never) continue;
        if (s.timed->kind == TimedKind::await_products)
            update_wake(other, std::max(now + 1, s.earliest), StallReason::gmma);
    }
    advance(w, now, now + 1, StallReason::wait);
}

Sm::Wait Sm::products_ended(std::uint32_t w, Wait wait) {
    WarpState const& s = warps_[w];
    CtaSlot const& place = cta_slots_[s.place];
    std::uint32_t const left = s.timed->groups_left, first = s.warp->index / warps_of_group * warps_of_group;
    if (s.products.committed <= left) return wait;
    std::uint32_t const group = s.products.committed - left - 1;
    for (std::uint32_t part = 0; part < warps_of_group && first + part < place.warps.size(); ++part) {
        WarpState const& other = warps_[place.warps[first + part]];
        // The interpreter reports a wait for a warp that has ended.
        if (other.warp != &place.resident->warps[first + part]) continue;
        Cycle const end =
            other.products.committed <= group ? never : other.products.groups[group % WarpProducts::kept];
        if (end > wait.until) wait = {end, StallReason::gmma};
    }
    return wait;
}

}  // namespace warpsim::timing
