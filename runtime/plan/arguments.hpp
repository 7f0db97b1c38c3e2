// Turns a plan's arguments into a kernel's parameter block, once the kernel's signature is known.
#pragma once

#include "runtime/device.hpp"
#include "runtime/plan/plan.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpsim::plan {

/// `handle` gives the number of a texture, sampler or surface. Throws Error(plan) that names `place`
/// ("saxpy.json: launches[0]") and the argument.
runtime::Arguments make_arguments(std::vector<Argument> const& arguments, std::string const& kernel,
                                  std::vector<runtime::Module::Parameter> const& parameters,
                                  std::string const& place, bool one_line,
                                  std::function<std::uint64_t(Address const&)> const& resolve,
                                  std::function<std::uint64_t(TextureObject const&)> const& handle = {});

}  // namespace warpsim::plan
