// Lines of device memory that a copy of the host or a fill has written.
#pragma once

#include "sim/engine/clock.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

struct CopiedLines {
    engine::Cycle at = 0;                // when the copy is over
    std::uint64_t first = 0, past = 0;   // all of them, by number
    std::vector<std::uint64_t> in_l2{};  // those that it leaves in L2 slices of one partition; none: L2 loses all
};

}  // namespace warpsim::timing
