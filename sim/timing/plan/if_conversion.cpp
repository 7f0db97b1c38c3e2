#include "sim/timing/plan/if_conversion.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/short_paths.hpp"

#include <algorithm>
#include <array>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

constexpr std::uint32_t most_branches = 0xffff;

bool reads_clock(std::span<ir::Operand const> operands) {
    return std::any_of(operands.begin(), operands.end(), [](ir::Operand const& o) {
        using S = ir::SpecialRegister;
        if (o.kind != Kind::special) return false;
        auto const which = static_cast<S>(o.index);
        return which == S::clock || which == S::clock64 || which == S::clock_hi || which == S::pm ||
               which == S::pm64 || which == S::globaltimer || which == S::globaltimer_lo ||
               which == S::globaltimer_hi;
    });
}

class Converter {
public:
    Converter(ir::Module& module, ir::Function& function, sim::Config const& config)
        : module_(module),
          function_(function),
          short_paths_(module, function, config),
          predecessors_(function.blocks.size(), 0),
          is_merged_(function.blocks.size(), false) {
        for (ir::Block const& block : function.blocks) {
            for (std::uint32_t const s : block.successors) ++predecessors_[s];
        }
    }

    GuardedPaths run() {
        for (std::uint32_t b = 0; b < function_.blocks.size();) {
            if (!convert(b)) b = next(b);
        }
        if (result_.branches != 0) compact();
        return std::move(result_);
    }

private:
    struct Mentions {
        std::uint32_t reads = 0, writes = 0;
        std::uint32_t first_write = ir::none;  // on the current path, when no read comes before it
        std::uint32_t path = 0;                // the path that the following counts belong to
        std::uint32_t path_reads = 0, path_writes = 0;
        bool is_read_first = false;
    };

    std::uint32_t next(std::uint32_t b) const {
        do ++b;
        while (b < is_merged_.size() && is_merged_[b]);
        return b;
    }

    /// Turns the branch at the end of the block into guards, if it is suitable.
    bool convert(std::uint32_t b) {
        ir::Block const& block = function_.blocks[b];
        ir::Instruction const& branch = function_.instructions[block.last];
        if (ir::effect(module_, branch) != Effect::branch || branch.guard == ir::none ||
            result_.branches == most_branches)
            return false;
        ir::Form const& form = module_.forms[branch.form];
        std::uint32_t const t = next(b);
        if (form.uniform || t >= function_.blocks.size() || block.successors.size() != 2 || predecessors_[t] != 1)
            return false;
        std::uint32_t const target = function_.block_of[function_.operands_of(branch)[0].index];
        ir::Block const& then = function_.blocks[t];
        if (target <= t || then.successors.size() != 1 || then.first != block.last + 1) return false;
        std::uint32_t meet = then.successors[0];
        std::uint32_t const after = next(t);
        if (meet <= t || only_ends(module_, function_, meet)) return false;
        if (meet == target) {
            Path const path{then.first, then.last};
            if (after != meet || !may_be_guarded({&path, 1}, branch.guard)) return false;
            if (!short_paths_.are_guarded(block, {&path, 1}, function_.blocks[meet])) return false;
            begin();
            guard(block.last, then.first, then.last, !branch.guard_negated, Part::not_taken);
            merge(b, t);
            --predecessors_[meet];
        } else if (after != target) {
            return false;
        } else if (std::uint32_t const end = convert_exchanged(b, t, target, meet); end != ir::none) {
            meet = end;
        } else if (!convert_both(b, t, target, meet)) {
            return false;
        }
        if (predecessors_[meet] == 1) merge(b, meet);
        return true;
    }

    /// The path that does not jump ends with a branch over the other one.
    bool convert_both(std::uint32_t b, std::uint32_t t, std::uint32_t e, std::uint32_t meet) {
        ir::Block const& then = function_.blocks[t];
        ir::Block const& otherwise = function_.blocks[e];
        ir::Instruction const& skip = function_.instructions[then.last];
        ir::Instruction const branch = function_.instructions[function_.blocks[b].last];
        bool const is_diamond = ir::effect(module_, skip) == Effect::branch && skip.guard == ir::none &&
                                predecessors_[e] == 1 && otherwise.successors.size() == 1 &&
                                otherwise.successors[0] == meet && next(e) == meet;
        if (!is_diamond || then.first == then.last) return false;
        std::array const paths{Path{then.first, then.last - 1, true}, Path{otherwise.first, otherwise.last}};
        if (!may_be_guarded(paths, branch.guard) ||
            !short_paths_.are_guarded(function_.blocks[b], paths, function_.blocks[meet]))
            return false;
        begin();
        guard(function_.blocks[b].last, then.first, then.last, !branch.guard_negated, Part::not_taken);
        guard(function_.blocks[b].last, otherwise.first, otherwise.last, branch.guard_negated, Part::taken);
        mark_both(then, otherwise);
        function_.instructions[then.last].form = idle_branch_form(module_, module_.forms[skip.form].source);
        merge(b, t);
        merge(b, e);
        --predecessors_[meet];
        return true;
    }

