// Registers that no block needs from another never enter the data flow; in generated code they are most.
#include "frontend/decode/liveness.hpp"

#include "frontend/decode/backward_flow.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/types.hpp"

#include <array>

namespace warpsim::frontend {
namespace {

using ir::Block;
using ir::Function;
using ir::Instruction;

struct Access {
    std::uint32_t reg = 0;
    bool is_written = false;
};

/// The registers of every instruction, flat: those of instruction i are [first[i], first[i + 1]).
struct Accesses {
    std::vector<Access> list;
    std::vector<std::uint32_t> first;

    std::span<Access const> of(std::uint32_t instruction) const {
        return {list.data() + first[instruction], first[instruction + 1] - first[instruction]};
    }
};

Accesses collect_accesses(ir::Module const& module, Function const& function) {
    Accesses accesses;
    accesses.first.reserve(function.instructions.size() + 1);
    accesses.list.reserve(function.instructions.size() * 3);
    accesses.first.push_back(0);
    for (Instruction const& instruction : function.instructions) {
        ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
            accesses.list.push_back({reg, is_written});
        });
        accesses.first.push_back(static_cast<std::uint32_t>(accesses.list.size()));
    }
    return accesses;
}

/// A register that crosses blocks, as one block sees it.
struct Mention {
    std::uint32_t block = 0;
    std::uint32_t reg = 0;
    bool needed_before = false;  // read before every lane has written it
    bool replaced = false;       // written by every lane that comes through
    bool live_out = false;
};

/// 32-bit hardware registers of a value; predicates have a file of their own.
std::uint32_t units(ir::Type type) {
    if (type == ir::Type::pred) {
        return 0;
    }
    int const bits = isa::width(type);
    return bits <= 32 ? 1 : static_cast<std::uint32_t>(bits) / 32;
}

class Analysis {
public:
    Analysis(ir::Module const& module, Function const& function)
        : function_(function),
          accesses_(collect_accesses(module, function)),
          live_out_units_(function.blocks.size()) {
        result_.intervals.resize(function.registers.size());
        units_.reserve(function.registers.size());
        for (ir::Register const& reg : function.registers) {
            units_.push_back(units(reg.type));
        }
    }

    Liveness run() {
        collect_mentions();
        propagate();
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            scan_backward(b);
        }
        define_parameters();
        result_.pressure = std::max(result_.pressure, 1u);
        return std::move(result_);
    }

