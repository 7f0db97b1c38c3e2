// The GPU: SMs and memory partitions, and the epochs in which they advance. First all SMs run an epoch, then all partitions,
// which stand ahead of them by the time that a request needs at least: so an epoch can be as long as a round trip, and inside of it
// neither SMs nor partitions can influence each other, which run in parallel. The GPU outlives its launches: L2, DRAM and the TLBs
// stay as a grid leaves them, and grids of several launches can be resident together.
#pragma once

#include "sim/engine/team.hpp"
#include "sim/plugin/plugin.hpp"
#include "sim/timing/copy_engines.hpp"
#include "sim/timing/grid.hpp"
#include "sim/timing/livelock.hpp"
#include "sim/timing/memory/memory_partition.hpp"
#include "sim/timing/network/network.hpp"
#include "sim/timing/room.hpp"
#include "sim/timing/sm/sm.hpp"
#include "sim/timing/timing_run.hpp"
#include "sim/timing/view.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::checkpoint {
class Saver;
class Loader;
}  // namespace warpsim::checkpoint

namespace warpsim::timing {

/// The longest epoch that the configuration's latencies allow, in core cycles.
Cycle longest_epoch(sim::Config const& config);
/// By how many cycles partitions are ahead of SMs between two epochs.
Cycle lead_of_partitions(sim::Config const& config);

class Gpu final : public GpuView {
public:
    /// Throws Error(config), which names what the configuration lacks.
    Gpu(sim::Config const& config, GpuOptions const& options);

    /// Launches a grid in cycle `at`, which must not be before quiet() or the last end of a grid that ended() has
    /// reported. The context must live until retire(). Throws Error(launch) for clusters that do not fit.
    GridNumber launch(sim::LaunchContext const& context, MachineKernel const& kernel, TimingOptions options,
                      Cycle at);
    /// The same with a plan of whatever origin, of the functions of `context`'s. Nobody may ask for its machine_text().
    GridNumber launch(sim::LaunchContext const& context, TimingPlan plan, TimingOptions options, Cycle at) {
        return launch(context, std::move(plan), nullptr, std::move(options), at);
    }
    /// Begins a copy of the host or a fill at that time after cycle 0, or when an engine is free. The same holds for
    /// the time as for the cycle of a launch.
    void begin_copy(CopyOrder order, engine::Time at);
    /// L2 holds these lines from now on, as far as it has room, the last for the longest.
    void warm_l2(std::span<LineInL2 const> lines);
    /// Runs until a grid or a copy ends, or until everything before cycle `until` has happened. False when nothing is
    /// left to do. Throws sim::Fault: then failed() names the grid, and only statistics of this GPU may be used.
    bool advance(Cycle until = engine::never);
    struct Ended {
        GridNumber grid;
        Cycle at;
        Cycle skipped =
            0;  // cycles that its CTAs would have taken that were not timed: all that follows is so much later
    };
    /// Grids that have ended since this was cleared, in the order of their ends.
    std::vector<Ended>& ended() { return ended_; }
    std::vector<CopyEngines::Ended>& ended_copies() { return copies_.ended(); }
    bool has_copies() const { return !copies_.is_idle(); }
    /// What copies have done in L2 and DRAM while grids were under way.
    void add_copies(sim::L2Counts& l2, sim::DramCounts& dram) const;
    /// Whether DRAM has completed the requests of a grid that has ended.
    bool is_settled(GridNumber number) const;
    /// How often its warps have executed each instruction so far.
    std::vector<sim::ExecutionCount> execution_counts(GridNumber number) const;
    /// Adds what all components counted for a grid that has ended, and forgets the grid.
    void retire(GridNumber number, sim::LaunchStatistics& statistics, sim::TimingCounts& counts);
    /// Adds what all components have counted until now for a grid, after a fault too.
    void count_so_far(GridNumber number, sim::LaunchStatistics& statistics, sim::TimingCounts& counts);
    /// PTX instructions that its warps have executed.
    std::uint64_t instructions(GridNumber number) const;
    /// Micro-ops that its warps have issued.
    std::uint64_t micro_ops(GridNumber number) const;
    /// With nothing in flight: the first cycle in which a grid can be launched.
    Cycle quiet() const;
    /// Whether another grid can get a number; it can when all grids that have ended are retired.
    bool can_launch() const;
    std::optional<GridNumber> failed() const { return failed_; }

