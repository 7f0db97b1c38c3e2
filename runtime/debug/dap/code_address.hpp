// Instructions of PTX have no addresses; clients count with some.
#pragma once

#include "runtime/debug/lines.hpp"

#include <cstdint>
#include <optional>

namespace warpsim::debug::dap {

/// Far from those of memory. Each instruction takes one "byte", so that offsets count instructions.
constexpr std::uint64_t code_base = std::uint64_t{0x7c} << 56;

inline std::uint64_t code_address(CodePlace const& place) {
    return code_base + (std::uint64_t{place.function} << 32) + place.instruction;
}

/// None: it is outside of all functions.
inline std::optional<CodePlace> code_place(ir::Module const& module, std::uint64_t address) {
    if (address < code_base) return std::nullopt;
    CodePlace const place{static_cast<std::uint32_t>((address - code_base) >> 32),
                          static_cast<std::uint32_t>(address)};
    bool const is_there = place.function < module.functions.size() &&
                          place.instruction < module.functions[place.function].instructions.size();
    return is_there ? std::optional(place) : std::nullopt;
}

}  // namespace warpsim::debug::dap
