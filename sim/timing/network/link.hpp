// One direction of a link between two routers: packets pass it one after another, cut through, so that a packet goes
// on when its first bytes have come.
#pragma once

#include "sim/plugin/plugin.hpp"

#include <algorithm>
#include <cstdint>

namespace warpsim::timing {

struct Link {
    plugin::Cycle free = 0;

    /// A packet that is there in cycle `at` and keeps the link busy for so long: when it begins to pass.
    plugin::Cycle pass(plugin::Cycle at, plugin::Cycle cycles) {
        plugin::Cycle const begin = std::max(at, free);
        free = begin + cycles;
        return begin;
    }
    static plugin::Cycle cycles(std::uint32_t bytes, std::uint32_t bytes_per_cycle) {
        return (bytes + bytes_per_cycle - 1) / bytes_per_cycle;
    }
    template <class Archive> void state(Archive& archive) { archive(free); }
};

}  // namespace warpsim::timing
