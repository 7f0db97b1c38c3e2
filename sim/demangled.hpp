// Names of kernels and functions as their programs spell them.
#pragma once

#include <string>
#include <vector>

namespace warpsim::sim {

/// "reverse(int*)" for "_Z7reversePi"; a name that is not mangled stays as it is.
std::string demangled(std::string const& name);

/// "ns::scale<float>", "ns::scale" and "scale" of "void ns::scale<float>(float*, int)".
std::vector<std::string> short_names(std::string const& demangled);

}  // namespace warpsim::sim
