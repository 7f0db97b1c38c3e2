// What the CTAs on one SM have allocated there, and how many more of a grid fit.
#pragma once

#include "sim/config/config.hpp"
#include "sim/timing/occupancy.hpp"

#include <cstdint>

namespace warpsim::timing {

class Room {
public:
    /// How many CTAs with these needs fit, beside `own` of the same grid. The split of the SM's memory was chosen
    /// for the first grid that came; it cannot change while a CTA is resident.
    std::uint32_t left(sim::SmConfig const& sm, CtaNeeds const& needs, Occupancy const& alone,
                       std::uint32_t own) const;
    void take(sim::SmConfig const& sm, CtaNeeds const& needs, Occupancy const& alone);
    void give_back(sim::SmConfig const& sm, CtaNeeds const& needs);
    std::uint32_t warps() const { return warps_; }
    template <class Archive> void state(Archive& archive) {
        archive(ctas_, warps_, barriers_, registers_, shared_, carve_out_);
    }

private:
    std::uint32_t ctas_ = 0, warps_ = 0, barriers_ = 0;
    std::uint64_t registers_ = 0, shared_ = 0, carve_out_ = 0;
};

}  // namespace warpsim::timing
