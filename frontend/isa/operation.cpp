#include "frontend/isa/operation.hpp"

#include "frontend/isa/names.hpp"
#include "frontend/isa/table.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <vector>

namespace warpsim::isa {

namespace {

// Both are sorted by spelling: the generator writes them so.
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

template <class Enumeration, std::size_t n>
Enumeration named(std::string_view const (&names)[n], std::string_view spelling) {
    auto const* const found = std::lower_bound(std::begin(names), std::end(names), spelling);
    assert(found != std::end(names) && *found == spelling);
    return static_cast<Enumeration>(found - std::begin(names));
}

}  // namespace

std::string_view name(Operation operation) { return operation_names[static_cast<std::size_t>(operation)]; }
std::string_view name(Modifier modifier) { return modifier_names[static_cast<std::size_t>(modifier)]; }

Operation operation_of(std::uint32_t row) {
    static auto const& operations = *new std::vector<Operation>([] {
        std::vector<Operation> list;
        for (Row const& r : rows(HostIsa::baseline)) {
            list.push_back(named<Operation>(operation_names, operation_name(r.syntax)));
        }
        return list;
    }());
    return operations[row];
}

Modifier modifier_named(std::string_view spelling) { return named<Modifier>(modifier_names, spelling); }

}  // namespace warpsim::isa
