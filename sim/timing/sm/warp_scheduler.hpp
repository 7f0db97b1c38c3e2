// Which of the warps that could issue is chosen. A policy is one file, scheduler_NAME.cpp, and its name in the
// configuration is NAME; it sees the warps of one sub-core as bits of a mask, bit w for the warp in slot w of the
// SM.
#pragma once

#include "sim/plugin/components.hpp"
#include "sim/plugin/plugin.hpp"

#include <bit>
#include <cstdint>
#include <memory>

namespace warpsim::timing {

using plugin::WarpMask;
using plugin::WarpScheduler;

/// All there are, plug-ins among them; those of this room register first.
plugin::Components const& sm_components();

/// The policies: scheduler_NAME.cpp defines schedulers::NAME, which registers it.
namespace schedulers {
#define WARPSIM_CHOICE(name) void name(plugin::Registry& all);
#include "sim/timing/sm/schedulers.inc"
#undef WARPSIM_CHOICE
}  // namespace schedulers

/// The ages of the warps of one sub-core: the order in which they started.
class WarpAges {
public:
    void start(unsigned warp) { since_[warp] = ++clock_; }
    unsigned oldest(WarpMask among) const {
        auto best = static_cast<unsigned>(std::countr_zero(among));
        for (WarpMask m = among & (among - 1); m != 0; m &= m - 1) {
            auto const w = static_cast<unsigned>(std::countr_zero(m));
            if (since_[w] < since_[best]) best = w;
        }
        return best;
    }
    unsigned youngest(WarpMask among) const {
        auto best = static_cast<unsigned>(std::countr_zero(among));
        for (WarpMask m = among & (among - 1); m != 0; m &= m - 1) {
            auto const w = static_cast<unsigned>(std::countr_zero(m));
            if (since_[w] > since_[best]) best = w;
        }
        return best;
    }
    template <class Archive> void state(Archive& archive) { archive(clock_, since_); }

private:
    std::uint64_t clock_ = 0;
    std::uint64_t since_[64] = {};
};

}  // namespace warpsim::timing
