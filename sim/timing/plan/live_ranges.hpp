// Exactly where each register holds a value that is still needed: its live range with the holes in it.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace warpsim::timing {

using Pieces = std::span<ir::LiveInterval const>;

/// When something that values take in turn is in use, as a register or a place in memory.
class Occupied {
public:
    /// `apart`: how many points must lie between any two pieces.
    bool meets(Pieces pieces, std::uint32_t apart = 0) const;
    void add(Pieces pieces);

private:
    std::map<ir::ProgramPoint, ir::ProgramPoint> by_begin_;
};

class LiveRanges {
public:
    /// Of what the hardware reads and writes.
    explicit LiveRanges(MachineFunction const& m);

    /// In ascending order, with a gap between each and the next; empty for a register that nothing mentions.
    Pieces of(std::uint32_t reg) const { return {pieces_.data() + first_[reg], first_[reg + 1] - first_[reg]}; }

private:
    std::vector<std::uint32_t> first_;  // per register
    std::vector<ir::LiveInterval> pieces_;
};

/// How many 32-bit vector registers are live at each point.
std::vector<std::uint32_t> find_pressure(MachineFunction const& m, LiveRanges const& ranges);

}  // namespace warpsim::timing
