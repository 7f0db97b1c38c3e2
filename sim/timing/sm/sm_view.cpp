// What others see of an SM.
#include "sim/timing/sm/sm.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;

std::vector<QueueView> DataPath::queues() const {
    std::vector<QueueView> all;
    for (std::size_t i = 0; i + 1 < queues_.size(); ++i)
        all.push_back({"memory operations of sub-core " + std::to_string(i), queues_[i].size(), queue_entries_});
    all.push_back({"texture operations", queues_.back().size(), texture_.queue_entries});
    all.push_back({"L1 misses (MSHRs)", mshrs_.in_use(), mshrs_.entries()});
    all.push_back({"loads in flight", loads_.size() - free_loads_.size(), 0});
    all.push_back({"sectors and writes beyond L1", in_flight_, 0});
    return all;
}

namespace {

/// Registers that are never needed together share an entry of the scoreboard. What waits is what was written last: by the
/// nearest instruction before `next`, in a loop by the nearest one from its end.
std::vector<std::uint32_t> registers_behind(ir::Module const& module, ir::Function const& function,
                                            FunctionTiming const& code, std::uint32_t next, std::uint32_t slot) {
    auto const count = static_cast<std::uint32_t>(code.instructions.size());
    for (std::uint32_t back = 1; back <= count; ++back) {
        std::uint32_t const i = (next + count - back) % count;
        std::vector<std::uint32_t> found;
        ir::for_each_register(module, function, function.instructions[i], [&](std::uint32_t r, bool is_written) {
            if (is_written && board_slot(function, r) == slot) found.push_back(r);
        });
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace

WarpView Sm::view_of(std::uint32_t w, Cycle now) const {
    WarpState const& s = warps_[w];
    WarpView view;
    view.sm = number_;
    view.slot = w;
    view.sub_core = sub_core_of_[w];
    view.launch = &cta_slots_[s.place].grid->launch;
    view.cta = cta_slots_[s.place].resident;
    view.warp = s.warp;
    view.until = wake(w);
    view.reason = s.reason;
    view.since = s.since;
    if (view.until <= now) {  // nothing but its unit can keep it from issuing
        MicroUnit const unit = core(w).wake.unit(seat(w));
        UnitTimes const& times = core(w).units[static_cast<std::size_t>(unit)];
        view.since = std::max(s.since, view.until);
        view.is_ready = times.takes(now);
        view.reason = view.is_ready           ? StallReason::not_selected
                      : times.is_delayed(now) ? StallReason::dispatch_stall
                                              : throttle(unit, *s.timed);
        if (!view.is_ready) view.until = times.is_full() ? never : times.free();
    }
    view.loads = s.pending;
    view.writes = data_path_.writes(w).unacknowledged;
    view.micro = s.micro;
    view.micros = s.timed != nullptr ? s.timed->micros : 0;
    return view;
}

sim::LaunchContext const* Sm::launch_of(sim::Cta const& cta) const {
    for (CtaSlot const& place : cta_slots_)
        if (place.used && place.resident == &cta) return &place.grid->launch;
    return nullptr;
}

std::vector<PendingRegister> Sm::pending_of(std::uint32_t w, Cycle now) const {
    WarpState const& s = warps_[w];
    std::vector<PendingRegister> all;
    if (s.warp->live() == 0 || s.code == nullptr) return all;
    ir::Function const& function = *s.grid->launch.plan.functions[s.function].function;
    std::size_t const first = std::size_t{w} * board_stride_;
    for (std::uint32_t slot = 0; slot < s.code->slots; ++slot) {
        Cycle const ready = board_[first + slot];
        if (ready <= now) continue;
        std::uint8_t const maker = makers_[first + slot];
        PendingRegister pending{{},
                                ready,
                                maker == made_by_memory   ? std::string_view("memory")
                                : maker == made_by_shared ? std::string_view("shared memory")
                                                          : name(static_cast<MicroUnit>(maker)),
                                waits_for_[maker]};
        pending.registers = registers_behind(*s.grid->launch.plan.module, function, *s.code, s.instruction, slot);
        all.push_back(std::move(pending));
    }
    return all;
}

std::optional<WarpView> Sm::view(sim::Warp const& warp, Cycle now) const {
    for (std::uint32_t w = 0; w < most_warps; ++w) {
        if (warps_[w].warp != &warp) continue;
        WarpView view = view_of(w, now);
        view.pending = pending_of(w, now);
        return view;
    }
    return std::nullopt;
}

SmView Sm::view(Cycle now) const {
    SmView view;
    view.number = number_;
    view.ctas = resident_;
    for (std::uint32_t w = 0; w < most_warps; ++w) {
        if (warps_[w].warp != nullptr) view.warps.push_back(view_of(w, now));
    }
    for (auto const& grid : grids_) {
        if (!grid) continue;
        view.micro_ops += grid->statistics.micro_ops;
        view.instructions += grid->statistics.instructions;
        DataPathStatistics const& path = data_path_.statistics(grid->number);
        view.l1_hits += path.tag_hits;
        view.l1_sectors += path.load_sectors;
    }
    view.queues = data_path_.queues();
    return view;
}

}  // namespace warpsim::timing
