// The variables of the source, and where they are kept.
#pragma once

#include "runtime/debug/dwarf/sections.hpp"
#include "runtime/debug/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::debug {

/// Where a variable is while the code from `low` until `high` executes.
struct VariableLocation {
    std::uint64_t low = 0, high = UINT64_MAX;  // symbol_address()
    std::string register_name;                 // "%r3"; else it is in memory
    std::uint64_t address = 0;                 // symbol_address() of what it is a part of
    std::uint64_t offset = 0;
};

struct SourceVariable {
    std::string name;
    TypePointer type;
    std::uint64_t low = 0, high = UINT64_MAX;  // of the block that it is declared in
    bool is_parameter = false;
    std::vector<VariableLocation> locations;
};

struct SourceVariables {
    SourceVariables() = default;
    ~SourceVariables();
    SourceVariables(SourceVariables const&) = delete;
    SourceVariables& operator=(SourceVariables const&) = delete;

    std::vector<SourceVariable> all;
    std::map<std::string, TypePointer> types;            // that have names
    std::vector<std::shared_ptr<ValueType>> structures;  // which may lead back to themselves
};

/// Of all texts of a module; empty where it has no debugging information, or this was built without elfutils. Kept for the
/// module.
SourceVariables const& source_variables(ir::Module const& module);

/// The only symbol of the module libwarpsim_debug_variables.so; adds what it finds.
inline constexpr char read_dwarf_symbol[] = "warpsim_read_dwarf";
using ReadDwarf = void (*)(Sections const& sections, SourceVariables& variables);

}  // namespace warpsim::debug
