// Numbers of every kind that instructions take: ordinary ones, and those at which they do something else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsim::hw {

/// What a table holds. Numbers of fewer than 64 bits are the low bits of an entry; 16-bit floats fill entries of
/// four. The `matrix_` kinds keep the same sort of numbers for 32 entries, those of a warp.
enum class Kind : std::uint8_t {
    bits,
    integers,
    f16,
    bf16,
    f32,
    f64,
    matrix_f16,
    matrix_bf16,
    matrix_f32,
    matrix_f64,
    matrix_f8,
    metadata,        // of two elements in four
    pairs_metadata,  // of one element in two
    count
};
inline constexpr std::size_t table_numbers = 65536;

/// Entry `i` of a table.
std::uint64_t number(Kind kind, std::uint64_t i);

}  // namespace warpsim::hw
