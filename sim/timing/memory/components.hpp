// What of the memory system is chosen by name. One file KIND_NAME.cpp defines each, with a function that registers it; its
// name in the configuration is NAME.
#pragma once

#include "sim/plugin/components.hpp"
#include "sim/plugin/plugin.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace warpsim::timing {

/// All there are, plug-ins among them; those of this room register first.
plugin::Components const& memory_components();

namespace replacements {
#define WARPSIM_CHOICE(name) void name(plugin::Registry& all);
#include "sim/timing/memory/replacements.inc"
#undef WARPSIM_CHOICE
}  // namespace replacements

namespace prefetchers {
#define WARPSIM_CHOICE(name) void name(plugin::Registry& all);
#include "sim/timing/memory/prefetchers.inc"
#undef WARPSIM_CHOICE
}  // namespace prefetchers

namespace write_policies {
#define WARPSIM_CHOICE(name) void name(plugin::Registry& all);
#include "sim/timing/memory/write_policies.inc"
#undef WARPSIM_CHOICE
}  // namespace write_policies

namespace dram_policies {
#define WARPSIM_CHOICE(name) void name(plugin::Registry& all);
#include "sim/timing/memory/dram_policies.inc"
#undef WARPSIM_CHOICE
}  // namespace dram_policies

}  // namespace warpsim::timing
