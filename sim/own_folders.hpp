// Where the modules are that are loaded when they are first needed.
#pragma once

#include <string>
#include <vector>

namespace warpsim::sim {

/// Beside the library that this code is in, or, from the command, in lib beside its own folder. Each ends with '/'.
std::vector<std::string> own_folders();

}  // namespace warpsim::sim
