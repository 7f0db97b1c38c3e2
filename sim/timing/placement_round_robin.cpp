// The next SM after the last one that has room.
#include "sim/timing/placements.hpp"

namespace warpsim::timing {

namespace {

class RoundRobin : public plugin::CtaPlacement {
public:
    std::uint32_t choose(plugin::SmRooms const& sms, std::uint64_t) override {
        for (std::uint32_t tried = 0; tried < sms.count(); ++tried) {
            std::uint32_t const s = (next_ + tried) % sms.count();
            if (sms.room(s) == 0) continue;
            next_ = s + 1;
            return s;
        }
        return nowhere;
    }
    bool state(plugin::State& state) override {
        state(next_);
        return true;
    }

private:
    std::uint32_t next_ = 0;
};

}  // namespace

void placements::round_robin(plugin::Registry& all) {
    all.cta_placement("round_robin", [](plugin::Settings const&) { return std::make_unique<RoundRobin>(); });
}

}  // namespace warpsim::timing