    /// The path that does not jump is one jump over the other path, to code behind it; so nvcc writes selections:
    ///
    ///         @p bra e;  bra f;
    ///     e:  ...  bra meet;
    ///     f:  ...
    ///     meet:
    ///
    /// Returns where they meet, or none.
    std::uint32_t convert_exchanged(std::uint32_t b, std::uint32_t t, std::uint32_t e, std::uint32_t f) {
        ir::Block const &jump = function_.blocks[t], &taken = function_.blocks[e], &other = function_.blocks[f];
        auto const only_jumps = [&](std::uint32_t i) {
            ir::Instruction const& instruction = function_.instructions[i];
            return ir::effect(module_, instruction) == Effect::branch && instruction.guard == ir::none;
        };
        if (jump.first != jump.last || !only_jumps(jump.last) || next(e) != f || taken.first == taken.last ||
            !only_jumps(taken.last) || predecessors_[e] != 1 || predecessors_[f] != 1)
            return ir::none;
        std::uint32_t const meet = next(f);
        bool const is_diamond = taken.successors.size() == 1 && other.successors.size() == 1 &&
                                taken.successors[0] == meet && other.successors[0] == meet;
        ir::Instruction const branch = function_.instructions[function_.blocks[b].last];
        std::array const paths{Path{taken.first, taken.last - 1, true}, Path{other.first, other.last}};
        if (!is_diamond || only_ends(module_, function_, meet) || !may_be_guarded(paths, branch.guard) ||
            !short_paths_.are_guarded(function_.blocks[b], paths, function_.blocks[meet]))
            return ir::none;
        begin();
        std::uint32_t const last = function_.blocks[b].last;
        guard(last, jump.first, jump.last, !branch.guard_negated, Part::not_taken);
        guard(last, taken.first, taken.last, branch.guard_negated, Part::taken);
        guard(last, other.first, other.last, !branch.guard_negated, Part::not_taken);
        mark_both(taken, other);
        for (std::uint32_t const i : {jump.last, taken.last}) {
            ir::Instruction& skip = function_.instructions[i];
            skip.form = idle_branch_form(module_, module_.forms[skip.form].source);
        }
        for (std::uint32_t const path : {t, e, f}) merge(b, path);
        --predecessors_[meet];
        return meet;
    }

    bool may_be_guarded(std::span<Path const> paths, std::uint32_t predicate) const {
        return std::all_of(paths.begin(), paths.end(), [&](Path const& path) {
            for (std::uint32_t i = path.first; i < path.first + path.length(); ++i) {
                if (!may_be_guarded(function_.instructions[i], predicate)) return false;
            }
            return true;
        });
    }

