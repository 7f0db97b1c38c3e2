#include "frontend/decode/control_flow.hpp"
#include "frontend/decode/liveness.hpp"
#include "frontend/isa/types.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

namespace warpsim::frontend {
namespace {

enum WidthClass : std::size_t { narrow, word, pair, quad, predicate, width_classes };

/// Registers share columns only with others of their class: under a partial mask, a store of another width would
/// hit other lanes' bytes.
WidthClass width_class(ir::Type type) {
    if (type == ir::Type::pred) {
        return predicate;
    }
    int const bits = isa::width(type);
    // Handles of textures and samplers have no width of their own; they are addresses.
    return bits == 0 ? pair : bits <= 16 ? narrow : bits <= 32 ? word : bits <= 64 ? pair : quad;
}

using ColumnCounts = std::array<std::uint32_t, width_classes>;

void set_counts(ir::RegisterLayout& layout, ColumnCounts const& counts) {
    layout.columns16 = counts[narrow];
    layout.columns32 = counts[word];
    layout.columns64 = counts[pair];
    layout.columns128 = counts[quad];
    layout.predicates = counts[predicate];
}

/// The columns of one class during the scan.
class ColumnPool {
public:
    /// The lowest column that no register needs at `begin` or later, kept until `end`.
    std::uint32_t take(LiveInterval interval) {
        while (!taken_.empty() && taken_.top().first < interval.begin) {
            free_.push(taken_.top().second);
            taken_.pop();
        }
        std::uint32_t column = count_;
        if (free_.empty()) {
            ++count_;
        } else {
            column = free_.top();
            free_.pop();
        }
        taken_.emplace(interval.end, column);
        return column;
    }
    std::uint32_t count() const { return count_; }

private:
    template <class T> using SmallestFirst = std::priority_queue<T, std::vector<T>, std::greater<T>>;
    SmallestFirst<std::pair<ProgramPoint, std::uint32_t>> taken_;  // last point of need, column
    SmallestFirst<std::uint32_t> free_;
    std::uint32_t count_ = 0;
};

}  // namespace

void allocate_registers(ir::Module const& module, ir::Function& function) {
    Liveness const liveness = find_liveness(module, function);
    std::vector<std::uint32_t> order;
    for (std::uint32_t reg = 0; reg < function.registers.size(); ++reg) {
        if (!liveness.intervals[reg].empty()) {
            order.push_back(reg);
        }
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        auto const begin_a = liveness.intervals[a].begin, begin_b = liveness.intervals[b].begin;
        return begin_a != begin_b ? begin_a < begin_b : a < b;
    });

    ir::RegisterLayout& layout = function.layout;
    layout = {};
    layout.column.assign(function.registers.size(), 0);
    std::array<ColumnPool, width_classes> pools;
    for (std::uint32_t reg : order) {
        layout.column[reg] = pools[width_class(function.registers[reg].type)].take(liveness.intervals[reg]);
    }
    ColumnCounts counts{};
    std::transform(pools.begin(), pools.end(), counts.begin(),
                   [](ColumnPool const& pool) { return pool.count(); });
    set_counts(layout, counts);
    layout.pressure = liveness.pressure;
}

ir::RegisterLayout unshared_layout(ir::Function const& function) {
    ir::RegisterLayout layout;
    ColumnCounts counts{};
    for (ir::Register const& reg : function.registers) {
        layout.column.push_back(counts[width_class(reg.type)]++);
    }
    set_counts(layout, counts);
    layout.pressure = function.layout.pressure;
    return layout;
}

}  // namespace warpsim::frontend
