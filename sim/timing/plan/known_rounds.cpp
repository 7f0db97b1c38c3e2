#include "sim/timing/plan/known_rounds.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

using isa::Effect;
using Kind = ir::Operand::Kind;

KnownRounds::KnownRounds(MachineFunction const& m, ir::Block const& loop, std::uint32_t counter, bool is_inner,
                         int capability)
    : m_(m),
      loop_(loop),
      knows_shared_(capability < 90),
      goes_on_(m.function->registers.size()),
      state_(m.function->registers.size(), Known::no) {
    std::vector<Writers> const all = writers();
    for (std::uint32_t reg = 0; reg < all.size(); ++reg) {
        goes_on_[reg] = all[reg].inside == 1 && all[reg].advances == 1;
        state_[reg] = before_loop(reg, all[reg], is_inner && capability < 90);
    }
    goes_on_[counter] = true;
    state_[counter] = Known::number;
}

bool KnownRounds::follow(std::uint32_t i) {
    auto const reads = m_.reads[i], writes = m_.writes[i];
    Effect const effect = ir::effect(*m_.module, m_.ir(i));
    bool const is_computed =
        (effect == Effect::lanes || effect == Effect::convert_address) && m_.ir(i).guard == ir::none;
    Known least = is_computed ? Known::number : Known::no;
    for (std::uint32_t const reg : reads) least = std::min(least, state_[reg]);
    if (least == Known::distance && isa::is_float(m_.form(i).types[0])) least = Known::no;
    for (std::uint32_t const reg : writes)
        if (!goes_on_[reg] && !is_constant(i)) state_[reg] = least;
    return least != Known::no;
}

std::vector<KnownRounds::Writers> KnownRounds::writers() const {
    std::vector<Writers> found(m_.function->registers.size());
    for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
        bool const is_load = ir::effect(*m_.module, m_.ir(i)) == Effect::load &&
                             m_.form(i).space != ir::StateSpace::param &&
                             m_.form(i).space != ir::StateSpace::param_entry;
        for (std::uint32_t const reg : m_.writes[i]) {
            Writers& of = found[reg];
            if (is_in_loop(i)) ++of.inside;
            ++(is_constant(i)                       ? of.constants
               : is_in_loop(i) && is_advance(m_, i) ? of.advances
               : is_load                            ? of.loads
                                                    : of.others);
        }
    }
    return found;
}

KnownRounds::Known KnownRounds::before_loop(std::uint32_t reg, Writers const& by, bool is_inner) const {
    bool const stays = by.inside == 0, goes_on = goes_on_[reg];
    if (by.constants == 1 && by.loads + by.others == 0 && by.advances <= 1) return Known::number;
    isa::Type const type = m_.function->registers[reg].type;
    bool const is_pointer = !isa::is_float(type) && isa::width(type) >= 32;
    bool const has_distance = is_inner && is_pointer && by.loads == 0 && (stays || goes_on);
    return has_distance ? Known::distance : Known::no;
}

/// A number or the place of a variable is copied, of which the compiler knows the value.
bool KnownRounds::is_constant(std::uint32_t i) const {
    auto const operands = m_.operands(i);
    if (m_.form(i).operation != Operation::mov || operands.size() != 2 || m_.ir(i).guard != ir::none) return false;
    ir::Operand const& from = operands[1];
    if (from.kind == Kind::immediate) return true;
    if (from.kind != Kind::symbol) return false;
    ir::Variable const& v =
        from.is_module_variable ? m_.module->variables[from.index] : m_.function->variables[from.index];
    return v.space == ir::StateSpace::constant || (v.space == ir::StateSpace::shared && knows_shared_);
}

}  // namespace warpsim::timing
