#include "runtime/memory_statistics.hpp"

#include "sim/exec/lanes/transactions.hpp"

namespace warpsim::runtime {

using sim::Addresses;
using sim::SpaceKind;

void MemoryStatistics::add_to(sim::MemoryCounts& total) const {
    total.global_requests += counts_.global_requests;
    total.global_sectors += counts_.global_sectors;
    total.shared_requests += counts_.shared_requests;
    total.shared_bank_conflicts += counts_.shared_bank_conflicts;
}

void MemoryStatistics::access(sim::Cta const& cta, sim::Warp const& warp, sim::Op const& op,
                              sim::Access const& access, SpaceKind space, Addresses const& addresses) {
    if (space == SpaceKind::global) {
        ++counts_.global_requests;
        counts_.global_sectors += sim::count_sectors(addresses);
    } else if (space == SpaceKind::shared) {
        ++counts_.shared_requests;
        counts_.shared_bank_conflicts += sim::bank_conflicts(addresses, banks_);
    }
    if (next_ != nullptr) next_->access(cta, warp, op, access, space, addresses);
}

void MemoryStatistics::instruction(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame,
                                   sim::Op const& op, isa::LaneMask active, isa::LaneMask mask) {
    if (next_ != nullptr) next_->instruction(cta, warp, frame, op, active, mask);
}

void MemoryStatistics::diverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame,
                                sim::Op const& op, isa::LaneMask taken, isa::LaneMask not_taken) {
    if (next_ != nullptr) next_->diverged(cta, warp, frame, op, taken, not_taken);
}

void MemoryStatistics::reconverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame,
                                   std::uint32_t pc, isa::LaneMask lanes) {
    if (next_ != nullptr) next_->reconverged(cta, warp, frame, pc, lanes);
}

}  // namespace warpsim::runtime
