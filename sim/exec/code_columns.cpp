#include "sim/exec/code_columns.hpp"

#include <array>
#include <bit>
#include <cstring>

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

using Words [[gnu::vector_size(32), gnu::may_alias]] = std::uint32_t;
constexpr std::size_t words_of_vector = 8;

/// Word by word, as many for each lane as its number has: every host has vectors of words, if smaller ones.
template <std::size_t words>
[[gnu::always_inline]] inline void merge_words(std::byte* column, std::byte const* values, LaneMask mask) {
    alignas(Words) static constexpr auto bits = [] {
        std::array<LaneMask, words * isa::warp_size> of_words{};
        for (std::size_t i = 0; i < of_words.size(); ++i) of_words[i] = LaneMask{1} << i / words;
        return of_words;
    }();
    auto* const old = reinterpret_cast<Words*>(column);
    auto const* const fresh = reinterpret_cast<Words const*>(values);
    auto const* const bit = reinterpret_cast<Words const*>(bits.data());
    for (std::size_t i = 0; i < bits.size() / words_of_vector; ++i) {
        auto const keeps = reinterpret_cast<Words>((bit[i] & mask) == 0);
        old[i] = (old[i] & keeps) | (fresh[i] & ~keeps);
    }
}

[[gnu::always_inline]] inline void merge(ColumnAt const& column, std::byte const* values, LaneMask mask) {
    if (column.log2 == 2) return merge_words<1>(column.bytes, values, mask);
    if (column.log2 == 3) return merge_words<2>(column.bytes, values, mask);
    for (LaneMask left = mask; left != 0; left &= left - 1) {
        auto const at = static_cast<std::size_t>(std::countr_zero(left)) << column.log2;
        std::memcpy(column.bytes + at, values + at, std::size_t{1} << column.log2);
    }
}

[[gnu::always_inline]] inline void merge_each(CompiledState const& state, std::uint64_t const* columns,
                                              std::uint32_t count, std::byte const* values, LaneMask mask) {
    for (std::uint32_t i = 0; i < count; ++i) merge({state, columns[i]}, values + std::size_t{256} * i, mask);
}
void merge_for_code(CompiledState& state, std::uint64_t const* columns, std::uint32_t count,
                    std::byte const* values, LaneMask mask) {
    merge_each(state, columns, count, values, mask);
}
/// Warps whose lanes leave a loop one after the other do nothing as often.
[[gnu::target("avx2")]] void merge_with_avx2(CompiledState& state, std::uint64_t const* columns,
                                             std::uint32_t count, std::byte const* values, LaneMask mask) {
    merge_each(state, columns, count, values, mask);
}

}  // namespace

void set_column_calls(CompiledState& state) {
    state.differs = differs_in_code;
    state.expand = expand_for_code;
    state.merge = __builtin_cpu_supports("avx2") != 0 ? merge_with_avx2 : merge_for_code;
}

}  // namespace warpsim::sim
