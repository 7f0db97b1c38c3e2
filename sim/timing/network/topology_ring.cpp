// A ring in both directions, with a stop for each SM and each slice; packets go the shorter way. Requests and replies
// have rings of their own.
#include "sim/timing/network/routers.hpp"
#include "sim/timing/network/topologies.hpp"

#include <array>
#include <vector>

namespace warpsim::timing {

namespace {

class Ring : public plugin::Topology {
public:
    explicit Ring(plugin::TopologySettings const& s)
        : hop_(s.hop_cycles), width_(s.link_bytes_per_cycle), routers_(s) {
        for (auto& links : links_) links.resize(std::size_t{routers_.count} * 2);
    }

    plugin::Cycle delay(plugin::Packet const& p) override {
        std::uint32_t const stops = routers_.count, to = routers_.to(p);
        std::uint32_t at = routers_.from(p);
        std::uint32_t const ahead = (to + stops - at) % stops;
        bool const forward = ahead <= stops - ahead;
        plugin::Cycle const busy = Link::cycles(p.bytes, width_);
        plugin::Cycle now = p.sent;
        auto& links = links_[p.is_reply ? 1 : 0];
        while (at != to) {
            now = links[2 * std::size_t{at} + (forward ? 1 : 0)].pass(now, busy) + hop_;
            at = forward ? (at + 1) % stops : (at + stops - 1) % stops;
        }
        return now - p.sent;
    }
    bool state(plugin::State& state) override {
        state(links_);
        return true;
    }

private:
    plugin::Cycle hop_;
    std::uint32_t width_;
    Routers routers_;
    std::array<std::vector<Link>, 2> links_;  // of requests, of replies; by stop and direction
};

}  // namespace

void topologies::ring(plugin::Registry& all) {
    all.topology("ring", [](plugin::TopologySettings const& s) { return std::make_unique<Ring>(s); });
}

}  // namespace warpsim::timing
