// Files as they are called in the repository that a code host has checked out.
#pragma once

#include <string>

namespace warpsim::check {

/// `name` is a file that the PTX in the file `ptx` names, or that file; relative to GITHUB_WORKSPACE if it is in there.
std::string in_workspace(std::string const& name, std::string const& ptx);

}  // namespace warpsim::check