    // checkpoint/: what a run can be interrupted with, and go on from
    /// Everything before this cycle has happened: advance() returns between two epochs.
    Cycle done() const { return done_; }
    /// On a GPU that has done nothing: throws Error(usage) for components of plug-ins that do not tell their state.
    void check_components();
    /// Writes its state, outside of advance().
    void save(checkpoint::Saver& saver);
    /// On a GPU of the same configuration that has done nothing: takes up a grid that was on the other, in the order of their
    /// launches, ...
    void adopt(GridNumber number, sim::LaunchContext const& context, MachineKernel const& kernel,
               TimingOptions options, Cycle launched);
    /// ... and then reads the state that was written.
    void load(checkpoint::Loader& loader);

    // gpu_view.cpp: GpuView
    std::vector<SmView> sms() const override;
    sim::LaunchContext const* launch_of(sim::Cta const& cta) const override {
        return sms_[cta.sm]->launch_of(cta);
    }
    std::optional<WarpView> warp(sim::Warp const& warp) const override;
    std::uint32_t partitions() const override { return static_cast<std::uint32_t>(partitions_.size()); }
    PartitionView partition(std::uint32_t number) const override { return partitions_[number]->view(); }
    std::uint32_t slices() const override { return map_.slices_per_channel() * partitions(); }
    CacheView l1(std::uint32_t sm) const override;
    std::vector<CachedLine> l1_set(std::uint32_t sm, std::uint32_t set) const override;
    CacheView l2(std::uint32_t slice) const override;
    std::vector<CachedLine> l2_set(std::uint32_t slice, std::uint32_t set) const override;
    MachineText machine_text(sim::FunctionPlan const& function, std::uint32_t instruction) const override;

private:
    GridNumber launch(sim::LaunchContext const& context, TimingPlan plan, MachineKernel const* kernel,
                      TimingOptions options, Cycle at);
    template <class Archive> void state(Archive& archive);
    template <class Archive> void keep_grids(Archive& archive);
    template <class Archive> void keep(Archive& archive, Grid*& grid) const;
    void let_look(Cycle begin);
    SectoredCache const& l2_tags(std::uint32_t slice) const;
    void add_counts(Grid const& grid, sim::LaunchStatistics& statistics, sim::TimingCounts& counts) const;
    void add_profile(Grid const& grid, sim::TimingCounts& counts) const;

    // placement.cpp: which CTAs begin where and when
    Sm& sm_for(std::uint32_t number);
    ResidentGrid& resident(Grid& grid, std::uint32_t sm);
    std::uint32_t room_for(Grid const& grid, std::uint32_t sm) const;
    void look_for_room(Grid const& grid);
    void note_room(Grid const& grid, std::uint32_t sm);
    void check_cluster_fits(Grid const& grid) const;
    void take_room(Grid& grid, std::uint32_t sm);
    void admit(Grid& grid);
    void dispatch(Cycle at);
    bool place_all(Grid& grid, Cycle at);
    bool place_cta(Grid& grid, Cycle at);
    bool place_cluster(Grid& grid, std::uint32_t gpc, Cycle at);
    Cycle start_of(std::uint32_t ctas, Cycle at);
    void end_cta(std::uint32_t sm, Sm::Ended const& ended);
    void place_next(Cycle end);
    void leave();

    // gpu_sampling.cpp: grids of which only some CTAs are timed
    void sample();
    void skip(Grid& grid, Sampler::Standing const& standing);
    bool stop_sampling();
    sim::IntervalSample counted(Grid const& grid) const;
    /// For these executions of instructions of the PTX.
    std::uint64_t expected_micro_ops(Grid const& grid, std::span<sim::ExecutionCount const> executed) const;
    Sampler::Projection project(Grid const& grid, Cycle cycles) const;
    Cycle skipped_cycles(Grid const& grid) const;
    void add_skipped(Grid const& grid, sim::TimingCounts& counts) const;

