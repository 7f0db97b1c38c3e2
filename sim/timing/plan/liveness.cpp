#include "sim/timing/plan/liveness.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::timing {

namespace {

/// Data flow for 64 registers at a time, so that memory grows with the blocks and not with their product with the
/// registers.
class Flow {
public:
    Flow(MachineFunction const& m, Lists const& reads, Lists const& writes)
        : m_(m), function_(*m.function), reads_(reads), writes_(writes) {
        collect();
    }

    BlockLiveness run() {
        std::size_t const blocks = function_.blocks.size();
        std::vector<std::vector<std::uint32_t>> in(blocks), out(blocks);
        std::vector<std::uint64_t> needed(blocks), replaced(blocks), live_in(blocks), live_out(blocks);
        std::size_t next = 0;  // of mentions_, which are sorted by register
        for (std::size_t group = 0; group < globals_.size(); group += 64) {
            std::fill(needed.begin(), needed.end(), 0);
            std::fill(replaced.begin(), replaced.end(), 0);
            std::fill(live_in.begin(), live_in.end(), 0);
            std::fill(live_out.begin(), live_out.end(), 0);
            for (; next < mentions_.size() && mentions_[next].global < group + 64; ++next) {
                std::uint64_t const bit = std::uint64_t{1} << (mentions_[next].global - group);
                if (mentions_[next].is_needed) needed[mentions_[next].block] |= bit;
                if (mentions_[next].is_replaced) replaced[mentions_[next].block] |= bit;
            }
            solve(needed, replaced, live_in, live_out);
            for (std::size_t b = 0; b < blocks; ++b) {
                add(in[b], live_in[b], group);
                add(out[b], live_out[b], group);
            }
        }
        BlockLiveness live;
        for (std::size_t b = 0; b < blocks; ++b) {
            live.in.items.insert(live.in.items.end(), in[b].begin(), in[b].end());
            live.in.end_list();
            live.out.items.insert(live.out.items.end(), out[b].begin(), out[b].end());
            live.out.end_list();
        }
        return live;
    }

private:
    struct Mention {
        std::uint32_t global, block;
        bool is_needed, is_replaced;
    };

    void add(std::vector<std::uint32_t>& list, std::uint64_t bits, std::size_t group) const {
        for (; bits != 0; bits &= bits - 1)
            list.push_back(globals_[group + static_cast<std::size_t>(std::countr_zero(bits))]);
    }

    void solve(std::vector<std::uint64_t> const& needed, std::vector<std::uint64_t> const& replaced,
               std::vector<std::uint64_t>& in, std::vector<std::uint64_t>& out) const {
        bool changed = true;
        while (changed) {
            changed = false;
            for (std::size_t b = function_.blocks.size(); b-- > 0;) {
                std::uint64_t o = 0;
                for (std::uint32_t const s : function_.blocks[b].successors) o |= in[s];
                std::uint64_t const i = needed[b] | (o & ~replaced[b]);
                changed |= i != in[b];
                in[b] = i;
                out[b] = o;
            }
        }
    }

    /// Registers that some block reads before it has written them; in generated code few.
    void collect() {
        std::size_t const registers = function_.registers.size();
        std::vector<std::uint32_t> seen(registers, ir::none), replaced(registers, ir::none);
        std::vector<bool> is_global(registers, false);
        std::vector<std::pair<std::uint32_t, bool>> all;
        each([&](std::uint32_t b, std::uint32_t reg, bool is_written, bool is_guarded) {
            if (!is_written) is_global[reg] = is_global[reg] || replaced[reg] != b;
            else if (!is_guarded) replaced[reg] = b;
        });
        std::vector<std::uint32_t> number(registers, ir::none);
        for (std::uint32_t r = 0; r < registers; ++r) {
            if (!is_global[r]) continue;
            number[r] = static_cast<std::uint32_t>(globals_.size());
            globals_.push_back(r);
        }
        each([&](std::uint32_t b, std::uint32_t reg, bool is_written, bool is_guarded) {
            if (!is_global[reg]) return;
            if (seen[reg] == ir::none || mentions_[seen[reg]].block != b) {
                seen[reg] = static_cast<std::uint32_t>(mentions_.size());
                mentions_.push_back({number[reg], b, false, false});
            }
            Mention& m = mentions_[seen[reg]];
            if (!is_written) m.is_needed = m.is_needed || !m.is_replaced;
            else if (!is_guarded) m.is_replaced = true;
        });
        std::stable_sort(mentions_.begin(), mentions_.end(),
                         [](Mention const& x, Mention const& y) { return x.global < y.global; });
    }
    template <class Callback> void each(Callback&& callback) const {
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            for (std::uint32_t i = function_.blocks[b].first; i <= function_.blocks[b].last; ++i) {
                bool const guarded = m_.keeps_old(i);
                for (std::uint32_t const reg : reads_[i]) callback(b, reg, false, guarded);
                for (std::uint32_t const reg : writes_[i]) callback(b, reg, true, guarded);
            }
        }
    }

    MachineFunction const& m_;
    ir::Function const& function_;
    Lists const& reads_;
    Lists const& writes_;
    std::vector<std::uint32_t> globals_;
    std::vector<Mention> mentions_;
};

}  // namespace

BlockLiveness find_block_liveness(MachineFunction const& m, Lists const& reads, Lists const& writes) {
    return Flow(m, reads, writes).run();
}

std::vector<Interval> find_intervals(MachineFunction const& m, Lists const& reads, Lists const& writes,
                                     BlockLiveness const& live) {
    ir::Function const& function = *m.function;
    std::vector<Interval> intervals(function.registers.size());
    auto const extend = [&](std::uint32_t reg, std::uint32_t point) {
        intervals[reg].begin = std::min(intervals[reg].begin, point);
        intervals[reg].end = std::max(intervals[reg].end, point);
    };
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        ir::Block const& block = function.blocks[b];
        for (std::uint32_t const reg : live.in[b]) extend(reg, b == 0 ? 0 : 2 * block.first + 1);
        for (std::uint32_t const reg : live.out[b]) extend(reg, 2 * block.last + 2);
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            // One with several results may read its sources when it has written the first.
            for (std::uint32_t const reg : reads[i]) {
                extend(reg, 2 * i + 1);
                if (writes[i].size() > 1) extend(reg, 2 * i + 2);
            }
            for (std::uint32_t const reg : writes[i]) extend(reg, 2 * i + 2);
        }
    }
    // A caller writes all parameters, also those that nothing reads.
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
        if (p < function.parameter_in_register.size() && function.parameter_in_register[p])
            extend(function.parameters[p], 0);
    }
    return intervals;
}

}  // namespace warpsim::timing
