// The variables through which clients of CUDA that compile at run time find what stands in for NVIDIA's tools.
#pragma once

#include <filesystem>

namespace warpsim::command {

/// Sets those that the user has not set, and says so with -vv; `cuda` is the folder of the CUDA libraries. What is
/// found through them says with -v what it does.
void set_client_environment(std::filesystem::path const& cuda);

}  // namespace warpsim::command
