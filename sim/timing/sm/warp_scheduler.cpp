#include "sim/timing/sm/warp_scheduler.hpp"

namespace warpsim::timing {

namespace {

bool register_all(plugin::Registry& all) {
#define WARPSIM_CHOICE(name) schedulers::name(all);
#include "sim/timing/sm/schedulers.inc"
#undef WARPSIM_CHOICE
    return true;
}

}  // namespace

plugin::Components const& sm_components() {
    static bool const is_done = register_all(plugin::Components::all());
    static_cast<void>(is_done);
    return plugin::Components::all();
}

}  // namespace warpsim::timing
