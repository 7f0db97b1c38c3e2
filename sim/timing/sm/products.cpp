// Products of warpgroups (wgmma): they queue in front of the tensor units while their warps go on, and a wait for them
// ends when all four warps' parts have ended.
#include "sim/timing/sm/sm.hpp"

#include <algorithm>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;
using sim::warps_of_group;

/// The unit of the warp's sub-core computes one after the other, without a gap between them unless the banks of shared
/// memory are too busy with what copies bring and others read. Simplified: any number of them may wait, mma of single warps
/// does not wait for them, and others do not wait for banks that have operands to give.
void Sm::begin_product(std::uint32_t w, MicroOp const& micro, Cycle now) {
    SubCore& core = sub_cores_[w % sub_core_count_];
    UnitTimes const times = unit_times(w % sub_core_count_, MicroUnit::tensor);
    times.free = times.due = std::max(times.free, now + 1);
    Cycle const used = data_path_.banks_used();
    if (core.products_end <= now) {
        core.operands_end = now;
        core.banks_seen = used;
    }
    core.operands_end += micro.banks + (used - core.banks_seen);
    core.banks_seen = used;
    core.products_end =
        std::max(std::max({core.products_end, times.free, now}) + micro.interval, core.operands_end);
    std::optional<sim::TensorConfig> const& tensor = config_.sm.units->tensor;
    warps_[w].products.last = core.products_end + (tensor ? tensor->warpgroup_tail_cycles : 0);
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
        if (s.code->instructions[s.main].kind == TimedKind::await_products)
            update_wake(other, std::max(now + 1, s.earliest), StallReason::gmma);
    }
    advance(w, now, now + 1, StallReason::wait);
}

Sm::Wait Sm::products_ended(std::uint32_t w, Wait wait) {
    WarpState const& s = warps_[w];
    CtaSlot const& place = cta_slots_[s.place];
    std::uint32_t const left = s.code->instructions[s.main].groups_left,
                        first = s.warp->index / warps_of_group * warps_of_group;
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
