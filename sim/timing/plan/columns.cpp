#include "sim/timing/plan/columns.hpp"

#include "frontend/isa/types.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace warpsim::timing {

namespace {

std::size_t width_class(ir::Type type) {
    if (type == ir::Type::pred) return 4;
    int const bits = isa::width(type);
    return bits == 0 ? 2 : bits <= 16 ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 3;
}

class Pool {
public:
    std::uint32_t take(Interval interval) {
        for (; !taken_.empty() && taken_.top().first < interval.begin; taken_.pop())
            free_.push(taken_.top().second);
        std::uint32_t column = count;
        if (free_.empty()) {
            ++count;
        } else {
            column = free_.top();
            free_.pop();
        }
        taken_.emplace(interval.end, column);
        return column;
    }
    std::uint32_t count = 0;

private:
    template <class T> using SmallestFirst = std::priority_queue<T, std::vector<T>, std::greater<T>>;
    SmallestFirst<std::pair<std::uint32_t, std::uint32_t>> taken_;  // last point of need, column
    SmallestFirst<std::uint32_t> free_;
};

}  // namespace

ir::RegisterLayout lay_out_columns(MachineFunction const& m) {
    ir::Function const& function = *m.function;
    std::vector<Interval> const intervals =
        find_intervals(m, m.reads, m.writes, find_block_liveness(m, m.reads, m.writes));
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < intervals.size(); ++r) {
        if (!intervals[r].empty()) order.push_back(r);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return intervals[a].begin != intervals[b].begin ? intervals[a].begin < intervals[b].begin : a < b;
    });
    Pool pools[5];
    ir::RegisterLayout layout;
    layout.column.assign(intervals.size(), 0);
    for (std::uint32_t const r : order)
        layout.column[r] = pools[width_class(function.registers[r].type)].take(intervals[r]);
    layout.columns16 = pools[0].count;
    layout.columns32 = pools[1].count;
    layout.columns64 = pools[2].count;
    layout.columns128 = pools[3].count;
    layout.predicates = pools[4].count;
    layout.pressure = function.layout.pressure;
    return layout;
}

}  // namespace warpsim::timing
