#include "sim/timing/plan/reciprocals.hpp"

#include "sim/timing/plan/block_loops.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warpsim::timing {

namespace {

class Sharer {
public:
    Sharer(MachineFunction& m, Definitions const& d, ir::DominatorTree const& dominators)
        : m_(m), d_(d), dominators_(dominators), definitions_(m.function->registers.size()) {
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
            for (std::uint32_t const reg : m.writes[i]) definitions_[reg].push_back(m.function->block_of[i]);
    }

    void run() {
        loops_ = find_block_loops(*m_.function, dominators_);
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (!divides(i)) continue;
            auto& made = made_[divisor(i)];
            MachineInstruction& instruction = m_.instructions[i];
            instruction.divides_by_number = divisor(i).is_number;
            if (std::any_of(made.begin(), made.end(),
                            [&](std::uint32_t k) { return serves(k, i) && divides_alike(k, i); }))
                instruction.division = Division::of_known_quotient;
            else if (std::any_of(made.begin(), made.end(), [&](std::uint32_t k) { return serves(k, i); }) ||
                     goes_first(i))
                instruction.division = Division::by_known_reciprocal;
            if (m_.ir(i).guard == ir::none) made.push_back(i);
        }
    }

private:
    struct Divisor {
        bool is_number, has_sign;
        std::int64_t value;                                // the number, or the register
        auto operator<=>(Divisor const&) const = default;  // NOLINT(modernize-use-nullptr): the check misreads it
    };
    Divisor divisor(std::uint32_t i) const {
        ir::Operand const& by = m_.operands(i)[2];
        bool const has_sign = isa::is_signed(m_.form(i).types[0]);
        if (by.kind != ir::Operand::Kind::reg) return {true, has_sign, by.value};
        std::uint32_t const root = d_.root[by.index];
        if (d_.constant[root] != Constant::immediate) return {false, has_sign, m_.same_value[root]};
        auto const o = m_.operands(d_.only_definition[root]);
        bool const is_plain = o.size() == 2 && o[1].kind == ir::Operand::Kind::immediate;
        return {true, has_sign, is_plain ? o[1].value : -1 - std::int64_t{root}};
    }

    bool divides(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        if (m_.instructions[i].fate != Fate::issued || !is_one_of(form.operation, Operation::div, Operation::rem))
            return false;
        if (!isa::is_integer(form.types[0]) || isa::width(form.types[0]) > 32) return false;
        return m_.operands(i).size() == 3;
    }
    /// The same dividend, which never changes.
    bool divides_alike(std::uint32_t k, std::uint32_t i) const {
        ir::Operand const &a = m_.operands(k)[1], &b = m_.operands(i)[1];
        if (a.kind != ir::Operand::Kind::reg || b.kind != ir::Operand::Kind::reg) return false;
        std::uint32_t const of = m_.same_value[d_.root[a.index]];
        return of == m_.same_value[d_.root[b.index]] &&
               (d_.is_parameter[of] || d_.only_definition[of] != ir::none);
    }

    /// Comes first, by the same value.
    bool serves(std::uint32_t k, std::uint32_t i) const {
        std::uint32_t const a = m_.function->block_of[k], b = m_.function->block_of[i];
        if (divisor(i).is_number) return a == b ? k < i : dominators_.dominates(a, b);
        auto const by = static_cast<std::uint32_t>(divisor(i).value);
        bool const never_changes = d_.is_parameter[by] || d_.only_definition[by] != ir::none;
        auto const quotients = m_.writes[k];
        bool const is_overwritten = std::find(quotients.begin(), quotients.end(), by) != quotients.end();
        if (a == b) return k < i && (never_changes || (!is_overwritten && !d_.changes_between(by, k, i)));
        return never_changes && dominators_.dominates(a, b);
    }

    /// In front of the outermost loop that does it in every round and does not change the divisor.
    bool goes_first(std::uint32_t i) {
        if (m_.ir(i).guard != ir::none || divisor(i).is_number) return false;
        std::uint32_t const block = m_.function->block_of[i];
        auto const root = static_cast<std::uint32_t>(divisor(i).value);
        for (BlockLoop const& loop : loops_) {
            auto const is_inside = [&](std::uint32_t b) { return loop.contains(b); };
            if (!is_inside(block) || !dominators_.dominates(loop.head, block) ||
                !dominators_.dominates(block, loop.last))
                continue;
            if (std::any_of(definitions_[root].begin(), definitions_[root].end(), is_inside)) continue;
            std::uint32_t const before = dominators_.immediate(loop.head);
            if (before == ir::none) continue;
            std::uint32_t const at = last_issued(before);
            if (at == ir::none) continue;
            if (!prepared_.insert({divisor(i), at}).second) return true;
            std::uint8_t& reciprocals = m_.instructions[at].reciprocals;
            reciprocals = static_cast<std::uint8_t>(std::min(reciprocals + 1, 16));
            return true;
        }
        return false;
    }

    std::uint32_t last_issued(std::uint32_t block) const {
        ir::Block const& b = m_.function->blocks[block];
        for (std::uint32_t i = b.last + 1; i-- > b.first;)
            if (m_.instructions[i].fate == Fate::issued) return i;
        return ir::none;
    }

    MachineFunction& m_;
    Definitions const& d_;
    ir::DominatorTree const& dominators_;
    std::vector<std::vector<std::uint32_t>> definitions_;  // per register: their blocks
    std::vector<BlockLoop> loops_;
    std::map<Divisor, std::vector<std::uint32_t>> made_;    // divisions that make it, or find it made
    std::set<std::pair<Divisor, std::uint32_t>> prepared_;  // and the instruction that makes it
};

}  // namespace

void share_reciprocals(MachineFunction& m, Definitions const& d, ir::DominatorTree const& dominators) {
    Sharer(m, d, dominators).run();
}

}  // namespace warpsim::timing
