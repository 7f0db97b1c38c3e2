#include "frontend/ir/analysis/backward_flow.hpp"

#include <algorithm>

namespace warpsim::ir {

BackwardFlow::BackwardFlow(Function const& function)
    : predecessors_(reversed(successors_of(function))),
      states_(function.blocks.size()),
      pending_((function.blocks.size() + 63) / 64, 0) {}

void BackwardFlow::clear() {
    for (std::uint32_t block : touched_) {
        states_[block] = {};
    }
    touched_.clear();
}

BackwardFlow::State& BackwardFlow::touch(std::uint32_t block) {
    State& state = states_[block];
    if (!state.is_touched) {
        state.is_touched = true;
        touched_.push_back(block);
    }
    return state;
}

void BackwardFlow::solve() {
    bool is_pending = false;
    for (std::uint32_t block : touched_) {
        State& state = states_[block];
        state.live_in = state.needed;
        if (!state.needed.empty()) {
            pending_[block / 64] |= std::uint64_t{1} << block % 64;
            is_pending = true;
        }
    }
    // Sweeps from the last block to the first, as most edges lead forward: only what came along the back edge of a
    // loop needs another sweep. (A stack of pending blocks is as good for plain code and many times slower for
    // tangled graphs.)
    while (is_pending) {
        is_pending = false;
        for (std::size_t w = pending_.size(); w-- > 0;) {
            while (pending_[w] != 0) {
                auto const bit = static_cast<unsigned>(63 - std::countl_zero(pending_[w]));
                pending_[w] &= ~(std::uint64_t{1} << bit);
                visit(static_cast<std::uint32_t>(64 * w + bit));
            }
        }
        is_pending = std::any_of(pending_.begin(), pending_.end(), [](std::uint64_t word) { return word != 0; });
    }
    std::sort(touched_.begin(), touched_.end());
}

void BackwardFlow::visit(std::uint32_t block) {
    RegisterGroup const needed = states_[block].live_in;
    for (std::uint32_t const predecessor : predecessors_[block]) {
        if (needed.without(states_[predecessor].live_out).empty()) {
            continue;
        }
        State& state = touch(predecessor);
        state.live_out |= needed;
        RegisterGroup live_in = state.live_out.without(state.replaced);
        live_in |= state.needed;
        if (live_in != state.live_in) {
            state.live_in = live_in;
            pending_[predecessor / 64] |= std::uint64_t{1} << predecessor % 64;
        }
    }
}

}  // namespace warpsim::ir
