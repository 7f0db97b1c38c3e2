#include "sim/timing/plan/fragment_addresses.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/product_shape.hpp"
#include "sim/exec/matrix/fragment_accesses.hpp"
#include "sim/timing/plan/expansion.hpp"
#include "sim/timing/plan/folding.hpp"

#include <algorithm>

namespace warpsim::timing {

using Kind = ir::Operand::Kind;

std::size_t fragment_registers(std::span<ir::Operand const> operands) {
    for (ir::Operand const& o : operands)
        if (o.kind == Kind::vector) return o.count;
    return 1;
}

FragmentAddresses::Scheme FragmentAddresses::scheme(ir::Form const& form) const {
    int const bits = isa::width(form.types[0]);
    sim::FragmentAccesses const accesses = sim::fragment_accesses(form, 1);
    if (!accesses.is_factor) return bits == 64 || form.has(isa::Modifier::col) ? Scheme::columns : Scheme::pairs;
    if (accesses.is_by_matrices) return Scheme::matrices;
    return accesses.parts > 1 && bits < 16 ? Scheme::bytes : Scheme::pairs;
}

FragmentAddresses::Place FragmentAddresses::place(ir::Operand const& address) const {
    Place p{ir::none, address.value != 0, false};
    if (address.base != ir::Operand::AddressBase::reg) return p;
    p.reg = m_.root[address.index];
    // A register may be computed from itself.
    for (int depth = 0; depth < 8; ++depth) {
        std::uint32_t const maker = m_.only_definition[p.reg];
        if (maker == ir::none) break;
        auto const operands = m_.operands(maker);
        bool const adds = m_.form(maker).operation == isa::Operation::add &&
                          m_.instructions[maker].fate == Fate::folded && operands.back().kind == Kind::immediate &&
                          operands[1].kind == Kind::reg;
        if (!adds) {
            p.is_constant = is_constant_operand(m_, m_.only_definition, maker);
            break;
        }
        p.reg = m_.root[operands[1].index];
        p.is_further = true;
    }
    return p;
}

bool FragmentAddresses::holds_number(std::uint32_t reg) const {
    std::uint32_t const maker = m_.only_definition[m_.root[reg]];
    if (maker == ir::none) return false;
    auto const made = m_.operands(maker);
    return ir::effect(*m_.module, m_.ir(maker)) == isa::Effect::move && made.size() == 2 &&
           made[1].kind == Kind::immediate;
}

void FragmentAddresses::add(std::uint32_t i, std::vector<MicroOp>& out) {
    isa::Effect const effect = ir::effect(*m_.module, m_.ir(i));
    if (effect != isa::Effect::fragment_load && effect != isa::Effect::fragment_store) return;
    if (std::uint32_t const block = m_.function->block_of[i]; block != block_) {
        block_ = block;
        schemes_.clear();
        strides_.clear();
        places_.clear();
        moved_.clear();
    }
    ir::Form const& form = m_.form(i);
    auto const operands = m_.operands(i);
    Scheme const s = scheme(form);
    std::size_t const registers = fragment_registers(operands);
    if (!knows_lane_) append("R", out);
    knows_lane_ = true;
    if (schemes_.insert(s).second)
        append(s == Scheme::matrices && registers > 1 ? "AAAAAA" : s == Scheme::bytes ? "AAAA" : "AAA", out);
    ir::Operand const& stride = operands.back();
    auto const address = std::find_if(operands.begin(), operands.end(),
                                      [](ir::Operand const& o) { return o.kind == Kind::address; });
    bool const has_stride = stride.kind != Kind::address;
    bool const is_variable = has_stride && stride.kind == Kind::reg && !holds_number(stride.index);
    std::uint64_t const of_stride = !has_stride                ? 0
                                    : stride.kind == Kind::reg ? m_.root[stride.index]
                                                               : static_cast<std::uint64_t>(stride.value);
    // Where a register holds a constant, the move that brings it there stands for the product.
    bool const is_new = strides_.insert({s, stride.kind, of_stride}).second;
    if (is_new) append(is_variable ? "AF" : stride.kind == Kind::immediate ? "F" : "", out);
    Place const p = place(*address);
    std::uint64_t const at =
        p.reg == ir::none || p.is_constant || s == Scheme::matrices
            ? (std::uint64_t{address->index} << 32) + static_cast<std::uint32_t>(address->value)
            : 0;
    if (!places_.insert({s, p.reg, at}).second) return;
    if (s == Scheme::matrices) return append(p.is_further ? "FA" : "F", out);
    // The moves that bring a constant into registers stand for the first sum.
    bool const is_moved = p.is_constant && moved_.insert(p.reg).second;
    std::string_view const sum = form.space == isa::StateSpace::shared ? "A" : "AA";
    if (!is_moved) append(sum, out);
    if (p.is_constant && p.is_further) append(sum, out);
    auto const shape = isa::product_shape(form.modifiers).value_or(isa::ProductShape{});
    if (is_variable && shape.m * shape.n > 64) append("F", out);
    if (s == Scheme::pairs && form.types[0] == isa::Type::tf32)
        out.insert(out.end(), registers, MicroOp{MicroUnit::fma});
}

}  // namespace warpsim::timing
