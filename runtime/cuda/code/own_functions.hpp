// Device functions that programs call and NVIDIA's device library would define: the simulator has its own, in PTX.
#pragma once

#include "runtime/device.hpp"

#include <vector>

namespace warpsim::cuda {

/// Appends those that a text of a program refers to.
void add_own_functions(std::vector<runtime::PtxText>& texts);

}  // namespace warpsim::cuda
