// The memory of a launch that was captured: placed where it was, filled, and compared afterwards.
#pragma once

#include "runtime/device.hpp"
#include "runtime/plan/plan.hpp"

#include <string>

namespace warpsim::plan {

/// `path` is the plan's, for messages. Throws Error(plan) if the memory cannot be had at its addresses.
void place_memory(CapturedMemory const& memory, runtime::Device& device, std::string const& path);
/// What differs from what the captured launch has left; empty: nothing, or that is not known.
std::string compare_memory(CapturedMemory const& memory, runtime::Device const& device, std::string const& path);

}  // namespace warpsim::plan
