#include "sim/timing/plan/prologue.hpp"

#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

constexpr std::uint8_t base_instructions = 3;

bool is_in_shared_memory(MachineFunction const& m, ir::Operand const& o) {
    bool const is_variable = o.kind == Kind::symbol ||
                             (o.kind == Kind::address && (o.base == ir::Operand::AddressBase::module_variable ||
                                                          o.base == ir::Operand::AddressBase::function_variable));
    if (!is_variable) return false;
    auto const& variables = o.is_module_variable || o.base == ir::Operand::AddressBase::module_variable
                                ? m.module->variables
                                : m.function->variables;
    return variables[o.index].space == ir::StateSpace::shared;
}

/// The address of a variable, itself or as a constant.
bool names_shared_memory(MachineFunction const& m, std::uint32_t i, int depth = 0) {
    auto const operands = m.operands(i);
    return std::any_of(operands.begin(), operands.end(), [&](ir::Operand const& o) {
        if (is_in_shared_memory(m, o)) return true;
        bool const is_register =
            o.kind == Kind::reg || (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg);
        std::uint32_t const maker = is_register ? m.only_definition[m.root[o.index]] : ir::none;
        return maker != ir::none && maker != i && depth < 8 && m.instructions[maker].fate != Fate::issued &&
               names_shared_memory(m, maker, depth + 1);
    });
}

bool accesses_global_memory(MachineFunction const& m) {
    return std::any_of(m.function->instructions.begin(), m.function->instructions.end(),
                       [&](ir::Instruction const& i) {
                           ir::StateSpace const space = m.module->forms[i.form].space;
                           return isa::is_access(ir::effect(*m.module, i)) &&
                                  (space == ir::StateSpace::global || space == ir::StateSpace::generic);
                       });
}

void add_bases(MachineFunction& m, ir::DominatorTree const& dominators) {
    std::vector<std::uint32_t> based;
    for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
        bool const is_known =
            std::any_of(based.begin(), based.end(), [&](std::uint32_t k) { return dominators.dominates(k, b); });
        for (std::uint32_t i = m.function->blocks[b].first; !is_known && i <= m.function->blocks[b].last; ++i) {
            if (m.instructions[i].fate != Fate::issued || !names_shared_memory(m, i)) continue;
            m.instructions[i].prologue = static_cast<std::uint8_t>(m.instructions[i].prologue + base_instructions);
            based.push_back(b);
            break;
        }
    }
}

}  // namespace

void add_prologue(MachineFunction& m, ir::DominatorTree const& dominators, int capability) {
    if (capability >= 90) add_bases(m, dominators);
    if (!m.function->is_entry) return;
    for (MachineInstruction& first : m.instructions) {
        if (first.fate != Fate::issued) continue;
        bool const needs_descriptor = capability >= 80 && accesses_global_memory(m);
        first.prologue = static_cast<std::uint8_t>(first.prologue + (needs_descriptor ? 2 : 1));
        return;
    }
}

}  // namespace warpsim::timing
