// A launch of a kernel as data: from a shape and the addresses of arguments, checked before it is put into a stream.
#pragma once

#include "runtime/cuda/code/program.hpp"
#include "runtime/cuda/devices/gpu.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpsim::cuda {

struct KernelWork {
    std::shared_ptr<Kernel> kernel;
    runtime::LaunchShape shape;
    runtime::Arguments arguments;
    int priority = 0;
    void* function = nullptr;   // by which the program called it
    bool begins_early = false;  // possibly before the kernel in front of it has ended, if that one lets it
    int device = -1;            // of a graph's node, which may not be that of the stream; -1: the stream's
};

/// Throws the Failure that CUDA gives for a launch that cannot be done.
void check(Gpu& gpu, KernelWork const& work);
/// Checks a shape against the default limits of launches; throws Failure with the number that CUDA gives.
void check_shape(Gpu& gpu, Kernel& kernel, runtime::LaunchShape const& shape);

/// The kernel's parameter block, from the addresses of its arguments or as the driver's `extra` list gives it.
runtime::Arguments arguments_of(Gpu& gpu, Kernel& kernel, void* const* arguments);
runtime::Arguments packed_arguments(void const* block, std::size_t bytes);

/// The two ways of the driver: a list of addresses, or `extra`, which holds pairs of a tag and a value.
runtime::Arguments arguments_from(Gpu& gpu, Kernel& kernel, void* const* arguments, void* const* extra);

/// One of the attributes that a launch may have, with the numbers and the layout that both interfaces share.
struct LaunchAttribute {
    enum Id : unsigned {
        cooperative = 2,
        cluster_dimension = 4,
        programmatic_serialization = 6,
        priority = 8,
        updatable_node = 13,
        last = 17,
    };
    unsigned id;
    alignas(8) unsigned char value[64];
};
static_assert(sizeof(LaunchAttribute) == 72);
/// Attributes that record events change nothing about the work. Throws Failure(invalid_value) for an unknown
/// attribute, Failure(not_supported) for one that would change the execution and is not simulated.
void apply(LaunchAttribute const& attribute, KernelWork& work);

/// How many CTAs one SM holds at once.
int occupancy(Gpu& gpu, Kernel& kernel, std::uint32_t threads, std::size_t dynamic_shared);

}  // namespace warpsim::cuda
