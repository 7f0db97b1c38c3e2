// What programs ask of loaded modules and of configurations, in types that every language has.
#pragma once

#include "runtime/device.hpp"
#include "runtime/embed/device.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpsim::embed {

/// The kernel of that name in PTX, or the only one that its source calls so: "scale" of "void ns::scale<float>(float*)".
/// Throws Error(usage).
std::string kernel_named(runtime::Module const& module, std::string const& name);
std::string demangled(std::string const& kernel);
/// What a kernel needs of a device, as a JSON object.
std::string attributes_of(Device& device, runtime::Module& module, std::string const& kernel);

/// Names and descriptions, the default first.
std::vector<std::pair<std::string, std::string>> configs();
/// As one line of JSON. Throws Error(config).
std::string config_of(std::string const& config, std::vector<std::string> const& overrides);

}  // namespace warpsim::embed
