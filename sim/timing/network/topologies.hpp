// The links between SMs and slices. A topology is one file, topology_NAME.cpp; its name in the configuration is NAME.
#pragma once

#include "sim/plugin/components.hpp"
#include "sim/plugin/plugin.hpp"
#include "sim/timing/network/link.hpp"

#include <memory>

namespace warpsim::timing {

/// All components that there are, plug-ins among them; those of this room register first.
plugin::Components const& network_components();

/// topology_NAME.cpp defines topologies::NAME, which registers it.
namespace topologies {
#define WARPSIM_CHOICE(name) void name(plugin::Registry& all);
#include "sim/timing/network/topologies.inc"
#undef WARPSIM_CHOICE
}  // namespace topologies

}  // namespace warpsim::timing
