// The SM with the fewest warps that has room: the first CTAs are spread over the SMs, one on each.
#include "sim/timing/placements.hpp"

namespace warpsim::timing {

namespace {

class FewestWarps : public plugin::CtaPlacement {
public:
    std::uint32_t choose(plugin::SmRooms const& sms, std::uint64_t) override {
        std::uint32_t best = nowhere, warps = UINT32_MAX;
        for (std::uint32_t s = 0; s < sms.count() && warps != 0; ++s) {
            if (sms.warps(s) >= warps || sms.room(s) == 0) continue;
            best = s;
            warps = sms.warps(s);
        }
        return best;
    }
    bool state(plugin::State&) override { return true; }
};

}  // namespace

void placements::fewest_warps(plugin::Registry& all) {
    all.cta_placement("fewest_warps", [](plugin::Settings const&) { return std::make_unique<FewestWarps>(); });
}

}  // namespace warpsim::timing
