#include "sim/timing/placements.hpp"

#include "sim/timing/memory/components.hpp"
#include "sim/timing/network/topologies.hpp"
#include "sim/timing/sm/warp_scheduler.hpp"

namespace warpsim::timing {

namespace {

bool register_all(plugin::Registry& all) {
#define WARPSIM_CHOICE(name) placements::name(all);
#include "sim/timing/placements.inc"
#undef WARPSIM_CHOICE
    return true;
}

}  // namespace

plugin::Components& all_components() {
    static bool const is_done = register_all(plugin::Components::all());
    static_cast<void>(is_done);
    sm_components();
    memory_components();
    network_components();
    return plugin::Components::all();
}

}  // namespace warpsim::timing
