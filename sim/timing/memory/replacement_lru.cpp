// Least recently used.
#include "sim/timing/memory/components.hpp"
#include "sim/timing/memory/replacement_order.hpp"

namespace warpsim::timing {

namespace {

template <class Number> class Lru : public plugin::ReplacementPolicy {
public:
    Lru(std::uint32_t sets, std::uint32_t ways) : order_(sets, ways) {}
    void used(std::uint32_t set, std::uint32_t way) override { order_.move_to_end(set, way); }
    void filled(std::uint32_t set, std::uint32_t way, std::uint64_t) override { order_.move_to_end(set, way); }
    std::uint32_t victim(std::uint32_t set, std::span<std::uint8_t const> busy) override {
        std::uint32_t way = order_.first(set);
        while (busy[way] != 0) way = order_.next(set, way);
        return way;
    }
    std::vector<std::uint32_t> order(std::uint32_t set) const override { return order_.all(set); }
    bool state(plugin::State& state) override {
        state(order_);
        return true;
    }

private:
    WayOrder<Number> order_;
};

}  // namespace

void replacements::lru(plugin::Registry& all) { all.replacement("lru", make_ordered<Lru>); }

}  // namespace warpsim::timing
