// The GPU of one launch: SMs and memory partitions, and the epochs that they advance in. Inside an epoch no component can
// influence another, as every way between two of them takes at least as long; so they all run at once.
#pragma once

#include "sim/engine/team.hpp"
#include "sim/timing/memory/memory_partition.hpp"
#include "sim/timing/sm/occupancy.hpp"
#include "sim/timing/sm/sm.hpp"
#include "sim/timing/timing_run.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warpsim::timing {

/// The longest epoch that the configuration's latencies allow, in core cycles.
Cycle longest_epoch(sim::Config const& config);

/// What the tracer of an SM wrote in the epoch.
struct SmTrace {
    struct Line {
        Cycle at;
        std::string text;
    };
    std::vector<Line> lines;
    std::unique_ptr<sim::Observer> tracer;
};

class Gpu {
public:
    Gpu(sim::Config const& config, sim::LaunchContext const& launch, TimingPlan const& plan, TimingOptions const& options);
    /// To the end of the kernel. Throws sim::Fault.
    void run();
    /// Adds what all components counted, in their order.
    void add_to(sim::LaunchStatistics& statistics, sim::TimingCounts& counts) const;

private:
    void add_profile(sim::TimingCounts& counts) const;
    void place_first();
    Cycle next_event() const;
    void run_epoch(Cycle end);
    void exchange();
    void apply_effects();
    void place_next();
    void print_trace();
    void take_samples();
    void check() const;
    [[noreturn]] void deadlock() const;

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
    std::vector<std::uint32_t> active_;            // components of the epoch: SMs, then partitions
    struct Order {
        Cycle cycle;
        std::uint32_t sm, sequence;
    };
    std::vector<Order> order_;                     // of the epoch's effects
    std::vector<std::unique_ptr<SmTrace>> traces_; // per SM; none without a trace
    std::vector<sim::IntervalSample> samples_;
    std::uint64_t next_cta_ = 0, ended_ = 0;
    Cycle cycles_ = 0;
};

}  // namespace warpsim::timing
