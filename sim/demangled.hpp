// Names of kernels and functions as their programs spell them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

/// "reverse(int*)" for "_Z7reversePi"; a name that is not mangled stays as it is.
std::string demangled(std::string const& name);

/// "ns::scale<float>", "ns::scale" and "scale" of "void ns::scale<float>(float*, int)".
std::vector<std::string> short_names(std::string const& demangled);

/// A name of templates as short as people read: where it is longer than `limit`, what stands deepest in its brackets is left
/// out, "void reduce<...>(...)", and of what is still too long the middle. `gap` stands for what is missing.
std::string abbreviated(std::string const& demangled, std::size_t limit = 160, std::string_view gap = "...");

}  // namespace warpsim::sim
