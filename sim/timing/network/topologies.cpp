#include "sim/timing/network/topologies.hpp"

namespace warpsim::timing {

namespace {

bool register_all(plugin::Registry& all) {
#define WARPSIM_CHOICE(name) topologies::name(all);
#include "sim/timing/network/topologies.inc"
#undef WARPSIM_CHOICE
    return true;
}

}  // namespace

plugin::Components const& network_components() {
    static bool const is_done = register_all(plugin::Components::all());
    static_cast<void>(is_done);
    return plugin::Components::all();
}

}  // namespace warpsim::timing
