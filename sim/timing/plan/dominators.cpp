#include "sim/timing/plan/dominators.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

namespace {

/// Blocks in reverse postorder.
std::vector<std::uint32_t> order_of(ir::Function const& function) {
    std::vector<std::uint32_t> order;
    std::vector<bool> seen(function.blocks.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    if (!function.blocks.empty()) {
        stack.push_back({0, 0});
        seen[0] = true;
    }
    while (!stack.empty()) {
        auto& [block, next] = stack.back();
        auto const& successors = function.blocks[block].successors;
        if (next == successors.size()) {
            order.push_back(block);
            stack.pop_back();
            continue;
        }
        std::uint32_t const s = successors[next++];
        if (seen[s]) continue;
        seen[s] = true;
        stack.push_back({s, 0});
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace

// The iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm").
Dominators::Dominators(ir::Function const& function)
    : number_(function.blocks.size(), ir::none),
      above_(function.blocks.size(), ir::none),
      enter_(function.blocks.size(), 0),
      leave_(function.blocks.size(), 0) {
    std::vector<std::uint32_t> const order = order_of(function);
    for (std::uint32_t k = 0; k < order.size(); ++k) number_[order[k]] = k;
    std::vector<std::vector<std::uint32_t>> predecessors(function.blocks.size());
    for (std::uint32_t const b : order) {
        for (std::uint32_t const s : function.blocks[b].successors) predecessors[s].push_back(b);
    }
    if (!order.empty()) above_[order[0]] = order[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t k = 1; k < order.size(); ++k) {
            std::uint32_t found = ir::none;
            for (std::uint32_t const p : predecessors[order[k]]) {
                if (above_[p] != ir::none) found = found == ir::none ? p : common(found, p);
            }
            changed |= above_[order[k]] != found;
            above_[order[k]] = found;
        }
    }
    std::vector<std::vector<std::uint32_t>> below(function.blocks.size());
    for (std::size_t k = 1; k < order.size(); ++k) below[above_[order[k]]].push_back(order[k]);
    std::uint32_t clock = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    if (!order.empty()) stack.push_back({order[0], 0});
    while (!stack.empty()) {
        auto& [block, next] = stack.back();
        if (next == 0) enter_[block] = clock++;
        if (next == below[block].size()) {
            leave_[block] = clock++;
            stack.pop_back();
            continue;
        }
        std::uint32_t const child = below[block][next++];
        stack.push_back({child, 0});
    }
    for (std::uint32_t b = 0; b < above_.size(); ++b) {
        if (above_[b] == ir::none) above_[b] = b;
    }
}

bool Dominators::dominates(std::uint32_t other, std::uint32_t block) const {
    if (other == block) return true;
    if (!is_reached(other) || !is_reached(block)) return false;
    return enter_[other] < enter_[block] && leave_[block] < leave_[other];
}

std::uint32_t Dominators::common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
        while (number_[a] > number_[b]) a = above_[a];
        while (number_[b] > number_[a]) b = above_[b];
    }
    return a;
}

}  // namespace warpsim::timing
