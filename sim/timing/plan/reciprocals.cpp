#include "sim/timing/plan/reciprocals.hpp"

#include "sim/timing/plan/operations.hpp"

#include <algorithm>
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
        find_loops();
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (!divides(i)) continue;
            auto& made = made_[{divisor(i), isa::is_signed(m_.form(i).types[0])}];
            bool& shares = m_.instructions[i].shares_reciprocal;
            shares = std::any_of(made.begin(), made.end(), [&](std::uint32_t k) { return serves(k, i); }) ||
                     goes_first(i);
            if (m_.ir(i).guard == ir::none) made.push_back(i);
        }
    }

private:
    struct Loop {
        std::uint32_t head, last;  // blocks; control comes back from the last one
    };

    void find_loops() {
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b)
            for (std::uint32_t const s : m_.function->blocks[b].successors)
                if (s <= b && dominators_.is_reached(b) && dominators_.dominates(s, b)) loops_.push_back({s, b});
        // Outer ones first.
        std::sort(loops_.begin(), loops_.end(),
                  [](Loop const& a, Loop const& b) { return a.last - a.head > b.last - b.head; });
    }

    std::uint32_t divisor(std::uint32_t i) const { return m_.same_value[d_.root[m_.operands(i)[2].index]]; }

    /// By something that the program does not know.
    bool divides(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        if (m_.instructions[i].fate != Fate::issued || !is_one_of(form.operation, Operation::div, Operation::rem))
            return false;
        if (!isa::is_integer(form.types[0]) || isa::width(form.types[0]) > 32) return false;
        ir::Operand const& by = m_.operands(i)[2];
        if (by.kind != ir::Operand::Kind::reg) return false;
        return d_.constant[d_.root[by.index]] != Constant::immediate;
    }

    /// Comes first, by the same value.
    bool serves(std::uint32_t k, std::uint32_t i) const {
        std::uint32_t const a = m_.function->block_of[k], b = m_.function->block_of[i], by = divisor(i);
        bool const never_changes = d_.is_parameter[by] || d_.only_definition[by] != ir::none;
        auto const quotients = m_.writes[k];
        bool const is_overwritten = std::find(quotients.begin(), quotients.end(), by) != quotients.end();
        if (a == b) return k < i && (never_changes || (!is_overwritten && !d_.changes_between(by, k, i)));
        return never_changes && dominators_.dominates(a, b);
    }

    /// In front of the outermost loop that does it in every round and does not change the divisor.
    bool goes_first(std::uint32_t i) {
        std::uint32_t const block = m_.function->block_of[i], root = divisor(i);
        if (m_.ir(i).guard != ir::none) return false;
        for (Loop const& loop : loops_) {
            auto const is_inside = [&](std::uint32_t b) { return loop.head <= b && b <= loop.last; };
            if (!is_inside(block) || !dominators_.dominates(loop.head, block) ||
                !dominators_.dominates(block, loop.last))
                continue;
            if (std::any_of(definitions_[root].begin(), definitions_[root].end(), is_inside)) continue;
            std::uint32_t const before = dominators_.immediate(loop.head);
            if (before == ir::none) continue;
            std::uint32_t const at = last_issued(before);
            if (at == ir::none) continue;
            if (!prepared_.insert({{root, isa::is_signed(m_.form(i).types[0])}, at}).second) return true;
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

    using Divisor = std::pair<std::uint32_t, bool>;  // the register, and whether it has a sign

    MachineFunction& m_;
    Definitions const& d_;
    ir::DominatorTree const& dominators_;
    std::vector<std::vector<std::uint32_t>> definitions_;  // per register: their blocks
    std::vector<Loop> loops_;
    std::map<Divisor, std::vector<std::uint32_t>> made_;    // divisions that make it, or find it made
    std::set<std::pair<Divisor, std::uint32_t>> prepared_;  // and the instruction that makes it
};

}  // namespace

void share_reciprocals(MachineFunction& m, Definitions const& d, ir::DominatorTree const& dominators) {
    Sharer(m, d, dominators).run();
}

}  // namespace warpsim::timing
