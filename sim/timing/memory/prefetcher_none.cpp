// Nothing.
#include "sim/timing/memory/components.hpp"

namespace warpsim::timing {

void prefetchers::none(plugin::Registry& all) {
    all.prefetcher("none", [](plugin::PrefetcherSettings const&) { return nullptr; });
}

}  // namespace warpsim::timing
