// Launching kernels: from a handle, a shape and the addresses of arguments to work on a device.
#pragma once

#include "runtime/cuda/streams/work.hpp"

#include <span>

namespace warpsim::cuda {

/// The default limits of what a launch may ask for; throws Failure with the number that CUDA gives.
void check_shape(Gpu& gpu, Kernel& kernel, runtime::LaunchShape const& shape);

/// The kernel's parameter block from the addresses of its arguments, or as the driver's `extra` list gives it.
runtime::Arguments arguments_of(Gpu& gpu, Kernel& kernel, void* const* arguments);
runtime::Arguments packed_arguments(void const* block, std::size_t bytes);

/// The driver's two ways: a list of addresses, or `extra`, pairs of a tag and a value.
runtime::Arguments arguments_from(Gpu& gpu, Kernel& kernel, void* const* arguments, void* const* extra);

/// Checks the work and submits it.
void launch(KernelWork work, Stream& stream);

/// One of the attributes that a launch may have, with the numbers and the layout that both interfaces share.
struct LaunchAttribute {
    unsigned id;
    alignas(8) unsigned char value[64];
};
static_assert(sizeof(LaunchAttribute) == 72);
/// The same with attributes. Throws Failure(invalid_value) for one that is none, Failure(not_supported) for one
/// that would change what happens and is not simulated; those that can only make a launch faster are ignored.
void launch(KernelWork work, std::span<LaunchAttribute const> attributes, Stream& stream);
/// Without those that record events.
void apply(LaunchAttribute const& attribute, KernelWork& work);

/// CTAs that one SM holds at once.
int occupancy(Gpu& gpu, Kernel& kernel, std::uint32_t threads, std::size_t dynamic_shared);

}  // namespace warpsim::cuda
