// Launching kernels in streams.
#pragma once

#include "runtime/cuda/streams/work.hpp"

#include <span>

namespace warpsim::cuda {

/// Carries out what belongs to the launch of a kernel, which a failure tells of.
template <class F> void launching(Kernel const& kernel, F&& work) {
    try {
        work();
    } catch (Failure& failure) {
        failure.set_kernel(kernel.name);
        throw;
    }
}

/// Checks the work and submits it.
void launch(Process& process, KernelWork work, Stream& stream);
/// The same with attributes; those that could only make a launch faster are ignored. Throws what apply()
/// throws.
void launch(Process& process, KernelWork work, std::span<LaunchAttribute const> attributes, Stream& stream);

}  // namespace warpsim::cuda
