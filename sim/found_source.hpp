// Where the sources are that PTX names.
#pragma once

#include <string>

namespace warpsim::sim {

/// An absolute name of a file that is there; else the name.
std::string absolute_if_there(std::string const& name);
/// The file that the PTX in `ptx` calls so: seen from here, or from the folder of the PTX. Else as it is called.
std::string found_source(std::string const& name, std::string const& ptx);

}  // namespace warpsim::sim
