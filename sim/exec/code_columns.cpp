#include "sim/exec/code_columns.hpp"

#include <bit>

namespace warpsim::sim {

namespace {

constexpr std::size_t row = 16;  // lanes; see LaneShape

struct ColumnAt {
    std::byte* bytes;
    std::uint8_t log2;
    ColumnShape shape;

    ColumnAt(CompiledState const& state, std::uint64_t described)
        : bytes(state.bases[described & 3] + (static_cast<std::uint32_t>(described) & ~3u)),
          log2(static_cast<std::uint8_t>(described >> 32)),
          shape(static_cast<ColumnShape>(described >> 40)) {}
    template <class T> T* lanes() const { return reinterpret_cast<T*>(bytes); }
};

/// Calls `each` with a number of the column's width.
template <class Each> auto for_width(ColumnAt const& column, Each const& each) {
    switch (column.log2) {
        case 1: return each(std::uint16_t{});
        case 2: return each(std::uint32_t{});
        default: return each(std::uint64_t{});
    }
}

template <class T> bool is_other(ColumnAt const& column) {
    T const* const lanes = column.lanes<T>();
    T const first = lanes[0];
    bool const is_uniform = column.shape == ColumnShape::uniform;
    T const step = column.shape == ColumnShape::counted  ? T{1}
                   : column.shape == ColumnShape::linear ? static_cast<T>(lanes[1] - first)
                                                         : T{0};
    T const second = is_uniform ? first : lanes[row];
    T others = 0;
    for (std::size_t i = 0; i < row; ++i) {
        T const along = static_cast<T>(static_cast<T>(i) * step);
        others |= static_cast<T>(lanes[i] ^ static_cast<T>(first + along));
        others |= static_cast<T>(lanes[row + i] ^ static_cast<T>(second + along));
    }
    return others != 0;
}

bool looks_otherwise(ColumnAt const& column) {
    if (column.log2 == 0) {
        LaneMask const mask = *column.lanes<LaneMask>();
        return mask != 0 && mask != isa::all_lanes;
    }
    return for_width(column, [&](auto number) { return is_other<decltype(number)>(column); });
}

bool differs_in_code(CompiledState const& state, std::uint64_t const* columns, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        if (looks_otherwise({state, columns[i]})) return true;
    }
    return false;
}

template <class T> void expand(ColumnAt const& column) {
    T* const lanes = column.lanes<T>();
    T const first = lanes[0];
    bool const is_uniform = column.shape == ColumnShape::uniform;
    T const step = is_uniform ? T{0} : lanes[1];
    T const second = is_uniform ? first : static_cast<T>(first + lanes[2]);
    for (std::size_t i = 0; i < row; ++i) {
        T const along = static_cast<T>(static_cast<T>(i) * step);
        lanes[i] = static_cast<T>(first + along);
        lanes[row + i] = static_cast<T>(second + along);
    }
}

void expand_for_code(CompiledState& state, std::uint64_t const* columns, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        ColumnAt const column(state, columns[i]);
        for_width(column, [&](auto number) { expand<decltype(number)>(column); });
    }
}

template <class T> void merge(ColumnAt const& column, std::byte const* values, LaneMask mask) {
    T* const lanes = column.lanes<T>();
    T const* const fresh = reinterpret_cast<T const*>(values);
    for (LaneMask left = mask; left != 0; left &= left - 1) {
        auto const lane = static_cast<std::size_t>(std::countr_zero(left));
        lanes[lane] = fresh[lane];
    }
}

void merge_for_code(CompiledState& state, std::uint64_t const* columns, std::uint32_t count,
                    std::byte const* values, LaneMask mask) {
    for (std::uint32_t i = 0; i < count; ++i) {
        ColumnAt const column(state, columns[i]);
        for_width(column,
                  [&](auto number) { merge<decltype(number)>(column, values + std::size_t{256} * i, mask); });
    }
}

}  // namespace

void set_column_calls(CompiledState& state) {
    state.differs = differs_in_code;
    state.expand = expand_for_code;
    state.merge = merge_for_code;
}

}  // namespace warpsim::sim
