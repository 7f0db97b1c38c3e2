// How threads use the barriers of CTAs and clusters.
#pragma once

#include "runtime/check/sync/reporter.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsim::check {

class BarrierUse {
public:
    explicit BarrierUse(Reporter& reporter) : reporter_(reporter) {}

    void begin() {
        arrivals_.clear();
        late_.clear();
    }
    void ends(sim::Cta const& cta);
    void arrives(sim::BarrierArrival const& e);
    void releases(sim::BarrierRelease const& e);

private:
    void check_lanes(sim::BarrierArrival const& e);
    void check_sorts(sim::BarrierArrival const& e, bool reduces);

    Reporter& reporter_;
    /// The first arrival at a barrier that is not complete: whether it reduces, or only orders.
    struct First {
        Doer by;
        bool reduces = false;
    };
    std::map<std::pair<std::uint64_t, std::uint32_t>, First> arrivals_;  // by CTA and number
    /// Lanes that others did not wait for, by CTA, warp and the instruction at which those were then.
    std::map<std::tuple<std::uint64_t, std::uint32_t, sim::Op const*>, isa::LaneMask> late_;
};

}  // namespace warpsim::check
