#include "sim/timing/plan/values.hpp"

#include <algorithm>
#include <tuple>

namespace warpsim::timing {

namespace {

std::uint32_t instruction_at(ir::ProgramPoint point) { return (point - 1) / 2; }

/// Inside of one block, so that no other piece can be of the same value.
bool is_local(MachineFunction const& m, ir::LiveInterval const& piece) {
    bool const is_defined = piece.begin != ir::entry_point && piece.begin % 2 == 0;
    if (!is_defined) return false;
    std::uint32_t const block = m.function->block_of[instruction_at(piece.begin)];
    std::uint32_t const last = instruction_at(piece.end);
    return m.function->block_of[last] == block && piece.end < ir::write_point(m.function->blocks[block].last);
}

}  // namespace

Values::Values(MachineFunction const& m, LiveRanges const& ranges)
    : temporaries_(find_temporaries(m, ranges)), read_by_(m.instructions.size()) {
    for (std::uint32_t reg = 0; reg < m.function->registers.size(); ++reg) {
        std::uint32_t const units = m.units(reg);
        if (units == 0) continue;
        std::uint32_t rest = ir::none;  // the value of all pieces that are not local
        for (ir::LiveInterval const& piece : ranges.of(reg)) {
            bool const is_own = is_local(m, piece);
            std::uint32_t const value =
                is_own || rest == ir::none ? static_cast<std::uint32_t>(all_.size()) : rest;
            if (value == all_.size()) all_.push_back({reg, units, {}});
            if (!is_own) rest = value;
            all_[value].pieces.push_back(piece);
            begins_.push_back({reg, piece.begin, value});
        }
    }
    for (Temporary const& t : temporaries_) {
        for (std::uint32_t const i : t.readers) read_by_[i].push_back(static_cast<std::uint32_t>(all_.size()));
        all_.push_back({ir::none, t.units, t.pieces});
    }
}

std::uint32_t Values::at(std::uint32_t reg, ir::ProgramPoint point) const {
    auto const behind = std::upper_bound(
        begins_.begin(), begins_.end(), std::pair(reg, point),
        [](auto const& at, Begin const& begin) { return at < std::pair(begin.reg, begin.point); });
    return std::prev(behind)->value;
}

}  // namespace warpsim::timing
