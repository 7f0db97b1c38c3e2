// Computing with addresses: conversions to and from generic ones, and which space one is in.
#include "sim/exec/effect_rule.hpp"

#include "sim/memory/reservation.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::StateSpace;

void plan_convert_address(FunctionPlanner& p, Operands operands) {
    int const log2 = column_log2(operands[0].type);
    std::uint64_t const window = p.window(p.form().space);
    bool const to_space = p.form().has(Modifier::to);
    Slot const from = p.source(operands[1], log2);
    Slot const to = p.destination(operands[0], log2);
    if (window == 0) p.emit_lanes(p.access().copy[log2], to, from);
    else p.emit_lanes(p.access().add_offset[log2 - 2], to, from, 0, 0, to_space ? 0 - window : window);
}

template <StateSpace space> void is_space(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    Windows const& windows = Reservation::process().windows();
    auto const* const address = isa::column<std::uint64_t>(bases, operands.slot[1]);
    std::uint64_t const bank = *isa::column<std::uint64_t>(bases, operands.slot[2]);
    std::uint64_t const bank_bytes = operands.immediate;
    std::uint32_t const rank = *isa::column<std::uint32_t>(bases, operands.slot[3]);
    LaneMask inside = 0;
    for (int i = 0; i < 32; ++i) {
        std::uint64_t const a = address[i];
        bool const in_shared = Windows::inside(a, windows.shared);
        bool const in_local = Windows::inside(a, windows.local);
        bool const in_bank = a - bank < bank_bytes;
        std::uint64_t const prefix = (a - windows.shared) >> rank_shift << rank_shift;
        bool const is = space == StateSpace::shared ? in_shared && (prefix == 0 || prefix == rank_bits(rank))
                        : space == StateSpace::shared_cluster ? in_shared
                        : space == StateSpace::local          ? in_local
                        : space == StateSpace::param          ? Windows::inside(a, windows.param)
                        : space == StateSpace::constant       ? in_bank
                                                              : !in_shared && !in_local && !in_bank;
        inside |= static_cast<LaneMask>(is) << i;
    }
    LaneMask* const d = isa::column<LaneMask>(bases, operands.slot[0]);
    *d = (*d & ~mask) | (inside & mask);
}

void plan_is_space(FunctionPlanner& p, Operands operands) {
    isa::LaneFunction run = nullptr;
    switch (p.form().space) {
        case StateSpace::shared: run = is_space<StateSpace::shared>; break;
        case StateSpace::shared_cluster: run = is_space<StateSpace::shared_cluster>; break;
        case StateSpace::local: run = is_space<StateSpace::local>; break;
        case StateSpace::param:
        case StateSpace::param_entry: run = is_space<StateSpace::param>; break;
        case StateSpace::global: run = is_space<StateSpace::global>; break;
        case StateSpace::constant: run = is_space<StateSpace::constant>; break;
        default: break;
    }
    if (run == nullptr) {
        p.refuse("isspacep of this space");
        return;
    }
    auto const [begin, end] = p.constant_bank();
    bool const is_narrow = operands[1].kind == ir::Operand::Kind::reg &&
                           column_log2(p.function().registers[operands[1].index].type) < 3;
    Slot const address = is_narrow && p.module().address_bits == 32 ? p.wide_address(p.source(operands[1], 2), 2)
                                                                    : p.source(operands[1], 3);
    Slot const bank = p.kernel().constants.column(3, begin);
    Slot const rank = p.kernel().special(ir::SpecialRegister::cluster_ctarank, 0, 2);
    p.emit_lanes(run, p.destination(operands[0], 0), address, bank, rank, end > begin ? end - begin : 0);
}

}  // namespace

EffectRules effects::address_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::convert_address, plan_convert_address},
        {Effect::is_space, plan_is_space},
    };
    return rules;
}

}  // namespace warpsim::sim
