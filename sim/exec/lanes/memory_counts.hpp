// How statistics count an access in functional mode.
#pragma once

#include "sim/exec/lanes/transactions.hpp"
#include "sim/exec/op.hpp"
#include "sim/statistics.hpp"

namespace warpsim::sim {

/// `space`: where the addresses are, none of them generic.
inline void count_access(MemoryCounts& counts, SpaceKind space, Addresses const& addresses, Banks banks) {
    if (space == SpaceKind::global) {
        ++counts.global_requests;
        counts.global_sectors += count_sectors(addresses);
    } else if (space == SpaceKind::shared) {
        ++counts.shared_requests;
        counts.shared_bank_conflicts += bank_conflicts(addresses, banks);
    }
}

}  // namespace warpsim::sim
