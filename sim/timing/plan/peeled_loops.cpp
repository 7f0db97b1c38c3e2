#include "sim/timing/plan/peeled_loops.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/routines.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

using isa::Effect;

class LoopPeeler {
public:
    LoopPeeler(MachineFunction const& m, GuardedPaths const& paths, int capability)
        : m_(m), blocks_(m.function->blocks), paths_(paths), capability_(capability) {}

    bool is_peeled(std::uint32_t b) const {
        if (b + 2 >= blocks_.size() || !jumps_back(b + 1, b)) return false;
        ir::Block const& loop = blocks_[b];
        auto const& next = loop.successors;
        if (effect(loop.last) != Effect::branch || m_.ir(loop.last).guard == ir::none || next.size() != 2 ||
            !goes_to(loop, b + 1))
            return false;
        std::uint32_t const end = next[0] == b + 1 ? next[1] : next[0];
        bool const is_entered_behind = std::any_of(blocks_.begin(), blocks_.end(), [&](ir::Block const& other) {
            return &other != &loop && goes_to(other, b + 1);
        });
        if (end == b || is_entered_behind) return false;
        // What only moves registers does not stay between them.
        std::uint32_t near = b + 2;
        while (near < end && near + 1 < blocks_.size() && only_moves(blocks_[near])) ++near;
        return (near != end || comes_between(b, end)) && is_copied(loop);
    }

private:
    Effect effect(std::uint32_t i) const { return ir::effect(*m_.module, m_.ir(i)); }
    static bool goes_to(ir::Block const& block, std::uint32_t other) {
        return std::find(block.successors.begin(), block.successors.end(), other) != block.successors.end();
    }
    bool jumps_back(std::uint32_t from, std::uint32_t to) const {
        ir::Block const& block = blocks_[from];
        return block.first == block.last && block.successors == std::vector{to} &&
               effect(block.first) == Effect::branch && m_.ir(block.first).guard == ir::none;
    }
    bool only_moves(ir::Block const& block) const {
        for (std::uint32_t i = block.first; i <= block.last; ++i)
            if (effect(i) != Effect::move) return false;
        return true;
    }
    /// A path that stands in front of the loop, but behind a jump to it, is put behind the loop, where it ends, too:
    ///
    ///         @p bra f;  bra loop;
    ///     f:  ...  bra end;
    ///     loop: ...
    ///     end:
    bool comes_between(std::uint32_t loop, std::uint32_t end) const {
        for (std::uint32_t f = 2; f < loop; ++f) {
            ir::Block const &path = blocks_[f], &jump = blocks_[f - 1];
            bool const ends_there = path.successors == std::vector{end} && effect(path.last) == Effect::branch;
            bool const is_jump = jump.first == jump.last && effect(jump.last) == Effect::branch &&
                                 m_.ir(jump.last).guard == ir::none && jump.successors[0] == f + 1;
            if (ends_there && is_jump && goes_to(blocks_[f - 2], f) && goes_to(blocks_[f - 2], f - 1)) return true;
        }
        return false;
    }
    /// Not if there were branches, or are fences, calls, routines, or, until 8.9, anything that lanes do together.
    bool is_copied(ir::Block const& loop) const {
        for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
            if (!paths_.places.empty() && paths_.places[i].part != Part::none) return false;
            switch (effect(i)) {
                case Effect::fence:
                case Effect::call: return false;
                case Effect::shuffle:
                case Effect::vote:
                case Effect::match:
                case Effect::reduce_warp:
                case Effect::barrier_warp:
                    if (capability_ < 90) return false;
                    break;
                case Effect::lanes:
                    if (routine_of(m_.form(i)) != nullptr) return false;
                    break;
                default: break;
            }
        }
        return true;
    }

    MachineFunction const& m_;
    std::vector<ir::Block> const& blocks_;
    GuardedPaths const& paths_;
    int const capability_;
};

}  // namespace

std::vector<bool> find_peeled_loops(MachineFunction const& m, GuardedPaths const& paths, int capability) {
    LoopPeeler const finder(m, paths, capability);
    std::vector<bool> found;
    for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) found.push_back(finder.is_peeled(b));
    return found;
}

}  // namespace warpsim::timing
