// Names of kernels and functions as their programs spell them.
#pragma once

#include <string>

namespace warpsim::sim {

/// "reverse(int*)" for "_Z7reversePi"; a name that is not mangled stays as it is.
std::string demangled(std::string const& name);

}  // namespace warpsim::sim
