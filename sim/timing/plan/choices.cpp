#include "sim/timing/plan/choices.hpp"

#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/operations.hpp"
#include "sim/timing/plan/routines.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

class ChoiceMaker {
public:
    ChoiceMaker(MachineFunction& m, Definitions const& d) : m_(m), d_(d), readers_(m.function->registers.size()) {
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            if (m.instructions[i].fate == Fate::removed && !d.is_joined[i]) continue;
            for (std::uint32_t const reg : m.reads[i]) readers_[d.root[reg]].push_back(i);
        }
    }

    void run() {
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            ir::Form const& f = m_.form(i);
            bool const is_choice = f.operation == Operation::selp && m_.instructions[i].fate == Fate::issued &&
                                   m_.ir(i).guard == ir::none && f.types[0] != isa::Type::pred &&
                                   isa::width(f.types[0]) == 32;
            if (is_choice) choose(i);
        }
    }

private:
    /// Of two such values the later one.
    void choose(std::uint32_t i) {
        auto const o = m_.operands(i);
        std::uint32_t latest = ir::none;
        for (std::uint8_t s = 1; s <= 2; ++s) {
            std::uint32_t const k = maker(i, o[s]);
            if (k == ir::none || !ends(i, o[3 - s]) || (latest != ir::none && k < latest)) continue;
            latest = k;
            m_.instructions[i].chosen = s;
        }
        if (latest != ir::none) m_.instructions[latest].fate = Fate::folded;
    }

    /// What computes the operand in this block, for this choice alone.
    std::uint32_t maker(std::uint32_t i, ir::Operand const& o) const {
        std::uint32_t const k = o.kind == Kind::reg ? d_.only_definition[d_.root[o.index]] : ir::none;
        if (k == ir::none || k > i || m_.function->block_of[k] != m_.function->block_of[i] ||
            readers_[d_.root[o.index]].size() != 1)
            return ir::none;
        bool const computes = m_.instructions[k].fate == Fate::issued && m_.instructions[k].chosen == 0 &&
                              m_.ir(k).guard == ir::none && m_.writes[k].size() == 1 &&
                              ir::effect(*m_.module, m_.ir(k)) == Effect::lanes &&
                              routine_of(m_.form(k)) == nullptr;
        auto const reads = m_.reads[k];
        bool const is_same = std::none_of(reads.begin(), reads.end(),
                                          [&](std::uint32_t reg) { return d_.changes_between(reg, k, i); });
        return computes && is_same ? k : ir::none;
    }

    /// A value of this block, in a register of its own, that nothing reads behind the choice.
    bool ends(std::uint32_t i, ir::Operand const& o) const {
        std::uint32_t const root = o.kind == Kind::reg ? d_.root[o.index] : ir::none;
        if (root == ir::none || d_.constant[root] != Constant::none || d_.only_definition[root] == ir::none)
            return false;
        auto const& readers = readers_[root];
        std::uint32_t const block = m_.function->block_of[i];
        return m_.function->block_of[d_.only_definition[root]] == block &&
               std::all_of(readers.begin(), readers.end(),
                           [&](std::uint32_t k) { return k <= i && m_.function->block_of[k] == block; });
    }

    MachineFunction& m_;
    Definitions const& d_;
    std::vector<std::vector<std::uint32_t>> readers_;  // per register
};

}  // namespace

void make_choices(MachineFunction& m, Definitions const& d) { ChoiceMaker(m, d).run(); }

}  // namespace warpsim::timing
