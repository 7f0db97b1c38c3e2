#include "sim/timing/plan/makers.hpp"

#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

using Kind = ir::Operand::Kind;

Makers::Makers(MachineFunction const& m, Definitions const& d)
    : m_(m), d_(d), uses_(m.function->registers.size(), 0), readers_(m.function->registers.size()) {
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        MachineInstruction const& instruction = m.instructions[i];
        if (instruction.fate == Fate::removed && !d.is_joined[i]) continue;
        for (std::uint32_t const reg : m.reads[i]) readers_[d.root[reg]].push_back(i);
        bool const is_read_through = instruction.fate == Fate::folded && instruction.halves == 0;
        if (instruction.fate != Fate::issued && !d.is_joined[i] && !is_read_through) continue;
        for (std::uint32_t const reg : m.reads[i]) ++uses_[d.holder[d.root[reg]]];
    }
}

std::uint32_t Makers::of(std::uint32_t i, ir::Operand const& o) const {
    bool const is_register =
        o.kind == Kind::reg || (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg);
    if (!is_register) return ir::none;
    std::uint32_t const k = d_.only_definition[d_.root[o.index]];
    if (k == ir::none || k >= i || m_.instructions[k].fate != Fate::issued) return ir::none;
    if (m_.operands(k)[0].kind != Kind::reg || m_.writes[k].size() != 1) return ir::none;
    for (std::uint32_t const reg : m_.reads[k]) {
        if (d_.count[reg] <= 1) continue;
        if (!are_near(k, i) || d_.changes_between(reg, k, i)) return ir::none;
    }
    return k;
}

std::uint32_t Makers::single(std::uint32_t i, ir::Operand const& o) const {
    std::uint32_t const k = o.kind == Kind::reg ? of(i, o) : ir::none;
    return k != ir::none && are_near(k, i) && uses_of(k) == 1 ? k : ir::none;
}

bool Makers::goes_into_address(std::uint32_t i, int depth) const {
    ir::Operand const& result = m_.operands(i)[0];
    if (result.kind != Kind::reg) return false;
    std::uint32_t const root = d_.root[result.index];
    return std::any_of(readers_[root].begin(), readers_[root].end(), [&](std::uint32_t k) {
        auto const o = m_.operands(k);
        bool const is_address = std::any_of(o.begin(), o.end(), [&](ir::Operand const& x) {
            return x.kind == Kind::address && x.base == ir::Operand::AddressBase::reg && d_.root[x.index] == root;
        });
        return is_address || (is_sum(m_.form(k)) && depth < 4 && goes_into_address(k, depth + 1));
    });
}

}  // namespace warpsim::timing
