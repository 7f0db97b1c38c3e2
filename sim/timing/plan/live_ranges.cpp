#include "sim/timing/plan/live_ranges.hpp"

#include "sim/timing/plan/temporaries.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace warpsim::timing {

namespace {

struct RangePiece {
    std::uint32_t reg;
    ir::LiveInterval interval;
};

/// Walks each block from its end, so the pieces of a register come in descending order.
class Walk {
public:
    Walk(MachineFunction const& m, ir::BlockLiveness const& live)
        : m_(m), blocks_(live), end_(m.function->registers.size(), 0) {}

    std::vector<RangePiece> run() {
        for (auto b = static_cast<std::uint32_t>(m_.function->blocks.size()); b-- > 0;) block(b);
        define_parameters();
        return std::move(pieces_);
    }

private:
    void block(std::uint32_t b) {
        ir::Block const& block = m_.function->blocks[b];
        for (std::uint32_t const reg : blocks_.out[b]) begin_at_end(reg, ir::write_point(block.last));
        for (std::uint32_t i = block.last + 1; i-- > block.first;) instruction(i);
        ir::ProgramPoint const front = b == 0 ? ir::entry_point : ir::read_point(block.first);
        for (std::uint32_t const reg : blocks_.in[b]) {
            begin_at_end(reg, front);
            finish(reg, front);
        }
    }

    void instruction(std::uint32_t i) {
        auto const writes = m_.machine_writes[i];
        for (std::uint32_t const reg : writes) {
            // What was there before is not needed either where nothing reads the result, as of a guarded atomic.
            bool const is_read = end_[reg] != 0;
            begin_at_end(reg, ir::write_point(i));
            if (!is_read || !m_.keeps_old(i)) finish(reg, ir::write_point(i));
        }
        // An instruction of the hardware has read all its sources before it writes the first of its results.
        for (std::uint32_t const reg : m_.machine_reads[i]) begin_at_end(reg, ir::read_point(i));
    }

    /// A caller writes all formal parameters, even those that nothing reads.
    void define_parameters() {
        ir::Function const& function = *m_.function;
        for (std::size_t i = 0; i < function.parameter_in_register.size(); ++i) {
            std::uint32_t const reg = function.parameters[i];
            if (function.parameter_in_register[i]) pieces_.push_back({reg, {ir::entry_point, ir::entry_point}});
        }
    }

    void begin_at_end(std::uint32_t reg, ir::ProgramPoint point) {
        if (end_[reg] == 0) end_[reg] = point + 1;
    }
    void finish(std::uint32_t reg, ir::ProgramPoint begin) {
        pieces_.push_back({reg, {begin, end_[reg] - 1}});
        end_[reg] = 0;
    }

    MachineFunction const& m_;
    ir::BlockLiveness const& blocks_;
    std::vector<ir::ProgramPoint> end_;  // per register, of the piece at work, plus one; 0: it is not live
    std::vector<RangePiece> pieces_;
};

}  // namespace

bool Occupied::any_meets(Pieces pieces) const {
    return std::any_of(pieces.begin(), pieces.end(), [&](ir::LiveInterval const& piece) {
        auto const behind = begins_behind(piece.end);
        return behind != by_begin_.begin() && std::prev(behind)->end >= piece.begin;
    });
}

void Occupied::add(Pieces pieces) {
    for (ir::LiveInterval const& piece : pieces) by_begin_.insert(begins_behind(piece.begin), piece);
}

std::vector<ir::LiveInterval>::const_iterator Occupied::begins_behind(ir::ProgramPoint point) const {
    return std::upper_bound(by_begin_.begin(), by_begin_.end(), point,
                            [](ir::ProgramPoint p, ir::LiveInterval const& piece) { return p < piece.begin; });
}

LiveRanges::LiveRanges(MachineFunction const& m) : LiveRanges(m, ir::find_block_liveness(machine_uses(m))) {}

LiveRanges::LiveRanges(MachineFunction const& m, ir::BlockLiveness const& live)
    : first_(m.function->registers.size() + 1, 0) {
    std::vector<RangePiece> const found = Walk(m, live).run();
    for (RangePiece const& piece : found) ++first_[piece.reg + 1];
    for (std::size_t reg = 0; reg + 1 < first_.size(); ++reg) first_[reg + 1] += first_[reg];
    std::vector<ir::LiveInterval> sorted(found.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t k = found.size(); k-- > 0;) sorted[next[found[k].reg]++] = found[k].interval;
    // Pieces of neighbouring blocks become one; a new value does not go on with that before it.
    pieces_.reserve(sorted.size());
    for (std::size_t reg = 0; reg + 1 < first_.size(); ++reg) {
        std::uint32_t const begin = first_[reg], end = next[reg];
        first_[reg] = static_cast<std::uint32_t>(pieces_.size());
        for (std::uint32_t k = begin; k < end; ++k) {
            bool const is_new = sorted[k].begin != ir::entry_point && sorted[k].begin % 2 == 0;
            bool const continues =
                !is_new && pieces_.size() > first_[reg] && pieces_.back().end + 1 >= sorted[k].begin;
            if (continues) pieces_.back().extend(sorted[k].begin, sorted[k].end);
            else pieces_.push_back(sorted[k]);
        }
    }
    first_.back() = static_cast<std::uint32_t>(pieces_.size());
}

std::vector<std::uint32_t> find_pressure(MachineFunction const& m, LiveRanges const& ranges) {
    std::vector<std::uint32_t> pressure(2 * m.instructions.size() + 2, 0);
    for (std::uint32_t r = 0; r < m.function->registers.size(); ++r) {
        for (ir::LiveInterval const& piece : ranges.of(r)) {
            pressure[piece.begin] += m.units(r);
            pressure[piece.end + 1] -= m.units(r);  // wraps around; the sums do not
        }
    }
    for (Temporary const& t : find_temporaries(m, ranges)) {
        for (ir::LiveInterval const& piece : t.pieces) {
            pressure[piece.begin] += t.units;
            pressure[piece.end + 1] -= t.units;
        }
    }
    std::partial_sum(pressure.begin(), pressure.end(), pressure.begin());
    return pressure;
}

}  // namespace warpsim::timing
