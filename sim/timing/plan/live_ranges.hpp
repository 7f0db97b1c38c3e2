// Exactly where each register holds a value that is still needed: its live range with the holes in it.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::timing {

using Pieces = std::span<ir::LiveInterval const>;

/// When something that values take in turn is in use, as a register or a place in memory.
class Occupied {
public:
    bool meets(Pieces pieces) const {
        if (by_begin_.empty()) return false;
        // Values mostly come in the order in which they are made: then there is nothing behind their only piece.
        ir::LiveInterval const& last = by_begin_.back();
        bool const is_last = pieces.size() == 1 && last.begin <= pieces.front().end;
        return is_last ? last.end >= pieces.front().begin : any_meets(pieces);
    }
    void add(Pieces pieces);

private:
    bool any_meets(Pieces pieces) const;
    std::vector<ir::LiveInterval>::const_iterator begins_behind(ir::ProgramPoint point) const;

    std::vector<ir::LiveInterval> by_begin_;
};

class LiveRanges {
public:
    /// Of what the hardware reads and writes.
    explicit LiveRanges(MachineFunction const& m);
    LiveRanges(MachineFunction const& m, ir::BlockLiveness const& live);

    /// In ascending order, one for each value, or more where it is not needed in between; empty for a register that nothing
    /// mentions.
    Pieces of(std::uint32_t reg) const { return {pieces_.data() + first_[reg], first_[reg + 1] - first_[reg]}; }

private:
    std::vector<std::uint32_t> first_;  // per register
    std::vector<ir::LiveInterval> pieces_;
};

/// How many 32-bit vector registers are live at each point.
std::vector<std::uint32_t> find_pressure(MachineFunction const& m, LiveRanges const& ranges);

}  // namespace warpsim::timing
