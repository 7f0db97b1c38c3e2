#include "sim/timing/plan/uniform_places.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

/// Of the hardware's instructions for these, some operand may be a uniform register.
bool may_read_uniform(ir::Form const& form) {
    using O = Operation;
    if (form.operation == O::cvt) return isa::is_float(form.types[0]) && !isa::is_float(form.types[1]);
    return is_one_of(form.operation, O::add, O::sub, O::neg, O::mul, O::mul_lo, O::mul_hi, O::mul_wide, O::mad_lo,
                     O::mad_hi, O::mad_wide, O::fma, O::sad, O::dp4a, O::and_, O::or_, O::xor_, O::not_, O::lop3,
                     O::min, O::max, O::popc, O::clz, O::bfind, O::setp, O::shl, O::shr, O::shf_l, O::shf_r);
}

/// A comparison with zero of what is folded into it: LOP3 computes that, and tests it.
bool tests_logic(MachineFunction const& m, std::uint32_t i) {
    auto const operands = m.operands(i);
    // p, the second predicate, a, 0.
    if (m.form(i).operation != Operation::setp || operands.size() != 4 || operands[2].kind != Kind::reg)
        return false;
    std::uint32_t const maker = m.only_definition[m.root[operands[2].index]];
    return operands[3].kind == Kind::immediate && operands[3].value == 0 && maker != ir::none &&
           m.instructions[maker].fate == Fate::folded && is_logic(m.form(maker));
}

/// A product of 32 bits in what computes with 64; from 9.0 on that is as many instructions either way.
bool extends_product(MachineFunction const& m, std::uint32_t i, std::uint32_t reg) {
    isa::Type const type = m.form(i).types[0];
    std::uint32_t const maker = m.only_definition[reg];
    return !isa::is_float(type) && isa::width(type) == 64 && maker != ir::none &&
           m.form(maker).operation == Operation::mul_lo && isa::width(m.form(maker).types[0]) == 32;
}

/// Not beside an immediate operand or, until 8.9, a constant of the bank, which stands where a uniform register would, and not
/// twice. From 9.0 on a constant beside it is loaded into a vector register instead.
bool has_place_beside_others(MachineFunction const& m, std::uint32_t i, std::uint32_t uniform, int capability) {
    auto const reads = m.machine_reads[i];
    std::vector<std::uint32_t> parts{i};
    int places = 0;
    while (!parts.empty()) {
        std::uint32_t const part = parts.back();
        parts.pop_back();
        // The last operand of lop3 is part of its opcode.
        auto operands = m.operands(part).subspan(1);
        // Nor does the zero of a test take a place.
        if (m.form(part).operation == Operation::lop3 || tests_logic(m, part))
            operands = operands.first(operands.size() - 1);
        for (ir::Operand const& o : operands) {
            if (o.kind == Kind::immediate) return false;
            if (o.kind != Kind::reg) continue;
            std::uint32_t const reg = m.root[o.index];
            std::uint32_t const maker = m.only_definition[reg];
            if (reg == uniform) ++places;
            else if (maker != ir::none && m.instructions[maker].fate == Fate::folded) parts.push_back(maker);
            else if (std::find(reads.begin(), reads.end(), reg) == reads.end() &&
                     !(capability >= 90 && is_in_bank(m, reg)))
                return false;
        }
    }
    return places == 1;
}

}  // namespace

bool is_in_bank(MachineFunction const& m, std::uint32_t reg) {
    std::uint32_t const maker = m.only_definition[reg];
    if (maker == ir::none) return false;
    Effect const effect = ir::effect(*m.module, m.ir(maker));
    return effect == Effect::load || (effect == Effect::move && m.operands(maker).back().kind == Kind::special);
}

bool reads_clock_of_32_bits(MachineFunction const& m, std::uint32_t i) {
    if (ir::effect(*m.module, m.ir(i)) != Effect::move || m.operands(i).back().kind != Kind::special) return false;
    using S = ir::SpecialRegister;
    auto const which = static_cast<S>(m.operands(i).back().index);
    return which == S::clock || which == S::clock_hi;
}

bool has_place_for_uniform(MachineFunction const& m, std::uint32_t i, std::uint32_t reg, int capability) {
    Effect const effect = ir::effect(*m.module, m.ir(i));
    if (effect == Effect::move) return m.operands(i).back().kind == Kind::reg;
    if (effect != Effect::lanes || !may_read_uniform(m.form(i))) return false;
    if (capability < 90 && extends_product(m, i, reg)) return false;
    auto const operands = m.operands(i);
    bool const is_shifted = is_one_of(m.form(i).operation, Operation::shl, Operation::shr) &&
                            operands[1].kind == Kind::reg && m.root[operands[1].index] == reg;
    return !is_shifted && has_place_beside_others(m, i, reg, capability);
}

}  // namespace warpsim::timing
