// A launch in timing mode that is executed and not timed.
#pragma once

#include "runtime/device_state.hpp"

namespace warpsim::runtime {

/// With all that its kernels launch, at once.
LaunchResult run_untimed(Device::State& state, Module::State& loaded, std::uint32_t kernel,
                         LaunchShape const& shape, Arguments const& arguments);

}  // namespace warpsim::runtime
