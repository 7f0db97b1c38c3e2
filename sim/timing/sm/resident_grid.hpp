// What one SM holds of a grid that is resident on the GPU: who carries out its instructions, and what they counted
// here.
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

/// A launch, as the SMs that its CTAs come to know it.
struct GridOnGpu {
    sim::LaunchContext const& launch;
    TimingPlan const& plan;
    GridNumber number = 0;
    std::uint32_t l1_kib = 1;  // what its split of the SM's memory leaves to L1
    ObservationOptions observation{};
};

struct ResidentGrid {
    /// `now`: the cycle that the SM is in.
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
    std::unique_ptr<Observation> observation;  // null: nobody asks
    SmStatistics statistics;
    std::vector<std::unique_ptr<sim::Cluster>> free_clusters;  // of one CTA each, to be used again

    struct OnSubCore {
        std::uint32_t warps = 0;
        Cycle since = 0;  // there have been any
    };
    std::vector<OnSubCore> sub_cores;
    bool has_begun = false;  // a CTA of it
    std::uint32_t ctas = 0;  // that are here
    Cycle active_since = 0;
    // Its last CTA has ended and nothing else is on the SM, but loads that nobody waits for may be under way.
    bool lingers = false;
    Cycle last = 0;  // when the last of it happened here
};

}  // namespace warpsim::timing
