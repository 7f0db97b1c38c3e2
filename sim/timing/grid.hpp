// A grid on the GPU, from its launch until its counts have been reported.
#pragma once

#include "sim/timing/memory/messages.hpp"
#include "sim/timing/occupancy.hpp"
#include "sim/timing/plan/timing_plan.hpp"
#include "sim/timing/sampler.hpp"
#include "sim/timing/sm/sm.hpp"
#include "sim/timing/timing_run.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::timing {

struct Grid {
    Grid(sim::Config const& config, GridNumber its_number, sim::LaunchContext const& context, TimingPlan its_plan,
         TimingOptions its_options);

    GridNumber const number;
    std::uint64_t serial = 0;  // of launches on this GPU
    sim::LaunchContext const& launch;
    MachineKernel const* machine = nullptr;  // that the plan is of
    TimingPlan const plan;
    TimingOptions const options;
    CtaNeeds needs;
    Occupancy occupancy;
    std::uint32_t l1_kib;
    Cycle launched = 0;  // the cycle of its launch
    Cycle earliest = 0;  // ... in which its first CTA may begin

    std::uint64_t next_cta = 0, ended = 0;  // of a launch with clusters, next_cta counts clusters
    std::uint64_t cancelled = 0;            // CTAs that never begin
    std::vector<std::uint32_t> ctas_on;     // by SM: those that are resident
    std::optional<Cycle> end;
    std::optional<Sampler> sampler;                 // none: every CTA is timed
    std::vector<std::vector<double>> micro_ops_of;  // ... otherwise, by function and instruction of the PTX
    sim::IntervalSample steady;                     // what was counted while the sampler found the rate steady

    // For a launch with clusters: those that have begun; their storage is reused when all their CTAs have
    // ended.
    struct Arrived {
        sim::Cluster* cluster;
        Cycle last;
    };
    struct LiveCluster {
        sim::Cluster cluster;
        std::uint32_t live = 0;  // CTAs
    };
    std::vector<std::unique_ptr<LiveCluster>> clusters;
    std::vector<LiveCluster*> free_clusters;
    std::vector<Arrived> arrived;  // at barriers of clusters, in this epoch
    std::uint32_t next_gpc = 0;

    std::vector<sim::IntervalSample> samples;

    bool has_clusters() const { return launch.ctas_per_cluster() > 1; }
    /// Whether CTAs or clusters have not begun yet.
    bool has_more() const { return next_cta < launch.clusters(); }
    /// ... and may begin now.
    bool may_begin() const { return next_cta < (sampler ? sampler->limit() : launch.clusters()); }
    std::uint64_t gone() const { return ended + cancelled + (sampler ? sampler->skipped_ctas() : 0); }
    bool all_ended() const { return gone() == launch.ctas(); }
    void end_in_cluster(sim::Cluster const& cluster);
    // checkpoint/: first the clusters that others refer to.
    template <class Archive> void state_of_clusters(Archive& archive);
    template <class Archive> void state(Archive& archive);
};

}  // namespace warpsim::timing
