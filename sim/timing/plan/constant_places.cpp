#include "sim/timing/plan/constant_places.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/routines.hpp"
#include "sim/timing/plan/texture_operands.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

/// For longer than there is anything else to do, or elsewhere: the results of memory that is far away, until 7.5 those of all atomics as well,
/// textures, and routines.
bool is_far_or_elsewhere(MachineFunction const& m, std::uint32_t i, int capability) {
    if (m.instructions[i].fate != Fate::issued) return false;
    ir::Form const& form = m.form(i);
    if (names_handle(m, i)) return fetches(form);
    if (routine_of(form) != nullptr) return true;
    using isa::StateSpace;
    bool const is_memory =
        form.space == StateSpace::global || form.space == StateSpace::generic || form.space == StateSpace::local;
    isa::Effect const effect = ir::effect(*m.module, m.ir(i));
    return (effect == isa::Effect::load && is_memory) || (effect == isa::Effect::atomic && capability < 80);
}

bool waits_long(MachineFunction const& m, ir::Block const& block, int capability) {
    for (std::uint32_t i = block.first; i <= block.last; ++i)
        if (is_far_or_elsewhere(m, i, capability)) return true;
    return false;
}

/// Or had before branches became guards.
bool has_several_blocks(MachineFunction const& m, BlockLoop const& loop) {
    if (loop.head != loop.last) return true;
    ir::Block const& b = m.function->blocks[loop.head];
    for (std::uint32_t i = b.first; i <= b.last; ++i)
        if (m.instructions[i].guarded.part != Part::none) return true;
    return false;
}

}  // namespace

ConstantPlaces::ConstantPlaces(MachineFunction const& m, ir::DominatorTree const& dominators, int capability)
    : dominators_(dominators) {
    for (BlockLoop const& blocks : find_block_loops(*m.function, dominators))
        loops_.push_back({blocks, false, has_several_blocks(m, blocks)});
    for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
        if (!dominators.is_reached(b) || !waits_long(m, m.function->blocks[b], capability)) continue;
        for (Loop& loop : loops_) {
            // What only some iterations wait for leaves no room in the others.
            bool const is_always = loop.blocks.contains(b) && dominators.dominates(b, loop.blocks.last);
            loop.has_room = loop.has_room || is_always;
        }
    }
}

ConstantPlaces::Place ConstantPlaces::place_for(std::uint32_t block) const {
    auto const loop = std::find_if(loops_.rbegin(), loops_.rend(), [&](Loop const& l) {
        return l.blocks.contains(block) && dominators_.dominates(l.blocks.head, block);
    });
    // What only some iterations need stays where it is.
    if (loop == loops_.rend() || loop->has_room || !dominators_.dominates(block, loop->blocks.last))
        return {block};
    std::uint32_t const front = dominators_.immediate(loop->blocks.head);
    return front != ir::none ? Place{front, &loop->blocks} : Place{block};
}

bool ConstantPlaces::serves(Place const& moved, std::uint32_t block) const {
    if (!dominators_.dominates(moved.block, block)) return false;
    // It is moved again rather than kept for a loop of several blocks.
    return std::none_of(loops_.begin(), loops_.end(), [&](Loop const& l) {
        return l.is_long && l.blocks.contains(block) && !l.blocks.contains(moved.block) && &l.blocks != moved.loop;
    });
}

}  // namespace warpsim::timing
