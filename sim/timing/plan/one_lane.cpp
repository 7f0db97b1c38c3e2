#include "sim/timing/plan/one_lane.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::timing {

using isa::Modifier;
using isa::Operation;
using Kind = ir::Operand::Kind;

OneLane::OneLane(MachineFunction const& m, Divergence const& divergence, ir::DominatorTree const& dominators)
    : m_(m), divergence_(divergence), is_alone_(m.function->blocks.size(), false) {
    auto const& blocks = m.function->blocks;
    std::vector<std::uint32_t> ways(blocks.size(), 0);  // that lead to a block
    for (ir::Block const& block : blocks)
        for (std::uint32_t const s : block.successors) ++ways[s];
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        ir::Instruction const& last = m.ir(blocks[b].last);
        bool const branches = ir::effect(*m.module, last) == isa::Effect::branch && last.guard != ir::none;
        if (!branches || blocks[b].successors.size() != 2) continue;
        // The way that falls through begins with the instruction behind the branch.
        for (std::uint32_t const s : blocks[b].successors) {
            bool const falls_through = blocks[s].first == blocks[b].last + 1;
            if (ways[s] != 1 || !is_of_one(last.guard, falls_through == last.guard_negated)) continue;
            for (std::uint32_t d = 0; d < blocks.size(); ++d)
                if (dominators.is_reached(d) && dominators.dominates(s, d)) is_alone_[d] = true;
        }
    }
}

bool OneLane::comes_to(std::uint32_t i) const {
    ir::Instruction const& instruction = m_.ir(i);
    return is_alone_[m_.function->block_of[i]] ||
           (instruction.guard != ir::none && is_of_one(instruction.guard, !instruction.guard_negated));
}

/// Threads count along x.
bool OneLane::is_own(ir::Operand const& o, int depth) const {
    if (o.kind != Kind::reg || depth == 0) return false;
    std::uint32_t const i = m_.only_definition[m_.root[o.index]];
    if (i == ir::none) return false;
    auto const operands = m_.operands(i);
    Operation const operation = m_.form(i).operation;
    if (operation == Operation::mov && operands[1].kind == Kind::special) {
        auto const which = static_cast<ir::SpecialRegister>(operands[1].index);
        return which == ir::SpecialRegister::laneid ||
               (which == ir::SpecialRegister::tid && operands[1].value == 0);
    }
    if (operation != Operation::add && operation != Operation::mad_lo) return false;
    ir::Operand const &a = operands[1], &b = operands.back();
    if (operation == Operation::mad_lo) return is_same(a) && is_same(operands[2]) && is_own(b, depth - 1);
    return (is_same(a) && is_own(b, depth - 1)) || (is_own(a, depth - 1) && is_same(b));
}

bool OneLane::is_same(ir::Operand const& o) const {
    return o.kind == Kind::immediate || (o.kind == Kind::reg && !divergence_.varies(o.index));
}

bool OneLane::is_of_one(std::uint32_t predicate, bool when) const {
    std::uint32_t const i = m_.only_definition[predicate];
    if (i == ir::none || m_.form(i).operation != Operation::setp) return false;
    auto const operands = m_.operands(i);
    bool const asks_equality = m_.form(i).has(when ? Modifier::eq : Modifier::ne);
    if (!asks_equality || operands.size() != 4 || operands[1].kind != Kind::sink) return false;
    return (is_own(operands[2]) && is_same(operands[3])) || (is_own(operands[3]) && is_same(operands[2]));
}

}  // namespace warpsim::timing
