#include "sim/timing/plan/inverted_branches.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

/// Its last instruction, if it jumps and does nothing else that costs anything.
bool only_jumps(MachineFunction const& m, ir::Block const& block) {
    if (m.ir(block.last).guard != ir::none || block.successors.size() != 1) return false;
    if (ir::effect(*m.module, m.ir(block.last)) != isa::Effect::branch) return false;
    for (std::uint32_t i = block.first; i < block.last; ++i)
        if (m.instructions[i].fate == Fate::issued) return false;
    return true;
}

}  // namespace

void invert_branches(MachineFunction& m) {
    auto const& blocks = m.function->blocks;
    for (std::uint32_t b = 1; b + 1 < blocks.size(); ++b) {
        ir::Block const& before = blocks[b - 1];
        auto const goes_to = [&](std::uint32_t block) {
            return std::find(before.successors.begin(), before.successors.end(), block) != before.successors.end();
        };
        bool const passes_over = ir::effect(*m.module, m.ir(before.last)) == isa::Effect::branch &&
                                 m.ir(before.last).guard != ir::none && goes_to(b) && goes_to(b + 1);
        if (passes_over && only_jumps(m, blocks[b])) m.instructions[blocks[b].last].fate = Fate::removed;
    }
}

}  // namespace warpsim::timing
