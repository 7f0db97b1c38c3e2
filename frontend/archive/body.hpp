// The leading bytes of an instruction and an operand in a packed body: flags for the fields that follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsim::frontend {

/// The first byte of an instruction. The upper four bits are its operand count; `many_operands`: the count
/// follows.
namespace instruction_byte {
inline constexpr unsigned has_guard = 1, is_negated = 2, moves_operands = 4, moves_location = 8;
inline constexpr unsigned count_shift = 4, many_operands = 15;
}  // namespace instruction_byte

/// The first two bytes of an operand; its type is the third.
namespace operand_byte {
inline constexpr unsigned kind_mask = 15, is_negated = 16, is_generic = 32, is_module_variable = 64;  // the first
inline constexpr unsigned base_mask = 3, has_count = 4, has_index = 8, has_value = 16;                // the second
}  // namespace operand_byte

/// "%r17" is "%r" and 17: registers of one type with consecutive numbers are written as one run.
struct NumberedName {
    std::string_view prefix;
    std::uint32_t number = 0;
    bool is_numbered = false;
};

inline NumberedName numbered(std::string_view name) {
    std::size_t digits = 0;
    while (digits < name.size() && digits < 9 && name[name.size() - digits - 1] >= '0' &&
           name[name.size() - digits - 1] <= '9')
        ++digits;
    // A leading zero would be lost.
    while (digits > 1 && name[name.size() - digits] == '0') --digits;
    if (digits == 0) return {name, 0, false};
    std::uint32_t number = 0;
    for (char const c : name.substr(name.size() - digits))
        number = 10 * number + static_cast<std::uint32_t>(c - '0');
    return {name.substr(0, name.size() - digits), number, true};
}

}  // namespace warpsim::frontend
