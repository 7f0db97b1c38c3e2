#include "sim/timing/plan/executed.hpp"

#include <algorithm>

namespace warpsim::timing {

Executed executed(FunctionTiming const& timing, std::uint32_t instruction, std::uint64_t warps,
                  std::uint64_t threads, std::uint64_t guarded_off, std::span<BranchLanes const> branches) {
    // Spills are no PTX instructions; the branch of an unrolled loop also stands for those that were left out.
    std::uint64_t const weight = timing.instructions[instruction].weight;
    if (weight == 0) return {};
    // What was counted too much before is subtracted: only the sum over the rounds means something.
    if (weight == leaves_loop) return {0, 0, guarded_off - threads};
    if ((weight & rounds_taken) != 0) {
        std::uint64_t const count = weight & ~std::uint64_t{rounds_taken};
        return {count * warps, count * threads, count * threads};
    }
    GuardedPlace const place = timing.guarded.empty() ? GuardedPlace{} : timing.guarded[instruction];
    if (place.part == Part::taken || place.part == Part::not_taken) {
        // In the PTX only these lanes get here, and no warp without any.
        BranchLanes const& lanes = branches[timing.first_branch + place.branch];
        BranchLanes::Side const& side = place.part == Part::taken ? lanes.taken : lanes.not_taken;
        return {side.warps, side.threads, side.threads};
    }
    // Guards switched lanes off in the last iteration only.
    return {weight * warps, weight * threads, weight * threads - guarded_off};
}

std::vector<double> micro_ops_of(FunctionTiming const& timing) {
    std::vector<double> issued;
    std::vector<std::uint32_t> executed;
    for (std::uint32_t i = 0; i < timing.instructions.size(); ++i) {
        std::uint32_t const original = timing.original[i];
        if (original == ir::none) continue;
        if (original >= issued.size()) {
            issued.resize(original + 1);
            executed.resize(original + 1);
        }
        std::uint16_t const weight = timing.instructions[i].weight;
        issued[original] += timing.instructions[i].micros;
        if (weight != leaves_loop) executed[original] += weight & ~std::uint32_t{rounds_taken};
    }
    for (std::size_t i = 0; i < issued.size(); ++i) issued[i] /= std::max(executed[i], 1u);
    return issued;
}

}  // namespace warpsim::timing
