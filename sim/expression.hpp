// Regular expressions that users choose names by.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace warpsim::sim {

/// Whether the expression occurs in a name. Throws Error(usage) for what is none, which names the option that it stands in.
std::function<bool(std::string const& name)> expression(std::string const& text, std::string_view option);

}  // namespace warpsim::sim
