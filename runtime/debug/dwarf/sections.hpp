// The debugging information that nvcc -G writes into PTX, as bytes. Addresses of code and of variables have no values in PTX:
// numbers stand for them that say what they are.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpsim::debug {

/// An address in the debugging information: what it is of, in its upper bits, and which.
enum class SymbolKind : std::uint8_t { none, code, module_variable, function_variable };
constexpr std::uint64_t symbol_address(SymbolKind kind, std::uint64_t function, std::uint64_t which) {
    return static_cast<std::uint64_t>(kind) << 60 | function << 32 | which;
}
constexpr SymbolKind kind_of(std::uint64_t address) { return static_cast<SymbolKind>(address >> 60); }
constexpr std::uint32_t function_of(std::uint64_t address) {
    return static_cast<std::uint32_t>(address >> 32 & 0xfffffff);
}
constexpr std::uint32_t which_of(std::uint64_t address) { return static_cast<std::uint32_t>(address); }

using Sections = std::map<std::string, std::vector<std::byte>>;  // by name: ".debug_info"

/// Those of one text of the module; none if it has no debugging information.
Sections assemble_sections(ir::Module const& module, std::uint32_t source);

}  // namespace warpsim::debug
