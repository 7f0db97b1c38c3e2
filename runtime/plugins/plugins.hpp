// What --plugin does: libraries are loaded before the configuration is read, as its names may be theirs, and their observers
// listen to launches.
#pragma once

#include "runtime/launch.hpp"

#include <string>
#include <vector>

namespace warpsim::plugins {

/// Loads them in this order, each once. Throws Error(usage).
void load(std::vector<std::string> const& libraries);

/// The device's launches are told to the observers that plug-ins have brought, if there are any.
void observe(runtime::DeviceOptions& device);

}  // namespace warpsim::plugins
