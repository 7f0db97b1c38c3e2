// A crossbar of GPCs: the SMs of one share a link in each direction.
#include "sim/timing/network/topologies.hpp"

#include <array>
#include <vector>

namespace warpsim::timing {

namespace {

class Gpcs : public plugin::Topology {
public:
    explicit Gpcs(plugin::TopologySettings const& s)
        : hop_(s.hop_cycles),
          width_(s.link_bytes_per_cycle),
          gpc_of_(s.gpc_of),
          links_{std::vector<Link>(s.gpc_of.back() + 1), std::vector<Link>(s.gpc_of.back() + 1)} {}

    plugin::Cycle delay(plugin::Packet const& p) override {
        Link& link = links_[p.is_reply ? 1 : 0][gpc_of_[p.sm]];
        return link.pass(p.sent + hop_, Link::cycles(p.bytes, width_)) - p.sent;
    }
    bool state(plugin::State& state) override {
        state(links_);
        return true;
    }

private:
    plugin::Cycle hop_;
    std::uint32_t width_;
    std::vector<std::uint32_t> gpc_of_;
    std::array<std::vector<Link>, 2> links_;  // of requests, of replies
};

}  // namespace

void topologies::gpcs(plugin::Registry& all) {
    all.topology("gpcs", [](plugin::TopologySettings const& s) { return std::make_unique<Gpcs>(s); });
}

}  // namespace warpsim::timing
