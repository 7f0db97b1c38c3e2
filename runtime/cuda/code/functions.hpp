// What a program may ask about kernels and set for them, by the numbers that both interfaces share.
#pragma once

#include "runtime/cuda/code/kernel_launch.hpp"

#include <cstddef>

namespace warpsim::cuda {

/// Numbers of cudaFuncAttribute and CUfunction_attribute.
enum class FunctionAttribute : int {
    max_threads = 0,
    static_shared = 1,
    constant = 2,
    local = 3,
    registers = 4,
    ptx_version = 5,
    binary_version = 6,
    cache_mode = 7,
    max_dynamic_shared = 8,
    carve_out = 9,
    cluster_must_be_set = 10,
    cluster_width = 11,
    cluster_height = 12,
    cluster_depth = 13,
    non_portable_cluster = 14,
    cluster_policy = 15,
};

/// Throws Failure(invalid_value) for an unknown number, one that cannot be set, or a value out of range.
int function_attribute(Gpu& gpu, Kernel& kernel, int number);
void set_function_attribute(Gpu& gpu, Kernel& kernel, int number, int value);

/// The most dynamic shared memory that the kernel may be launched with, and with which `ctas` CTAs of that size fit on
/// one SM. Throws Failure(invalid_value).
std::size_t available_shared(Gpu& gpu, Kernel& kernel, int ctas, int threads);
/// The launch that a query about clusters describes: CUlaunchConfig and cudaLaunchConfig_t begin alike.
struct LaunchDescription {
    std::uint32_t grid[3], block[3];
    std::uint32_t dynamic_shared;
    void* stream;
    LaunchAttribute const* attributes;
    unsigned attribute_count;
};
static_assert(sizeof(LaunchDescription) == 56);
/// How many clusters fit on the device at once, and how many CTAs a cluster may have.
int active_clusters(Gpu& gpu, Kernel& kernel, LaunchDescription const& launch);
int largest_cluster(Gpu& gpu, Kernel& kernel, LaunchDescription const& launch);
/// The size of a CTA that fills an SM best, and how many such CTAs fill the device.
struct Filling {
    int threads = 0;
    int ctas = 0;
};
Filling best_filling(Gpu& gpu, Kernel& kernel, std::size_t (*shared_of)(int threads), std::size_t shared,
                     int most_threads);

}  // namespace warpsim::cuda
