// Which functions an indirect call may reach: those that its prototype or list of targets allows.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::sim {

/// Why a call by that prototype may not reach the function; empty if it may.
std::string misfit(ir::Module const& module, ir::Prototype const& prototype, std::uint32_t function);

/// The functions whose addresses the module's code or variables take: those that can reach a call through memory
/// or a kernel's parameters.
std::vector<std::uint32_t> functions_with_addresses(ir::Module const& module);

}  // namespace warpsim::sim
