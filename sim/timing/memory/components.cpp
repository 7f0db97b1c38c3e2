#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

namespace {

bool register_all(plugin::Registry& all) {
#define WARPSIM_CHOICE(name) replacements::name(all);
#include "sim/timing/memory/replacements.inc"
#undef WARPSIM_CHOICE
#define WARPSIM_CHOICE(name) prefetchers::name(all);
#include "sim/timing/memory/prefetchers.inc"
#undef WARPSIM_CHOICE
#define WARPSIM_CHOICE(name) write_policies::name(all);
#include "sim/timing/memory/write_policies.inc"
#undef WARPSIM_CHOICE
#define WARPSIM_CHOICE(name) dram_policies::name(all);
#include "sim/timing/memory/dram_policies.inc"
#undef WARPSIM_CHOICE
    return true;
}

}  // namespace

plugin::Components const& memory_components() {
    static bool const is_done = register_all(plugin::Components::all());
    static_cast<void>(is_done);
    return plugin::Components::all();
}

}  // namespace warpsim::timing