    // gpu_effects.cpp: what SMs did in the epoch takes effect
    void apply_effects();
    void apply(std::uint32_t sm, GridNumber number, std::uint32_t sequence);
    void end_cluster_phases();
    void cancel_launch(Grid& grid, EffectDetails const& details, Cycle cycle);

    // gpu_copies.cpp
    void note_passed();
    void note_passed(CopyEngines::Passed const& passed);
    void leave_in_l2(CopiedLines copied, std::span<LineInL2 const> lines);

    Cycle next_event() const;
    Cycle next_event(MemoryPartition const& partition) const;
    bool has_clusters() const;
    Cycle epoch() const;
    bool run_epochs(Cycle until);
    void run_epoch(Cycle begin, Cycle end);
    void run_partitions(Cycle end);
    void collect_requests(std::size_t partition);
    void pass_network(Cycle end);
    void exchange();
    void end_grids();
    void observe();
    void tell_progress();
    void take_samples(Grid& grid);

    // failures.cpp: what ends a run early
    bool end_waits();
    void check();
    void check_instructions();
    static void check_plugins();
    [[noreturn]] void fail(bool is_livelock);
    std::string describe_waiting(Grid const& grid) const;

    sim::Config const& config_;
    Cycle const longest_epoch_, epoch_, lead_;
    std::uint32_t const most_resident_;
    GpuObserver* const observer_;
    AddressMap map_;
    engine::Team team_;
    std::vector<std::unique_ptr<Sm>> sms_;  // the first of the configured ones: as many as have been used
    std::vector<Room> rooms_;
    // For the grid whose CTAs are to begin: most SMs have none, and no other room than when the last CTA ended.
    struct Vacancies {
        Grid const* of = nullptr;
        std::vector<std::uint32_t> room;  // by SM
        std::uint32_t sms = 0;            // that have any
    };
    Vacancies vacancies_;
    std::unique_ptr<plugin::CtaPlacement> placement_;
    std::uint64_t distributor_free_ = 0;  // in thousandths of a cycle
    std::vector<std::unique_ptr<MemoryPartition>> partitions_;
    std::vector<engine::Outbox<MemoryRequest>*> request_sources_;
    std::vector<engine::Outbox<MemoryReply>*> reply_sources_;
    std::vector<engine::Outbox<SmMessage>*> peer_sources_;
    std::unique_ptr<Network> network_;  // null: latencies and ports are all that there is of it
    CopyEngines copies_;
    struct Order {
        Cycle cycle;
        std::uint32_t of, sequence;  // SM and grid
    };
    std::vector<Order> order_;  // of the epoch's deferred effects

    std::vector<std::unique_ptr<Grid>> grids_;  // by number
    std::vector<Grid*> launched_;               // and not ended, by serial
    struct Arrival {                            // of a grid at the work distributor
        Cycle at;
        Grid* grid;
    };
    std::vector<Arrival> arrivals_;  // in order
    std::vector<Grid*> queue_;       // grids with CTAs that have not begun, in the order of service
    std::vector<Grid*> outside_;     // waiting because too many others are resident
    std::uint32_t resident_ = 0;     // grids that were admitted and have not ended
    std::vector<Ended> ended_;
    std::uint64_t next_serial_ = 0;
    GridNumber next_number_ = 0;

    std::optional<Sm::Failure> failure_;  // the first of the deferred effects
    std::optional<GridNumber> failed_;
    std::uint64_t waits_ended_ = 0, changes_then_ = 0;  // of mbarriers, in vain: how often, and the changes then
    std::chrono::steady_clock::time_point told_{};      // of progress
    double host_wait_seconds_;
    std::optional<LivelockDetector> livelock_;
    std::uint64_t begun_and_ended_ = 0;  // CTAs and clusters
    Cycle done_ = 0;                     // everything before this cycle has happened
    Cycle now_ = 0;                      // where it is seen to stand
    Cycle last_end_ = 0;                 // of a grid
};

}  // namespace warpsim::timing
