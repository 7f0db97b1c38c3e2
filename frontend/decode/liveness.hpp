// Where in a function each register holds a value that is still needed.
#pragma once

#include "frontend/ir/module.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpsim::frontend {

/// A place in program order, in half steps: entry_point, then instruction i reads at 2i+1 and writes at 2i+2.
using ProgramPoint = std::uint32_t;
inline constexpr ProgramPoint entry_point = 0;
constexpr ProgramPoint read_point(std::uint32_t instruction) { return 2 * instruction + 1; }
constexpr ProgramPoint write_point(std::uint32_t instruction) { return 2 * instruction + 2; }

/// All points from begin to end, both included; empty for a register that nothing mentions.
struct LiveInterval {
    ProgramPoint begin = UINT32_MAX;
    ProgramPoint end = 0;

    bool empty() const { return begin > end; }
    void extend(ProgramPoint first, ProgramPoint last) {
        begin = std::min(begin, first);
        end = std::max(end, last);
    }
    void extend(ProgramPoint point) { extend(point, point); }
};

struct Liveness {
    /// Per register: the hull, in program order, of everywhere it is live. The sources of an instruction with
    /// several destinations live until after it: it may read them when it has written the first.
    std::vector<LiveInterval> intervals;
    /// 32-bit units of the most registers live at once, predicates not counted.
    std::uint32_t pressure = 0;
};

/// Needs the function's blocks.
Liveness find_liveness(ir::Module const& module, ir::Function const& function);

}  // namespace warpsim::frontend