    bool may_be_guarded(ir::Instruction const& instruction, std::uint32_t predicate) const {
        if (instruction.guard != ir::none) return false;
        ir::Form const& form = module_.forms[instruction.form];
        auto const operands = function_.operands_of(instruction);
        bool writes_predicate = false;
        ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool is_written) {
            writes_predicate |= is_written && (reg == predicate || reg == function_.carry);
        });
        if (writes_predicate) return false;
        switch (ir::effect(module_, instruction)) {
            case Effect::lanes:
            case Effect::convert_address: return true;
            case Effect::move: return !reads_clock(operands);
            case Effect::load:
            case Effect::store:
                if (form.space == isa::StateSpace::param || form.space == isa::StateSpace::param_func)
                    return false;
                return is_one_of(form.operation, Operation::ld, Operation::st) && orders_nothing_else(form.order);
            default: return false;
        }
    }

    /// Accesses in order for others, too, but no fences.
    static bool orders_nothing_else(isa::Order order) {
        using O = isa::Order;
        return order == O::weak || order == O::relaxed || order == O::volatile_;
    }

    void begin() {
        if (result_.branches == 0) {
            result_.places.resize(function_.instructions.size());
            count_mentions();
        }
        ++result_.branches;
    }

    void count_mentions() {
        mentions_.assign(function_.registers.size(), {});
        for (ir::Instruction const& instruction : function_.instructions) {
            ir::for_each_register(module_, function_, instruction, [&](std::uint32_t reg, bool is_written) {
                ++(is_written ? mentions_[reg].writes : mentions_[reg].reads);
            });
        }
    }

    /// The branch becomes idle, and the instructions [first, last] get its predicate as their guard.
    void guard(std::uint32_t branch, std::uint32_t first, std::uint32_t last, bool negated, Part part) {
        ir::Instruction& at = function_.instructions[branch];
        auto const number = static_cast<std::uint16_t>(result_.branches - 1);
        at.form = idle_branch_form(module_, module_.forms[at.form].source);
        result_.places[branch] = {Part::branch, false, number};
        look_at_path(first, last);
        for (std::uint32_t i = first; i <= last; ++i) {
            result_.places[i] = {part, is_private(i), number};
            function_.instructions[i].guard = at.guard;
            function_.instructions[i].guard_negated = negated;
        }
    }

    void look_at_path(std::uint32_t first, std::uint32_t last) {
        ++path_;
        for (std::uint32_t i = first; i <= last; ++i) {
            ir::for_each_register(module_, function_, function_.instructions[i],
                                  [&](std::uint32_t reg, bool is_written) {
                                      Mentions& m = mentions_[reg];
                                      if (m.path != path_) {
                                          m.path = path_;
                                          m.path_reads = m.path_writes = 0;
                                          m.first_write = ir::none;
                                          m.is_read_first = false;
                                      }
                                      if (!is_written) {
                                          ++m.path_reads;
                                          m.is_read_first |= m.path_writes == 0;
                                      } else if (m.path_writes++ == 0) {
                                          m.first_write = i;
                                      }
                                  });
        }
    }

    /// All other mentions of its results are on this path, after it.
    bool is_private(std::uint32_t i) const {
        bool all = true, any = false;
        ir::for_each_register(
            module_, function_, function_.instructions[i], [&](std::uint32_t reg, bool is_written) {
                if (!is_written) return;
                Mentions const& m = mentions_[reg];
                any = true;
                all = all && !m.is_read_first && m.path_reads == m.reads && m.path_writes == m.writes;
            });
        return all && any;
    }

    /// A register that both paths write before reading it is defined in all lanes afterwards.
    void mark_both(ir::Block const& then, ir::Block const& otherwise) {
        look_at_path(then.first, then.last - 1);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> written;  // register, where first
        for (std::uint32_t i = then.first; i < then.last; ++i) {
            ir::for_each_register(
                module_, function_, function_.instructions[i], [&](std::uint32_t reg, bool is_written) {
                    if (is_written && mentions_[reg].first_write == i && !mentions_[reg].is_read_first)
                        written.push_back({reg, i});
                });
        }
        look_at_path(otherwise.first, otherwise.last);
        for (auto const& [reg, i] : written) {
            Mentions const& m = mentions_[reg];
            bool const is_single = count_writes(i) == 1;
            if (is_single && m.path == path_ && m.path_writes != 0 && !m.is_read_first)
                result_.places[i].replaces = true;
        }
    }
    std::size_t count_writes(std::uint32_t i) const {
        std::size_t count = 0;
        ir::for_each_register(module_, function_, function_.instructions[i],
                              [&](std::uint32_t, bool is_written) { count += is_written; });
        return count;
    }

    void merge(std::uint32_t into, std::uint32_t b) {
        ir::Block& block = function_.blocks[into];
        block.last = function_.blocks[b].last;
        block.successors = function_.blocks[b].successors;
        block.reconvergence = function_.blocks[b].reconvergence;
        is_merged_[b] = true;
    }

    /// Removes the blocks that were merged into others.
    void compact() {
        std::vector<std::uint32_t> number(function_.blocks.size(), ir::none);
        std::vector<ir::Block> blocks;
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            if (is_merged_[b]) continue;
            number[b] = static_cast<std::uint32_t>(blocks.size());
            blocks.push_back(std::move(function_.blocks[b]));
        }
        for (std::uint32_t b = 0; b < blocks.size(); ++b) {
            for (std::uint32_t& s : blocks[b].successors) s = number[s];
            if (blocks[b].reconvergence != ir::none) blocks[b].reconvergence = number[blocks[b].reconvergence];
            for (std::uint32_t i = blocks[b].first; i <= blocks[b].last; ++i) function_.block_of[i] = b;
        }
        function_.blocks = std::move(blocks);
    }

    ir::Module& module_;
    ir::Function& function_;
    ShortPaths short_paths_;
    std::vector<std::uint32_t> predecessors_;
    std::vector<bool> is_merged_;
    std::vector<Mentions> mentions_;
    std::uint32_t path_ = 0;
    GuardedPaths result_;
};

}  // namespace

bool is_idle_branch(ir::Form const& form) {
    return form.operation == Operation::bra &&
           isa::rows(isa::HostIsa::baseline)[form.row].effect == Effect::nothing;
}

std::uint32_t idle_branch_form(ir::Module& module, std::uint32_t source) {
    for (std::uint32_t f = 0; f < module.forms.size(); ++f) {
        if (is_idle_branch(module.forms[f]) && module.forms[f].source == source) return f;
    }
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    ir::Form form;
    while (rows[form.row].effect != Effect::nothing) ++form.row;
    form.source = source;
    form.operation = Operation::bra;
    form.text = isa::name(form.operation);
    module.forms.push_back(form);
    return static_cast<std::uint32_t>(module.forms.size() - 1);
}

bool only_ends(ir::Module const& module, ir::Function const& function, std::uint32_t b) {
    ir::Block const& block = function.blocks[b];
    Effect const effect = ir::effect(module, function.instructions[block.last]);
    return block.first == block.last && (effect == Effect::exit || effect == Effect::ret) &&
           function.instructions[block.last].guard == ir::none;
}

GuardedPaths convert_branches(ir::Module& module, ir::Function& function, sim::Config const& config) {
    return Converter(module, function, config).run();
}

}  // namespace warpsim::timing
