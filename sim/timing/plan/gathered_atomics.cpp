#include "sim/timing/plan/gathered_atomics.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

/// Relaxed additions of 32 bits, whose addend and address are the same in all lanes. ptxas 13.0 gathers few
/// others.
bool may_gather(MachineFunction const& m, Divergence const& divergence, std::uint32_t i, bool gives,
                int capability) {
    ir::Form const& form = m.form(i);
    Effect const effect = ir::effect(*m.module, m.ir(i));
    bool const is_atomic = effect == Effect::atomic || effect == Effect::reduction;
    if (!is_atomic || m.instructions[i].fate != Fate::issued || !form.has(isa::Modifier::add) || form.vector != 1)
        return false;
    bool const is_word = isa::is_integer(form.types[0]) && isa::width(form.types[0]) == 32;
    bool const is_relaxed = form.order == isa::Order::relaxed || form.order == isa::Order::weak;
    if (!is_word || !is_relaxed || divergence.reads_varying(i)) return false;
    bool const is_plain_shared = form.space == isa::StateSpace::shared && !gives && capability >= 80;
    return !is_plain_shared && (form.space == isa::StateSpace::global || form.space == isa::StateSpace::shared);
}

}  // namespace

void gather_atomics(MachineFunction& m, Divergence const& divergence, int capability) {
    std::vector<bool> is_read(m.function->registers.size(), false);
    for (std::uint32_t const reg : m.reads.items) is_read[reg] = true;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        auto const writes = m.writes[i];
        bool const gives = std::any_of(writes.begin(), writes.end(), [&](std::uint32_t r) { return is_read[r]; });
        if (may_gather(m, divergence, i, gives, capability))
            m.instructions[i].gathered = gives ? Gathered::result : Gathered::change;
    }
}

void add_gathering(MachineFunction const& m, std::uint32_t i, bool before, std::vector<MicroOp>& out) {
    auto const add = [&](MicroUnit unit, bool chained) { out.push_back({unit, chained, 0}); };
    if (before) {
        add(MicroUnit::special, false);  // the lane's number
        add(MicroUnit::vote, false);
        add(MicroUnit::sfu, true);  // the first of the active lanes, and how many are active
        add(MicroUnit::sfu, false);
        if (m.operands(i).back().kind != Kind::immediate) add(MicroUnit::fma, true);
        add(MicroUnit::alu, true);
        return;
    }
    if (m.instructions[i].gathered != Gathered::result) return;
    add(MicroUnit::special, false);  // active lanes before this one
    add(MicroUnit::alu, false);
    add(MicroUnit::sfu, false);
    add(MicroUnit::shuffle, false);
    add(MicroUnit::fma, false);
}

}  // namespace warpsim::timing
