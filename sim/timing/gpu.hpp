// The GPU of one launch: SMs and memory partitions, and the epochs that they advance in. Inside an epoch no
// component can influence another, as every way between two of them takes at least as long; so they all run at
// once.
#pragma once

#include "sim/engine/team.hpp"
#include "sim/timing/circles.hpp"
#include "sim/timing/memory/memory_partition.hpp"
#include "sim/timing/occupancy.hpp"
#include "sim/timing/sm/sm.hpp"
#include "sim/timing/timing_run.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::timing {

/// The longest epoch that the configuration's latencies allow, in core cycles.
Cycle longest_epoch(sim::Config const& config);

class Gpu {
public:
    Gpu(sim::Config const& config, sim::LaunchContext const& launch, TimingPlan const& plan,
        TimingOptions const& options);
    /// To the end of the kernel. Throws sim::Fault.
    void run();
    /// Adds what all components counted, in their order.
    void add_to(sim::LaunchStatistics& statistics, sim::TimingCounts& counts) const;

private:
    void add_profile(sim::TimingCounts& counts) const;
    void place_first();
    void place_clusters(Cycle at);
    bool place_cluster(std::uint32_t gpc, Cycle at);
    void apply(std::uint32_t sm, std::uint32_t sequence);
    void end_cluster_phases();
    bool end_waits();
    void cancel_launch(EffectDetails const& details, Cycle cycle);
    bool has_clusters() const { return launch_.ctas_per_cluster() > 1; }
    Cycle next_event() const;
    void run_epoch(Cycle end);
    void exchange();
    void apply_effects();
    void place_next();
    void take_samples();
    void check() const;
    std::string describe_waiting() const;

    sim::Config const& config_;
    sim::LaunchContext const& launch_;
    TimingPlan const& plan_;
    TimingOptions const& options_;
    AddressMap map_;
    Occupancy occupancy_;
    engine::Team team_;
    std::vector<std::unique_ptr<Sm>> sms_;
    std::vector<std::unique_ptr<MemoryPartition>> partitions_;
    std::vector<engine::Outbox<MemoryRequest>*> request_sources_;
    std::vector<engine::Outbox<MemoryReply>*> reply_sources_;
    std::vector<engine::Outbox<SmMessage>*> peer_sources_;
    std::vector<std::uint32_t> active_;  // components of the epoch: SMs, then partitions
    struct Order {
        Cycle cycle;
        std::uint32_t sm, sequence;
    };
    std::vector<Order> order_;  // of the epoch's effects
    std::vector<sim::IntervalSample> samples_;
    // Of a launch with clusters: those that have begun; their storage is used again when all their CTAs have
    // ended.
    struct Arrived {
        sim::Cluster* cluster;
        Cycle last;
    };
    struct LiveCluster {
        sim::Cluster cluster;
        std::uint32_t live = 0;  // CTAs
    };
    void end_in_cluster(sim::Cluster const& cluster);
    std::vector<std::unique_ptr<LiveCluster>> clusters_;
    std::vector<LiveCluster*> free_clusters_;
    std::vector<Arrived> arrived_;            // at barriers of clusters, in this epoch
    std::vector<std::uint32_t> free_places_;  // per SM, as far as endings were looked at
    std::uint32_t next_gpc_ = 0;
    std::optional<Sm::Failure> failure_;                // the first of the effects
    std::uint64_t waits_ended_ = 0, changes_then_ = 0;  // of mbarriers, in vain: how often, and what had changed
    Circles circles_;
    std::uint64_t next_cta_ = 0, ended_ = 0;  // of a launch with clusters, next_cta_ counts clusters
    std::uint64_t cancelled_ = 0;             // CTAs that never begin
    Cycle cycles_ = 0;
};

}  // namespace warpsim::timing
