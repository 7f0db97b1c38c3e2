// What others see of the GPU, and when they look.
#include "sim/timing/gpu.hpp"

#include "sim/timing/memory/coalescer.hpp"

#include <algorithm>

namespace warpsim::timing {

/// Cycles in which nothing happens are looked at like all others.
void Gpu::let_look(Cycle begin) {
    while (!launched_.empty()) {
        Cycle const at = observer_->next_look();
        if (at > begin) return;
        now_ = std::max(at, done_);
        observer_->look(now_);
    }
}

std::vector<SmView> Gpu::sms() const {
    std::vector<SmView> all;
    for (auto const& sm : sms_) all.push_back(sm->view(now_));
    return all;
}

std::optional<WarpView> Gpu::warp(sim::Warp const& warp) const {
    for (auto const& sm : sms_)
        if (std::optional<WarpView> view = sm->view(warp, now_)) return view;
    return std::nullopt;
}

CacheView Gpu::l1(std::uint32_t sm) const { return sms_[sm]->l1().view(); }

std::vector<CachedLine> Gpu::l1_set(std::uint32_t sm, std::uint32_t set) const {
    return sms_[sm]->l1().set(set, line_bytes);
}

SectoredCache const& Gpu::l2_tags(std::uint32_t slice) const {
    std::uint32_t const per_partition = map_.slices_per_channel();
    return partitions_[slice / per_partition]->tags(slice % per_partition);
}

CacheView Gpu::l2(std::uint32_t slice) const { return l2_tags(slice).view(); }

std::vector<CachedLine> Gpu::l2_set(std::uint32_t slice, std::uint32_t set) const {
    return l2_tags(slice).set(set, line_bytes);
}

MachineText Gpu::machine_text(sim::FunctionPlan const& function, std::uint32_t instruction) const {
    for (Grid const* const grid : launched_) {
        if (grid->machine == nullptr) continue;
        for (CompiledFunction const& f : grid->machine->functions)
            if (f.machine.function == function.function) return timing::machine_text(f, instruction);
    }
    return {};
}

}  // namespace warpsim::timing
