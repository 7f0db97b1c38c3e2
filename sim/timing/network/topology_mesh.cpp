// A mesh, as square as it can be: each SM and each slice has a router, packets go along their row first and then along
// the column. Requests and replies have networks of their own.
#include "sim/timing/network/routers.hpp"
#include "sim/timing/network/topologies.hpp"

#include <array>
#include <vector>

namespace warpsim::timing {

namespace {

class Mesh : public plugin::Topology {
public:
    explicit Mesh(plugin::TopologySettings const& s)
        : hop_(s.hop_cycles), width_(s.link_bytes_per_cycle), routers_(s) {
        while (columns_ * columns_ < routers_.count) ++columns_;
        for (auto& links : links_) links.resize(std::size_t{columns_} * columns_ * directions);
    }

    plugin::Cycle delay(plugin::Packet const& p) override {
        std::uint32_t at = routers_.from(p);
        std::uint32_t const to = routers_.to(p);
        plugin::Cycle const busy = Link::cycles(p.bytes, width_);
        plugin::Cycle now = p.sent;
        auto& links = links_[p.is_reply ? 1 : 0];
        while (at != to) {
            Way const way = next(at, to);
            now = links[std::size_t{at} * directions + way].pass(now, busy) + hop_;
            at = neighbour(at, way);
        }
        return now - p.sent;
    }
    bool state(plugin::State& state) override {
        state(links_);
        return true;
    }

private:
    static constexpr std::uint32_t directions = 4;
    enum Way : std::uint32_t { left, right, up, down };

    /// The last row may be short: who has to leave it goes up first.
    Way next(std::uint32_t at, std::uint32_t to) const {
        std::uint32_t const column = at % columns_, wanted = to % columns_;
        bool const is_short = at / columns_ == (routers_.count - 1) / columns_ && at / columns_ != to / columns_;
        if (column != wanted && !is_short) return column > wanted ? left : right;
        return at > to ? up : down;
    }
    std::uint32_t neighbour(std::uint32_t at, Way way) const {
        switch (way) {
            case left: return at - 1;
            case right: return at + 1;
            case up: return at - columns_;
            default: return at + columns_;
        }
    }

    plugin::Cycle hop_;
    std::uint32_t width_;
    Routers routers_;
    std::uint32_t columns_ = 1;
    std::array<std::vector<Link>, 2> links_;  // of requests, of replies; by router and direction
};

}  // namespace

void topologies::mesh(plugin::Registry& all) {
    all.topology("mesh", [](plugin::TopologySettings const& s) { return std::make_unique<Mesh>(s); });
}

}  // namespace warpsim::timing
