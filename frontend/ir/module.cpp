#include "frontend/ir/module.hpp"

#include <algorithm>

namespace warpsim::ir {

namespace {

template <class T>
T const* named(std::vector<T> const& all, std::string_view name) {
    auto const found = std::find_if(all.begin(), all.end(), [name](T const& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

bool Form::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Function const* Module::function(std::string_view name) const { return named(functions, name); }

Variable const* Module::variable(std::string_view name) const { return named(variables, name); }

}  // namespace warpsim::ir
