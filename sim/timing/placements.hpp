// On which SM a CTA begins. A placement is one file, placement_NAME.cpp; its name in the configuration is NAME.
#pragma once

#include "sim/plugin/components.hpp"
#include "sim/plugin/plugin.hpp"

#include <cstdint>
#include <memory>

namespace warpsim::timing {

/// All components that there are, plug-ins among them; those of timing mode register first.
plugin::Components& all_components();

/// placement_NAME.cpp defines placements::NAME, which registers it.
namespace placements {
#define WARPSIM_CHOICE(name) void name(plugin::Registry& all);
#include "sim/timing/placements.inc"
#undef WARPSIM_CHOICE
}  // namespace placements

}  // namespace warpsim::timing
