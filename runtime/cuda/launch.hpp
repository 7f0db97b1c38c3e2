// Launching kernels: from a handle, a shape and the addresses of arguments to work on a device.
#pragma once

#include "runtime/cuda/process.hpp"

namespace warpsim::cuda {

/// The default limits of what a launch may ask for; throws Failure with the number that CUDA gives.
void check_shape(Gpu& gpu, Kernel& kernel, runtime::LaunchShape const& shape);

/// Submits the kernel to the stream. `arguments` has the address of each argument, in the kernel's order; it may be
/// null for a kernel without parameters.
void launch(Kernel& kernel, runtime::LaunchShape const& shape, void* const* arguments, Stream& stream);
/// The same, with the whole parameter block as the driver's `extra` list gives it.
void launch_packed(Kernel& kernel, runtime::LaunchShape const& shape, void const* block, std::size_t bytes, Stream& stream);

/// CTAs that one SM holds at once.
int occupancy(Gpu& gpu, Kernel& kernel, std::uint32_t threads, std::size_t dynamic_shared);

}  // namespace warpsim::cuda
