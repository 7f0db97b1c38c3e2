// The syntax tree as text, for `warpsim dump --what ast`.
#pragma once

#include "frontend/source.hpp"
#include "frontend/syntax.hpp"

#include <string>
#include <string_view>

namespace warpsim::command {

/// A line per statement with its location, its parts below it. Only for `kernel`, if one is named.
std::string print_syntax(frontend::Source const& source, frontend::syntax::Module const& tree,
                         std::string_view kernel);

}  // namespace warpsim::command
