#include "frontend/ir/analysis/columns.hpp"

#include "frontend/isa/types.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace warpsim::ir {
namespace {

/// The columns of one class during the scan.
class ColumnPool {
public:
    /// The lowest column that is free from `begin` on; it stays taken until `end`.
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
    SmallestFirst<std::pair<ProgramPoint, std::uint32_t>> taken_;  // with the last point at which each is needed
    SmallestFirst<std::uint32_t> free_;
    std::uint32_t count_ = 0;
};

template <class T> using ByClass = std::array<T, static_cast<std::size_t>(WidthClass::count)>;

template <class T> T& of(ByClass<T>& all, WidthClass which) { return all[static_cast<std::size_t>(which)]; }

void set_counts(RegisterLayout& layout, ByClass<std::uint32_t> counts) {
    layout.columns16 = of(counts, WidthClass::bits16);
    layout.columns32 = of(counts, WidthClass::bits32);
    layout.columns64 = of(counts, WidthClass::bits64);
    layout.columns128 = of(counts, WidthClass::bits128);
    layout.predicates = of(counts, WidthClass::predicate);
}

}  // namespace

WidthClass width_class(Type type) {
    if (type == Type::pred) {
        return WidthClass::predicate;
    }
    int const bits = isa::width(type);
    // Handles of textures and samplers have no width of their own; they are addresses.
    return bits == 0    ? WidthClass::bits64
           : bits <= 16 ? WidthClass::bits16
           : bits <= 32 ? WidthClass::bits32
           : bits <= 64 ? WidthClass::bits64
                        : WidthClass::bits128;
}

RegisterLayout share_columns(Function const& function, Liveness const& liveness) {
    RegisterLayout layout;
    layout.column.assign(function.registers.size(), 0);
    ByClass<ColumnPool> pools;
    for (std::uint32_t const reg : order_by_begin(liveness.intervals)) {
        layout.column[reg] = of(pools, width_class(function.registers[reg].type)).take(liveness.intervals[reg]);
    }
    ByClass<std::uint32_t> counts{};
    std::transform(pools.begin(), pools.end(), counts.begin(),
                   [](ColumnPool const& pool) { return pool.count(); });
    set_counts(layout, counts);
    layout.pressure = std::max(liveness.most_live, 1u);
    return layout;
}

RegisterLayout separate_columns(Function const& function) {
    RegisterLayout layout;
    ByClass<std::uint32_t> counts{};
    for (Register const& reg : function.registers) {
        layout.column.push_back(of(counts, width_class(reg.type))++);
    }
    set_counts(layout, counts);
    layout.pressure = function.layout.pressure;
    return layout;
}

}  // namespace warpsim::ir
