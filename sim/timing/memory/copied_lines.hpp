// Lines of device memory that a copy of the host or a fill has written, or that L2 holds for another reason.
#pragma once

#include "sim/engine/clock.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

struct LineInL2 {
    std::uint64_t number = 0;
    std::uint8_t valid = 0xf, dirty = 0xf;  // sectors
};

struct CopiedLines {
    engine::Cycle at = 0;               // when the copy is over
    std::uint64_t first = 0, past = 0;  // all of them, by number
    std::vector<LineInL2> in_l2{};      // those that it leaves in L2 slices of one partition; none: L2 loses all
};

}  // namespace warpsim::timing
