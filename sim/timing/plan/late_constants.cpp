#include "sim/timing/plan/late_constants.hpp"

#include "sim/timing/plan/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace warpsim::timing {

namespace {

/// The instruction of the block that is the first to read or write one of its results; none.
std::uint32_t first_use(MachineFunction const& m, std::uint32_t i) {
    auto const results = m.writes[i];
    auto const mentions = [&](std::span<std::uint32_t const> list) {
        return std::any_of(list.begin(), list.end(), [&](std::uint32_t reg) {
            return std::find(results.begin(), results.end(), reg) != results.end();
        });
    };
    for (std::uint32_t j = i + 1; j <= m.function->blocks[m.function->block_of[i]].last; ++j) {
        if (mentions(m.reads[j]) || mentions(m.machine_reads[j]) || mentions(m.writes[j])) return j;
    }
    return ir::none;
}

}  // namespace

std::vector<std::uint32_t> move_constants_down(MachineFunction& m, ir::Function& function) {
    auto const count = static_cast<std::uint32_t>(m.instructions.size());
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::vector<std::vector<std::uint32_t>> before(count);  // what comes in front of an instruction
    bool any = false;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!m.instructions[i].is_constant || !m.reads[i].empty()) continue;
        std::uint32_t use = first_use(m, i);
        if (use == ir::none) continue;
        while (m.instructions[use - 1].is_merged) --use;
        if (use <= i + 1) continue;
        before[use].push_back(i);
        any = true;
    }
    if (!any) return order;
    std::vector<bool> is_moved(count, false);
    for (auto const& list : before)
        for (std::uint32_t const i : list) is_moved[i] = true;
    order.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        order.insert(order.end(), before[i].begin(), before[i].end());
        if (!is_moved[i]) order.push_back(i);
    }
    reorder(m, function, order);
    return order;
}

}  // namespace warpsim::timing
