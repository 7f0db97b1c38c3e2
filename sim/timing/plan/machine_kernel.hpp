// A kernel as timing mode runs it: cleaned up, scheduled, with registers, and the functional plan that executes it
// in that order.
#pragma once

#include "sim/config/config.hpp"
#include "sim/exec/plan.hpp"
#include "sim/timing/plan/allocate.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warpsim::timing {

/// One function that the kernel reaches.
struct CompiledFunction {
    MachineFunction machine;  // in the order of issue
    Allocation allocation;
    std::vector<std::uint32_t>
        original;  // per instruction: its number in the module as it was decoded; ir::none: a spill
    std::uint64_t spilled_bytes = 0;  // of local memory, per thread
    std::uint32_t branches = 0;       // that became guards
    bool is_squeezed = false;         // its best order took more registers than it should
};

struct MachineKernel {
    ir::Module module;                        // with the instructions of the kernel in the order of issue
    std::vector<CompiledFunction> functions;  // as kernel.functions; point into `module`
    sim::KernelPlan kernel;                   // points into `module`
    std::uint32_t registers = 0;              // per thread, before rounding to the unit of allocation
    std::uint64_t spilled_bytes = 0;          // of local memory, per thread, of all functions

    MachineKernel() = default;
    MachineKernel(MachineKernel const&) = delete;
    MachineKernel& operator=(MachineKernel const&) = delete;
};

/// `plan` is the functional plan of the same kernel. Throws what make_plan() throws.
std::unique_ptr<MachineKernel> make_machine_kernel(sim::KernelPlan const& plan,
                                                   sim::SymbolAddresses const& symbols,
                                                   sim::PlanOptions const& options, sim::Config const& config);

/// Only the number of 32-bit registers of a thread.
std::uint32_t count_registers(sim::KernelPlan const& plan, sim::Config const& config);

/// The kernel as text: in the order of issue, every instruction with its micro-ops, its hardware registers and its
/// location in the PTX and in the original program (`warpsim dump --what machine`).
std::string print_machine_kernel(MachineKernel const& kernel);

}  // namespace warpsim::timing
