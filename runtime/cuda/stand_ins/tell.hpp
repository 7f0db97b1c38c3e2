// What libraries that stand in for NVIDIA's say. The process, which sets up the log otherwise, may not have begun.
#pragma once

#include <string>

namespace warpsim::cuda {

/// Says what a library has been asked for and does instead: with -v, each only once.
void tell_of_stand_in(std::string const& what);
/// The log as the user has chosen it.
void set_up_log();

}  // namespace warpsim::cuda
