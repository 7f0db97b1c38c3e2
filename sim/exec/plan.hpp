// Makes the functional plan from the IR: everything that one kernel can reach, ready to be executed.
#pragma once

#include "sim/exec/op.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpsim::sim {

/// The addresses of the module's symbols on the device that will execute the plan.
struct SymbolAddresses {
    std::vector<std::uint64_t> variable;  // per ir module variable; for .shared ones the offset in the CTA's
    std::uint64_t memory = 0;             // where the device's memory begins
};

/// The value that PTX sees as a function's address; fits in 32 bits, never 0.
constexpr std::uint64_t function_address(std::uint32_t function) { return 0x1000 + 16ull * function; }
/// The function at such an address; ir::none when there is none.
std::uint32_t function_at(std::uint64_t address, std::size_t functions);

struct EffectRule;

struct PlanOptions {
    isa::HostIsa host = isa::HostIsa::baseline;
    bool share_registers = true;
    bool share_fixed = false;  // a register that is the same in all lanes of a CTA has one column for all warps
    std::span<EffectRule const> effects{};  // the rules by effect; none: those of the files in effects/
};

/// Plans the kernel `entry` (an index of ir::Module::functions) and everything that it can call. Throws
/// Error(launch) with the source lines of whatever is used and not executed yet. The module must outlive the plan.
KernelPlan make_plan(ir::Module const& module, std::uint32_t entry, SymbolAddresses const& symbols,
                     PlanOptions const& options);

/// The plan as text, an op a line (`warpsim dump --what plan`).
std::string print_plan(KernelPlan const& plan);

}  // namespace warpsim::sim
