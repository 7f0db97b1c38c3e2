// Files of ours that are loaded, or handed to programs, when they are needed: where a build or an installed tree has them.
#pragma once

#include <string>

namespace warpsim::sim {

/// Where `name` ("libwarpsim_compiler.so", "cuda/libcuda.so.1") is, seen from the program or library that this code is
/// part of. Empty when it is nowhere.
std::string own_file(std::string const& name);

}  // namespace warpsim::sim
