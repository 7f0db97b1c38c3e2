// Turns a plan's arguments into a kernel's parameter block, once the kernel's signature is known.
#pragma once

#include "runtime/device.hpp"
#include "runtime/plan/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::plan {

/// Throws Error(plan) that names `place`
/// ("saxpy.json: launches[0]") and the argument.
runtime::Arguments make_arguments(std::vector<Argument> const& arguments, std::string const& kernel,
                                  std::vector<runtime::Module::Parameter> const& parameters,
                                  std::string const& place, bool one_line, Resolve const& resolve);

}  // namespace warpsim::plan
