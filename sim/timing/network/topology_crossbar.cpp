// A way from each port to each other: only the ports of SMs and slices have a limited width.
#include "sim/timing/network/topologies.hpp"

namespace warpsim::timing {

void topologies::crossbar(plugin::Registry& all) {
    all.topology("crossbar", [](plugin::TopologySettings const&) { return std::unique_ptr<plugin::Topology>(); });
}

}  // namespace warpsim::timing
