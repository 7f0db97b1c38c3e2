// Registers that no block needs from another never enter the data flow; in generated code most are of this kind.
#include "frontend/ir/analysis/liveness.hpp"

#include "frontend/ir/analysis/global_registers.hpp"
#include "frontend/isa/types.hpp"

#include <array>

namespace warpsim::ir {
namespace {

class Scan {
public:
    Scan(RegisterUses const& uses, std::vector<std::uint8_t> const& units)
        : uses_(uses),
          function_(uses.function),
          units_(units),
          globals_(uses),
          live_out_units_(function_.blocks.size()),
          is_live_(function_.registers.size(), false) {
        result_.intervals.resize(function_.registers.size());
    }

    Liveness run() {
        globals_.solve(
            [&](BackwardFlow const& flow, std::span<std::uint32_t const> registers) { record(flow, registers); });
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            scan_backward(b);
        }
        define_parameters();
        return std::move(result_);
    }

private:
    /// Extends the intervals over the blocks that a register is live through. Of all blocks that mention it, only
    /// the first and the last one matter.
    void record(BackwardFlow const& flow, std::span<std::uint32_t const> registers) {
        std::array<RegisterGroup, 5> of_units{};
        for (std::size_t i = 0; i < registers.size(); ++i) {
            of_units[units_[registers[i]]].insert(i);
        }
        auto const extend = [&](RegisterGroup const& group, RegisterGroup& seen, ProgramPoint point) {
            group.without(seen).for_each([&](std::size_t i) { result_.intervals[registers[i]].extend(point); });
            seen |= group;
        };
        auto const extend_in_block = [&](std::uint32_t b, RegisterGroup& seen_in, RegisterGroup& seen_out) {
            ProgramPoint const begin = b == 0 ? entry_point : read_point(function_.blocks[b].first);
            extend(flow.live_in(b), seen_in, begin);
            extend(flow.live_out(b), seen_out, write_point(function_.blocks[b].last));
        };
        RegisterGroup in_from_front, out_from_front, in_from_back, out_from_back;
        std::span<std::uint32_t const> const touched = flow.touched();
        for (std::size_t i = 0; i < touched.size(); ++i) {
            extend_in_block(touched[i], in_from_front, out_from_front);
            extend_in_block(touched[touched.size() - 1 - i], in_from_back, out_from_back);
            for (std::uint32_t u = 1; u < of_units.size(); ++u) {
                live_out_units_[touched[i]] += u * flow.live_out(touched[i]).count_common(of_units[u]);
            }
        }
    }

    void make_live(std::uint32_t reg) {
        if (!is_live_[reg]) {
            is_live_[reg] = true;
            live_units_ += units_[reg];
        }
    }
    void make_dead(std::uint32_t reg) {
        if (is_live_[reg]) {
            is_live_[reg] = false;
            live_units_ -= units_[reg];
        }
    }
    void note_most() { result_.most_live = std::max(result_.most_live, live_units_); }

    void scan_backward(std::uint32_t b) {
        std::span<GlobalRegisters::Mention const> const mentions = globals_.mentions(b);
        for (GlobalRegisters::Mention const& mention : mentions) {
            is_live_[mention.reg] = mention.live_out;
        }
        live_units_ = live_out_units_[b];
        note_most();
        for (std::uint32_t i = function_.blocks[b].last + 1; i-- > function_.blocks[b].first;) {
            scan_instruction(i);
        }
        for (GlobalRegisters::Mention const& mention : mentions) {
            is_live_[mention.reg] = false;
        }
    }

    void scan_instruction(std::uint32_t i) {
        std::span<std::uint32_t const> const reads = uses_.reads[i], writes = uses_.writes[i];
        dead_after_.clear();
        for (std::uint32_t const reg : writes) {
            result_.intervals[reg].extend(write_point(i));
            if (!is_live_[reg]) {
                dead_after_.push_back(reg);
                make_live(reg);
            }
        }
        note_most();
        if (!uses_.keeps_old[i]) {
            for (std::uint32_t const reg : writes) make_dead(reg);
        }
        for (std::uint32_t const reg : dead_after_) make_dead(reg);
        ProgramPoint const end_of_reads = writes.size() > 1 ? write_point(i) : read_point(i);
        for (std::uint32_t const reg : reads) {
            result_.intervals[reg].extend(read_point(i), end_of_reads);
            make_live(reg);
        }
        note_most();
    }

    /// A caller writes all formal parameters, even those that nothing reads.
    void define_parameters() {
        for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
            if (i < function_.parameter_in_register.size() && function_.parameter_in_register[i]) {
                result_.intervals[function_.parameters[i]].extend(entry_point);
            }
        }
    }

    RegisterUses const& uses_;
    Function const& function_;
    std::vector<std::uint8_t> const& units_;
    GlobalRegisters globals_;
    Liveness result_;
    std::vector<std::uint32_t> live_out_units_;  // per block
    std::vector<bool> is_live_;                  // per register, in the block at work
    std::vector<std::uint32_t> dead_after_;
    std::uint32_t live_units_ = 0;
};

}  // namespace

Liveness find_liveness(RegisterUses const& uses, std::vector<std::uint8_t> const& units) {
    return Scan(uses, units).run();
}

Liveness find_liveness(RegisterUses const& uses) {
    std::vector<std::uint8_t> units;
    units.reserve(uses.function.registers.size());
    for (Register const& reg : uses.function.registers) {
        units.push_back(units_of(reg.type));
    }
    return find_liveness(uses, units);
}

std::uint8_t units_of(Type type) {
    if (type == Type::pred) {
        return 0;
    }
    int const bits = isa::width(type);
    // Handles of textures and samplers have no width of their own; they are addresses.
    return static_cast<std::uint8_t>(bits == 0 ? 2 : bits <= 32 ? 1 : bits / 32);
}

BlockLiveness find_block_liveness(RegisterUses const& uses) {
    std::size_t const blocks = uses.function.blocks.size();
    std::vector<std::vector<std::uint32_t>> in(blocks), out(blocks);
    GlobalRegisters(uses).solve([&](BackwardFlow const& flow, std::span<std::uint32_t const> registers) {
        for (std::uint32_t const b : flow.touched()) {
            flow.live_in(b).for_each([&](std::size_t i) { in[b].push_back(registers[i]); });
            flow.live_out(b).for_each([&](std::size_t i) { out[b].push_back(registers[i]); });
        }
    });
    BlockLiveness live;
    auto const append = [](Lists& lists, std::vector<std::uint32_t>& list) {
        std::sort(list.begin(), list.end());
        lists.items.insert(lists.items.end(), list.begin(), list.end());
        lists.end_list();
    };
    for (std::size_t b = 0; b < blocks; ++b) {
        append(live.in, in[b]);
        append(live.out, out[b]);
    }
    return live;
}

std::vector<bool> find_live_at_entry(RegisterUses const& uses) {
    std::vector<bool> is_live(uses.function.registers.size(), false);
    GlobalRegisters(uses).solve([&](BackwardFlow const& flow, std::span<std::uint32_t const> registers) {
        flow.live_in(0).for_each([&](std::size_t i) { is_live[registers[i]] = true; });
    });
    return is_live;
}

std::vector<std::uint32_t> order_by_begin(std::vector<LiveInterval> const& intervals) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t reg = 0; reg < intervals.size(); ++reg) {
        if (!intervals[reg].empty()) {
            order.push_back(reg);
        }
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return intervals[a].begin != intervals[b].begin ? intervals[a].begin < intervals[b].begin : a < b;
    });
    return order;
}

}  // namespace warpsim::ir
