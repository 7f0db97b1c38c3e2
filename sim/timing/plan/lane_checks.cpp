#include "sim/timing/plan/lane_checks.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <iterator>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

enum Check : std::uint8_t {
    unchecked,
    first_of_all,
    of_all,
    only_of_all,
    only_of_all_90,
    of_all_to_meet,
    of_mask,
    only_of_mask,
    of_mask_90,
    of_mask_75,
    of_mask_to_match,
    of_mask_to_meet,
    of_some,
    check_count
};

// As ptxas 13.0 has them. One question stands before several instructions that name all lanes. Where it stands before one, lanes
// that are missing call a routine, and from 9.0 on the others just wait for them (WARPSYNC). A mask that is computed is
// compared with those that the lanes have, and with who is there; also where lanes only meet. From 9.0 on a number that names
// some lanes is moved into a register that nothing reads.
// clang-format off
constexpr LaneCheck checks[] = {
    {"", 0},
    {"B", 10},     // first_of_all
    {"", 8},       // of_all
    {"B", 8},      // only_of_all
    {"V", 0},      // only_of_all_90
    {"B", 5},      // of_all_to_meet
    {"VvSAb", 9},  // of_mask
    {"VvSAb", 8},  // only_of_mask
    {"VvSAb", 6},  // of_mask_90
    {"V", 0},      // of_mask_75
    {"SAb", 9},    // of_mask_to_match
    {"VvSAb", 5},  // of_mask_to_meet
    {"A", 0},      // of_some
};
// clang-format on
static_assert(std::size(checks) == check_count);

/// The same in all lanes, or the lanes that are there.
bool is_agreed(MachineFunction const& m, Divergence const& divergence, ir::Operand const& o) {
    if (o.kind != Kind::reg || !divergence.varies(o.index)) return true;
    std::uint32_t const maker = m.only_definition[m.root[o.index]];
    if (maker == ir::none) return true;
    return ir::effect(*m.module, m.ir(maker)) == Effect::active_mask;
}

/// A number that does not stand for all lanes.
bool names_some(MachineFunction const& m, ir::Operand const& o) {
    ir::Operand const* number = &o;
    if (o.kind == Kind::reg) {
        std::uint32_t const maker = m.only_definition[m.root[o.index]];
        if (maker == ir::none || m.form(maker).operation != isa::Operation::mov) return false;
        number = &m.operands(maker)[1];
    }
    return number->kind == Kind::immediate && static_cast<std::uint32_t>(number->value) != UINT32_MAX;
}

bool does_together(MachineFunction const& m, std::uint32_t i) {
    Effect const effect = ir::effect(*m.module, m.ir(i));
    bool const is_exchange = effect == Effect::shuffle || effect == Effect::vote;
    return ((is_exchange && m.form(i).has(isa::Modifier::sync)) || effect == Effect::match) &&
           m.instructions[i].fate == Fate::issued;
}

}  // namespace

bool names_all_lanes(MachineFunction const& m, Divergence const& divergence, std::uint32_t i) {
    bool const meets =
        ir::effect(*m.module, m.ir(i)) == Effect::barrier_warp && m.instructions[i].fate == Fate::issued;
    return (does_together(m, i) || meets) && is_agreed(m, divergence, m.operands(i).back());
}

void check_lanes(MachineFunction& m, Divergence const& divergence, std::vector<bool> const& is_unsure,
                 int capability) {
    auto const& blocks = m.function->blocks;
    // Simplified: from 9.0 on there is less to ask behind a loop that yields, and some of it makes lanes meet instead.
    std::vector<bool> parted = capability < 90 ? is_unsure : std::vector<bool>(blocks.size(), false);
    std::vector<std::uint32_t> seen(blocks.size(), ir::none);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        if (!divergence.splits(b)) continue;
        std::vector<bool> here(blocks.size(), false);
        mark_parted_blocks(*m.function, b, seen, here);
        for (std::uint32_t k = 0; k < blocks.size(); ++k) parted[k] = parted[k] || here[k];
    }
    std::vector<std::uint32_t> of_everyone, of_computed;  // instructions of a block, by the lanes that they name
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        of_everyone.clear();
        of_computed.clear();
        for (std::uint32_t i = blocks[b].first; i <= blocks[b].last; ++i) {
            Effect const effect = ir::effect(*m.module, m.ir(i));
            bool const names_lanes = does_together(m, i);
            bool const meets = effect == Effect::barrier_warp;
            bool const is_of_warp = names_lanes || meets || effect == Effect::reduce_warp;
            if (!is_of_warp || m.instructions[i].fate != Fate::issued) continue;
            ir::Operand const& lanes = m.operands(i).back();
            std::uint8_t& check = m.instructions[i].lane_check;
            if (capability >= 90 && names_some(m, lanes)) check = of_some;
            bool const is_known = is_agreed(m, divergence, lanes);
            if (!is_known && capability >= 80) {
                if (meets) check = of_mask_to_meet;
                else if (effect == Effect::match) check = of_mask_to_match;
                else if (names_lanes) of_computed.push_back(i);
            } else if (!is_known && names_lanes && effect != Effect::shuffle) {
                check = of_mask_75;
            } else if (is_known && parted[b]) {
                if (names_lanes) of_everyone.push_back(i);
                else if (meets && capability < 90) check = of_all_to_meet;
            }
        }
        Check const computed = capability >= 90 ? of_mask_90 : of_computed.size() == 1 ? only_of_mask : of_mask;
        for (std::uint32_t const i : of_computed) m.instructions[i].lane_check = computed;
        for (std::uint32_t const i : of_everyone) m.instructions[i].lane_check = of_all;
        if (of_everyone.empty()) continue;
        std::uint8_t& first = m.instructions[of_everyone.front()].lane_check;
        if (of_everyone.size() > 1) first = first_of_all;
        else first = capability >= 90 ? only_of_all_90 : only_of_all;
    }
}

LaneCheck const& lane_check(std::uint8_t number) { return checks[number]; }

}  // namespace warpsim::timing
