#include "sim/timing/plan/lane_checks.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <iterator>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

enum Check : std::uint8_t { unchecked, first_of_all, of_all, of_mask, of_mask_to_meet, of_some, check_count };

// As ptxas 13.0 has them. One question stands before several instructions that name all lanes; a mask that is computed is compared
// with those that the lanes have, and with who is there; also where lanes only meet. From 9.0 on a number
// that names some lanes is moved into a register that nothing reads.
constexpr LaneCheck checks[] = {{"", 0}, {"B", 10}, {"", 8}, {"VvSAb", 6}, {"VvSAb", 5}, {"A", 0}};
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

}  // namespace

void check_lanes(MachineFunction& m, Divergence const& divergence, int capability) {
    auto const& blocks = m.function->blocks;
    std::vector<bool> parted(blocks.size(), false);
    std::vector<std::uint32_t> seen(blocks.size(), ir::none);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        if (!divergence.splits(b)) continue;
        std::vector<bool> here(blocks.size(), false);
        mark_parted_blocks(*m.function, b, seen, here);
        bool const is_loop = here[b];  // not those that lanes leave one by one
        for (std::uint32_t k = 0; k < blocks.size() && !is_loop; ++k) parted[k] = parted[k] || here[k];
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        bool has_asked = false;
        for (std::uint32_t i = blocks[b].first; i <= blocks[b].last; ++i) {
            Effect const effect = ir::effect(*m.module, m.ir(i));
            bool const names_lanes = (effect == Effect::shuffle || effect == Effect::vote) &&
                                     m.form(i).has(isa::Modifier::sync) && m.instructions[i].fate == Fate::issued;
            bool const meets = effect == Effect::barrier_warp && m.instructions[i].fate == Fate::issued;
            bool const is_of_warp =
                names_lanes || meets || effect == Effect::match || effect == Effect::reduce_warp;
            std::uint8_t& check = m.instructions[i].lane_check;
            if (is_of_warp && capability >= 90 && names_some(m, m.operands(i).back())) check = of_some;
            bool const is_known = (names_lanes || meets) && is_agreed(m, divergence, m.operands(i).back());
            if (meets && !is_known && capability >= 80) check = of_mask_to_meet;
            if (!names_lanes) continue;
            if (!is_known) {
                if (capability >= 80) check = of_mask;
            } else if (parted[b]) {
                check = has_asked ? of_all : first_of_all;
                has_asked = true;
            }
        }
    }
}

LaneCheck const& lane_check(std::uint8_t number) { return checks[number]; }

}  // namespace warpsim::timing
