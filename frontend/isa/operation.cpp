#include "frontend/isa/operation.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace warpsim::isa {

namespace {

// The names are sorted by spelling: the generator writes them so.
constexpr std::string_view operation_names[] = {
#define WARPSIM_OPERATION(identifier, spelling) spelling,
#include "frontend/isa/operations.inc"
#undef WARPSIM_OPERATION
};
constexpr std::string_view modifier_names[] = {
#define WARPSIM_MODIFIER(identifier, spelling) spelling,
#include "frontend/isa/operations.inc"
#undef WARPSIM_MODIFIER
};
constexpr Operation operations_of_rows[] = {
#define WARPSIM_ROW(identifier) Operation::identifier,
#include "frontend/isa/operations.inc"
#undef WARPSIM_ROW
};

template <class Enumeration, std::size_t n>
Enumeration named(std::string_view const (&names)[n], std::string_view spelling) {
    auto const* const found = std::lower_bound(std::begin(names), std::end(names), spelling);
    assert(found != std::end(names) && *found == spelling);
    return static_cast<Enumeration>(found - std::begin(names));
}

}  // namespace

std::string_view name(Operation operation) { return operation_names[static_cast<std::size_t>(operation)]; }
std::string_view name(Modifier modifier) { return modifier_names[static_cast<std::size_t>(modifier)]; }

Operation operation_of(std::uint32_t row) { return operations_of_rows[row]; }

Modifier modifier_named(std::string_view spelling) { return named<Modifier>(modifier_names, spelling); }

}  // namespace warpsim::isa
