// The state of a resident grid on one SM: the interpreter of its instructions, and its
// counts.
#pragma once

#include "sim/exec/interpreter.hpp"
#include "sim/huge_pages.hpp"
#include "sim/timing/plan/executed.hpp"
#include "sim/timing/plan/timing_plan.hpp"
#include "sim/timing/sm/recorder.hpp"
#include "sim/timing/sm/sm_sinks.hpp"
#include "sim/timing/sm/statistics.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace warpsim::timing {

/// A launch, as seen by the SMs that execute its CTAs.
struct GridOnGpu {
    sim::LaunchContext const& launch;
    TimingPlan const& plan;
    GridNumber number = 0;
    std::uint32_t l1_kib = 1;  // what its split of the SM's memory leaves to L1
    bool profile = false;
    bool code_is_warm = false;
    Cycle interval = 0;        // of samples; 0: none
    Cycle first_interval = 0;  // when it begins
    sim::EventSinks sinks{};
};

/// Beyond all data; the same for each launch of a kernel. Simplified: kernels of one name and size count as one.
inline std::uint64_t code_address(sim::LaunchContext const& launch) {
    constexpr std::uint64_t begin = std::uint64_t{1} << 56, room = std::uint64_t{1} << 24, kernels = 1 << 20;
    constexpr std::uint64_t bytes = 256, places = 4096;  // no two begin in the same sets of caches
    std::uint64_t hash = 0xcbf29ce484222325;             // FNV-1a
    auto const add = [&](std::uint64_t what) { hash = (hash ^ what) * 0x100000001b3; };
    sim::FunctionPlan const& kernel = launch.plan.functions.front();
    for (char const c : kernel.function->name) add(static_cast<unsigned char>(c));
    add(kernel.ops.size());
    return begin + hash % kernels * room + (hash >> 40) % places * bytes;
}

struct ResidentGrid : sim::InHugePages {
    /// `now` is the current cycle of the SM.
    ResidentGrid(sim::Config const& config, GridOnGpu const& grid, Cycle const& now)
        : launch(grid.launch),
          plan(grid.plan),
          number(grid.number),
          l1_kib(grid.l1_kib),
          code_begin(code_address(grid.launch)),
          code_is_warm(grid.code_is_warm),
          recorder(config, grid.launch.memory.moved_by(), now),
          interpreter(grid.launch, &recorder),
          branches(grid.plan.branches),
          sinks(grid.sinks),
          sub_cores(config.sm.sub_cores) {
        if (grid.profile) sinks.add(profile.emplace(plan));
        if (grid.interval != 0) sinks.add(samples.emplace(grid.interval, grid.first_interval));
        interpreter.listen(sinks);
    }
    ResidentGrid(ResidentGrid const&) = delete;
    ResidentGrid& operator=(ResidentGrid const&) = delete;

    sim::LaunchContext const& launch;
    TimingPlan const& plan;
    GridNumber const number;
    std::uint32_t const l1_kib;
    std::uint64_t const code_begin;  // where its code lies
    bool const code_is_warm;
    Recorder recorder;
    sim::Interpreter interpreter;
    std::vector<BranchLanes> branches;  // that became guards
    std::optional<InstructionProfile> profile;
    std::optional<IntervalSamples> samples;
    sim::EventSinks sinks;  // these two, and those of the launch
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
