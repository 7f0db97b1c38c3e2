// Traces of other tools, for `run`.
#pragma once

#include "runtime/options/values.hpp"

#include <string>

namespace CLI {
class App;
}

namespace warpsim::command {

/// Runs the launches of a kernelslist.g, or of one .traceg. Throws Error for options that a trace does not allow.
int run_trace(std::string const& file, CLI::App const& sub, options::Values& chosen);

}  // namespace warpsim::command