private:
    /// Registers are "global" when some block reads them before it has written them.
    void collect_mentions() {
        std::vector<bool> is_global(function_.registers.size(), false);
        std::vector<std::uint32_t> replaced_in(function_.registers.size(), ir::none);
        for_each_access([&](std::uint32_t b, Access access, bool guarded) {
            if (!access.is_written) {
                is_global[access.reg] = is_global[access.reg] || replaced_in[access.reg] != b;
            } else if (!guarded) {
                replaced_in[access.reg] = b;
            }
        });
        // The same walk again, now that it is known which registers are worth a Mention.
        std::vector<std::uint32_t> mention_of(function_.registers.size(), ir::none);
        first_mention_.assign(function_.blocks.size() + 1, 0);
        for_each_access([&](std::uint32_t b, Access access, bool guarded) {
            if (!is_global[access.reg]) {
                return;
            }
            std::uint32_t& index = mention_of[access.reg];
            if (index == ir::none || mentions_[index].block != b) {
                index = static_cast<std::uint32_t>(mentions_.size());
                mentions_.push_back(Mention{.block = b, .reg = access.reg});
                ++first_mention_[b + 1];
            }
            Mention& mention = mentions_[index];
            if (!access.is_written) {
                mention.needed_before = mention.needed_before || !mention.replaced;
            } else if (!guarded) {
                mention.replaced = true;
            }
        });
        for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
            first_mention_[b + 1] += first_mention_[b];
        }
    }

    /// callback(block, access, instruction is guarded), the reads of an instruction before its writes.
    template <class Callback> void for_each_access(Callback&& callback) const {
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            Block const& block = function_.blocks[b];
            for (std::uint32_t i = block.first; i <= block.last; ++i) {
                bool const guarded = function_.instructions[i].guard != ir::none;
                for (bool const writes : {false, true}) {
                    for (Access const& access : accesses_.of(i)) {
                        if (access.is_written == writes) {
                            callback(b, access, guarded);
                        }
                    }
                }
            }
        }
    }

    /// Groups of global registers in the order of first appearance: neighbours live in the same blocks.
    void propagate() {
        std::vector<std::uint32_t> position(function_.registers.size(), ir::none);
        std::vector<std::uint32_t> globals;
        for (Mention const& mention : mentions_) {
            if (position[mention.reg] == ir::none) {
                position[mention.reg] = static_cast<std::uint32_t>(globals.size());
                globals.push_back(mention.reg);
            }
        }
        std::vector<std::vector<std::uint32_t>> groups((globals.size() + RegisterGroup::size - 1) /
                                                       RegisterGroup::size);
        for (std::uint32_t m = 0; m < mentions_.size(); ++m) {
            groups[position[mentions_[m].reg] / RegisterGroup::size].push_back(m);
        }
        BackwardFlow flow(function_.blocks);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            flow.clear();
            for (std::uint32_t m : groups[g]) {
                Mention const& mention = mentions_[m];
                std::size_t const place = position[mention.reg] % RegisterGroup::size;
                if (mention.needed_before) flow.needs(mention.block, place);
                if (mention.replaced) flow.replaces(mention.block, place);
            }
            flow.solve();
            for (std::uint32_t m : groups[g]) {
                Mention& mention = mentions_[m];
                mention.live_out =
                    flow.live_out(mention.block).contains(position[mention.reg] % RegisterGroup::size);
            }
            std::size_t const first = RegisterGroup::size * g;
            record(flow, {globals.data() + first, std::min(RegisterGroup::size, globals.size() - first)});
        }
    }

    /// Extends the intervals over the blocks a register lives through. From each end of the program only the first
    /// block that a register is seen in counts.
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
    void note_pressure() { result_.pressure = std::max(result_.pressure, live_units_); }

    void scan_backward(std::uint32_t b) {
        is_live_.resize(function_.registers.size(), false);
        std::span<Mention const> const mentions{mentions_.data() + first_mention_[b],
                                                first_mention_[b + 1] - first_mention_[b]};
        for (Mention const& mention : mentions) {
            is_live_[mention.reg] = mention.live_out;
        }
        live_units_ = live_out_units_[b];
        note_pressure();
        for (std::uint32_t i = function_.blocks[b].last + 1; i-- > function_.blocks[b].first;) {
            scan_instruction(i);
        }
        for (Mention const& mention : mentions) {
            is_live_[mention.reg] = false;
        }
    }

    void scan_instruction(std::uint32_t i) {
        std::span<Access const> const accesses = accesses_.of(i);
        bool const guarded = function_.instructions[i].guard != ir::none;
        auto const writes = std::count_if(accesses.begin(), accesses.end(), [](Access a) { return a.is_written; });
        ProgramPoint const end_of_reads = writes > 1 ? write_point(i) : read_point(i);
        dead_after_.clear();
        for (Access const& access : accesses) {
            if (access.is_written) {
                result_.intervals[access.reg].extend(write_point(i));
                if (!is_live_[access.reg]) {
                    dead_after_.push_back(access.reg);
                    make_live(access.reg);
                }
            }
        }
        note_pressure();
        for (Access const& access : accesses) {
            if (access.is_written && !guarded) {
                make_dead(access.reg);
            }
        }
        for (std::uint32_t reg : dead_after_) {
            make_dead(reg);
        }
        for (Access const& access : accesses) {
            if (!access.is_written) {
                result_.intervals[access.reg].extend(read_point(i), end_of_reads);
                make_live(access.reg);
            }
        }
        note_pressure();
    }

    /// A caller writes all formal parameters, also those that nothing reads.
    void define_parameters() {
        for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
            if (i < function_.parameter_in_register.size() && function_.parameter_in_register[i]) {
                result_.intervals[function_.parameters[i]].extend(entry_point);
            }
        }
    }

    Function const& function_;
    Accesses accesses_;
    Liveness result_;
    std::vector<std::uint32_t> units_;           // per register
    std::vector<Mention> mentions_;              // in the order of their blocks
    std::vector<std::uint32_t> first_mention_;   // per block
    std::vector<std::uint32_t> live_out_units_;  // per block
    std::vector<bool> is_live_;                  // per register, in the block at work
    std::vector<std::uint32_t> dead_after_;
    std::uint32_t live_units_ = 0;
};

}  // namespace

Liveness find_liveness(ir::Module const& module, ir::Function const& function) {
    return Analysis(module, function).run();
}

}  // namespace warpsim::frontend
