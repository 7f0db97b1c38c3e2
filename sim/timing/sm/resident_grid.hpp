// The state of a resident grid on one SM: the interpreter of its instructions, and its
// counts.
#pragma once

#include "sim/exec/interpreter.hpp"
#include "sim/timing/plan/executed.hpp"
#include "sim/timing/plan/timing_plan.hpp"
#include "sim/timing/sm/observation.hpp"
#include "sim/timing/sm/recorder.hpp"
#include "sim/timing/sm/statistics.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpsim::timing {

/// A launch, as seen by the SMs that execute its CTAs.
struct GridOnGpu {
    sim::LaunchContext const& launch;
    TimingPlan const& plan;
    GridNumber number = 0;
    std::uint32_t l1_kib = 1;  // what its split of the SM's memory leaves to L1
    ObservationOptions observation{};
};

struct ResidentGrid {
    /// `now` is the current cycle of the SM.
    ResidentGrid(sim::Config const& config, GridOnGpu const& grid, Cycle const& now)
        : launch(grid.launch),
          plan(grid.plan),
          number(grid.number),
          l1_kib(grid.l1_kib),
          recorder(config, now),
          interpreter(grid.launch, &recorder),
          branches(grid.plan.branches),
          sub_cores(config.sm.sub_cores) {
        if (grid.observation.is_wanted()) observation = std::make_unique<Observation>(plan, grid.observation);
    }

    sim::LaunchContext const& launch;
    TimingPlan const& plan;
    GridNumber const number;
    std::uint32_t const l1_kib;
    Recorder recorder;
    sim::Interpreter interpreter;
    std::vector<BranchLanes> branches;         // that became guards
    std::unique_ptr<Observation> observation;  // null: not requested
    SmStatistics statistics;
    std::vector<std::unique_ptr<sim::Cluster>> free_clusters;  // of one CTA each, to be reused

    struct OnSubCore {
        std::uint32_t warps = 0;
        Cycle since = 0;  // there have been any
    };
    std::vector<OnSubCore> sub_cores;
    bool has_begun = false;  // one of its CTAs
    std::uint32_t ctas = 0;  // that are resident here
    Cycle active_since = 0;
    // Its last CTA has ended and nothing else is on the SM, but loads that no warp waits for may be in flight.
    bool lingers = false;
    Cycle last = 0;  // the cycle of its last event here
};

}  // namespace warpsim::timing
