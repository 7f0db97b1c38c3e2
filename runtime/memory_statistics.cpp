#include "runtime/memory_statistics.hpp"

#include "sim/exec/op.hpp"

namespace warpsim::runtime {

using sim::SpaceKind;

void MemoryStatistics::add_to(sim::MemoryCounts& total) const {
    total.global_requests += counts_.global_requests;
    total.global_sectors += counts_.global_sectors;
    total.shared_requests += counts_.shared_requests;
    total.shared_bank_conflicts += counts_.shared_bank_conflicts;
}

void MemoryStatistics::access(sim::AccessEvent const& event) {
    if (event.space == SpaceKind::global) {
        ++counts_.global_requests;
        counts_.global_sectors += sim::count_sectors(event.addresses);
    } else if (event.space == SpaceKind::shared) {
        ++counts_.shared_requests;
        counts_.shared_bank_conflicts += sim::bank_conflicts(event.addresses, banks_);
    }
}

}  // namespace warpsim::runtime
