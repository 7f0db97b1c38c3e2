// Executes clusters of one launch on one host thread. Owns what a host thread needs: counters and frames to reuse.
#pragma once

#include "sim/events.hpp"
#include "sim/exec/fault.hpp"
#include "sim/exec/memory_model.hpp"
#include "sim/exec/warp.hpp"
#include "sim/statistics.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

/// Per op of the plan: how often runs of straight-line execution began and ended there, in warps and lanes. The
/// sum of all entries up to an op is how often it was executed, so counting costs nothing inside a run.
struct OpCounters {
    struct Delta {
        std::int64_t warp = 0;
        std::int64_t thread = 0;
    };
    std::vector<Delta> deltas;
    std::vector<std::uint64_t> guarded_off;  // lanes that the guard switched off

    std::uint64_t branch_total = 0;  // executed guarded and indexed branches
    std::uint64_t branch_divergent = 0;

    explicit OpCounters(std::size_t ops) : deltas(ops + 1), guarded_off(ops + 1) {}
};

/// "kernel.ptx:41:  bar.sync 0;" for an op, with its source line; "lanes 0-3,7" for a mask.
std::string line_of(ir::Module const& module, FunctionPlan const& function, std::uint32_t pc);
std::string lanes_text(LaneMask lanes);

/// The two kinds of deadlock: nothing can move, or what moves does the same again and again.
Fault blocked(LaunchContext const& launch, std::string details);
Fault goes_in_circles(LaunchContext const& launch, std::string details);

class Interpreter {
public:
    /// `model`: when effects take place that others see; null: at once.
    explicit Interpreter(LaunchContext const& launch, MemoryModel* model = nullptr);
    ~Interpreter();

    /// `waiting`: of a warp that polls for what others are to do, and gives way to them.
    enum class Outcome : std::uint8_t { finished, blocked, waiting, out_of_budget };

    /// Who is told what happens, from now on.
    void listen(EventSinks sinks) { sinks_ = std::move(sinks); }
    bool has_listeners() const { return !sinks_.empty(); }

    /// Makes `cluster` the state of a cluster that has not begun; reuses its storage. Without an SM it is
    /// numbered by its CTAs' places.
    void start(Cluster& cluster, std::uint64_t linear, std::uint32_t sm = UINT32_MAX);
    /// Runs the cluster until it ends, every warp has used its turn, or nothing can move (blocked: a deadlock, as
    /// nobody outside a cluster can wake it). Throws Fault.
    Outcome run(Cluster& cluster, std::uint64_t budget_per_warp);
    /// What the turn that ended did. `epoch` counts the turns that changed something, of all clusters of the
    /// launch, when this one began. A cluster spins when its turns change nothing and bring it back to a state it
    /// was in before, all in one epoch: it saw everything that others did, and will go in circles until they do
    /// more. Lanes that wait to reconverge are let go before that is said of it: others, here or in other
    /// clusters, may wait for what they are to do.
    enum class Progress : std::uint8_t { changed, undecided, spinning };
    Progress progress(Cluster& cluster, std::uint64_t epoch);
    /// One line per group of lanes that waits or spins.
    std::string describe_waiting(Cluster const& cluster) const;

    // For engines with a clock, an instruction at a time, with a memory model.
    /// Brings the warp to the instruction that it executes next: lanes meet those that wait for them, groups take
    /// turns. False when the warp has ended or waits for others of its CTA.
    bool settle(Cta& cta, Warp& warp);
    /// The op at which it stands then.
    static Op const& next_op(Warp const& warp) {
        Group const& group = warp.groups[warp.current];
        return group.frame->function->ops[group.pc];
    }
    static FunctionPlan const& next_function(Warp const& warp) {
        return *warp.groups[warp.current].frame->function;
    }
    /// The lanes that came to an instruction, and those that its guard let execute it.
    struct Stepped {
        LaneMask active = 0;
        LaneMask mask = 0;
    };
    /// Executes that instruction. `is_on_path`: it stands on a path of a branch that became guards, so that sinks
    /// are told only of the lanes that take the path. Throws Fault.
    Stepped step(Cta& cta, Warp& warp, bool is_on_path = false);
    /// Instructions after which a group of lanes gives way to others of its warp, and is looked at: does it spin?
    static constexpr std::uint64_t longest_slice = 2048;
    /// Of all that decides what the warp does next, but for memory that others can change.
    std::uint64_t hash_all(Warp const& warp) const;
    /// The effect of a global access that the memory model took, or of one to shared memory at `bias` of another
    /// CTA.
    void perform(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a,
                 std::uint64_t bias = 0);

    // What a memory model took, when its time has come. All throw Fault.
    /// As the other, each CTA by its rank on its own SM.
    void start(Cluster& cluster, std::uint64_t linear, std::vector<std::uint32_t> const& sms);
    /// Releases all who wait in the cluster's barrier, if all have come.
    bool end_cluster_phase(Cluster& cluster);
    /// `linear`: of the CTA that was meant, as its storage may be another's by now.
    void update(MbarrierUpdate const& update, std::uint64_t linear, Culprit const& by);
    static void read_source(UnderWay& w);
    /// Bytes of global memory.
    static void write_target(UnderWay const& w);
    /// The same for copies whose time has come.
    void arrive_in_global(UnderWay const& w, Culprit const& by);
    /// Bytes of shared memory, and their number to the mbarrier.
    void finish(UnderWay const& w, std::uint64_t linear, Culprit const& by);
    void call_heap(Cta& cta, Warp& warp, Op const& op, Frame& frame, int lane, std::uint64_t argument);
    /// The answer to clusterlaunchcontrol.try_cancel, which finish() gives to one CTA.
    /// Writes what cp.async has read for a thread of the CTA.
    void land(Cta& cta, std::uint32_t thread, FewBytes const& few, std::byte const* data);
    /// For engines that begin CTAs, and end the phases of clusters, in a cycle of their own.
    void tell_start(Cta const& cta) const;
    void tell_cluster_release(Cta const& cta) const;
    UnderWay cancelled(std::optional<std::uint64_t> cluster, Bytes const& response, Bytes const& barrier) const;
    /// Whether the warp is about to wait at an mbarrier (try_wait) and all of it would; tells it for reports.
    bool waits_for_mbarrier(Cta& cta, Warp& warp);
    Fault fault_of(Culprit const& by, std::string what) const;
    /// The function that the warp is in; of the module.
    static std::uint32_t function_of(Warp const& warp) {
        return warp.current < warp.groups.size() ? warp.groups[warp.current].frame->function->index : UINT32_MAX;
    }

    OpCounters const& counters() const { return counters_; }
    /// Keeps the next cluster of the grid that has not begun from beginning, and tells which; none: all have
    /// begun.
    void on_cancel(std::function<std::optional<std::uint64_t>()> cancel) { cancel_ = std::move(cancel); }

private:
    /// Who issues an operation of one lane.
    struct Issue {
        Cta& cta;
        Warp& warp;
        Op const& op;
        int lane;
    };
    Culprit culprit(Issue const& by) const;
    Culprit issuer_of(Issue const& by, UnderWay const& w) const;
    Outcome run_rounds(Cluster& cluster, std::uint64_t budget_per_warp);
    void start_cta(Cta& cta);
    void describe_waiting(Cta const& cta, std::string& text, int& shown) const;
    bool release_waiting(Cluster& cluster);
    template <bool observed> Outcome run_warp(Cta& cta, Warp& warp, std::uint64_t budget);
    template <bool observed, bool single = false> void run_group(Cta& cta, Warp& warp);
    void branch_indexed(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask mask);
    void account(FunctionPlan const& function, std::uint32_t from, std::uint32_t to, LaneMask lanes, Warp& warp);
    /// Lanes that their guard lets pass by the op at `pc` while others of their group stay in it.
    void account_passing(FunctionPlan const& function, std::uint32_t pc, LaneMask lanes);

    // control.cpp: lanes that go apart and meet again
    bool pick_group(Warp& warp);
    void select(Warp& warp, std::uint32_t group);
    Group& add_group(Warp& warp, LaneMask lanes, std::uint32_t pc, Frame* frame);
    void remove_current(Warp& warp);
    /// The current group becomes several, which meet at the converge op `meet` (UINT32_MAX: nowhere); the last of
    /// them runs first.
    void split(Cta& cta, Warp& warp, std::uint32_t meet, std::span<WarpSplit const> paths);
    void diverge(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask taken, LaneMask not_taken);
    /// The one entry of that point and activation, when any of `lanes` is to come to it; else null.
    Convergence* find_convergence(Warp& warp, std::uint32_t point, Frame const* frame, LaneMask lanes);
    void wait_in(Warp& warp, Convergence& entry, LaneMask lanes);
    Convergence& open_convergence(Warp& warp, std::uint32_t point, Frame* frame, LaneMask lanes);
    /// Lanes of the current group reach `point`: true when they go on at once.
    bool arrive(Cta& cta, Warp& warp, std::uint32_t point);
    void leave_convergences(Cta& cta, Warp& warp, LaneMask lanes, Frame const* frame);
    void release_complete(Cta& cta, Warp& warp);
    void release(Cta& cta, Warp& warp, std::size_t convergence);
    bool release_impatient(Cta& cta, Warp& warp, bool force);
    /// Lets lanes go on that wait to end together; false when there are none.
    bool release_ending(Cta& cta, Warp& warp);
    /// The op at `pc` ends every thread that comes to it.
    bool only_ends(Frame const& frame, std::uint32_t pc) const;
    /// Reports lanes that break the promise of `.uni`, when the instruction makes it.
    void check_uniform(Cta const& cta, Warp const& warp, Op const& op, LaneMask some, LaneMask others,
                       std::string_view what) const;
    void merge_groups(Warp& warp);
    void shorten_slice(Warp const& warp);

    // calls.cpp
    Frame* make_frame(Warp& warp, FunctionPlan const& function, Frame* parent, LaneMask lanes);
    void free_frame(Warp& warp, Frame* frame);
    void call(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask mask);
    /// The part of the frame's local memory that alloca, stacksave and stackrestore move the end of.
    void move_stack(Cta const& cta, Warp& warp, Op const& op, LaneMask mask);
    void enter(Cta& cta, Warp& warp, FunctionPlan const& callee, Call const& call, std::uint32_t return_op,
               LaneMask lanes, Frame* caller);
    /// The function at an address that a lane calls; it must be one that the call may reach.
    FunctionPlan const& callee_at(Cta const& cta, Warp const& warp, Op const& op, Call const& call, int lane,
                                  std::uint64_t address) const;
    void return_lanes(Cta& cta, Warp& warp, LaneMask lanes);
    void exit_lanes(Cta& cta, Warp& warp, LaneMask lanes);
    void copy(Warp& warp, Frame& from_frame, CallCopy::End const& from, Frame& to_frame, CallCopy::End const& to,
              LaneMask lanes);

    // device_runtime.cpp
    void call_runtime(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    void call_device_runtime(Cta& cta, Warp& warp, Op const& op, Call const& call, int lane);
    void write_byte(Cta& cta, Warp& warp, Op const& op, std::size_t lane, std::uint64_t address, std::byte value);
    bool read_byte(Cta const& cta, Warp const& warp, std::size_t lane, std::uint64_t address,
                   std::byte& value) const;
    std::string read_text(Cta const& cta, Warp const& warp, Op const& op, int lane, std::uint64_t address,
                          char const* what) const;
    std::uint64_t print(Cta const& cta, Warp const& warp, Op const& op, int lane, std::uint64_t format,
                        std::uint64_t buffer);
    [[noreturn]] void fail_assertion(Cta const& cta, Warp const& warp, Op const& op, Call const& call,
                                     LaneMask mask) const;

    // memory.cpp
    void find_addresses(Addresses& a, Warp const& warp, Access const& access, LaneMask mask) const;
    template <bool observed> void access(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    template <bool observed>
    void access_as(Cta& cta, Warp& warp, Op const& op, Access const& access, SpaceKind space, Addresses& a);
    template <bool observed>
    bool carry_out(Cta& cta, Warp& warp, Op const& op, Access const& access, SpaceKind space, Addresses& a);
    void access_generic(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses& a, bool observed);
    bool check_global(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a);
    void access_host(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a);
    void move(Warp& warp, Access const& access, Addresses const& a, std::uint64_t bias);
    void move_interleaved(Warp& warp, Op const& op, Access const& access, Addresses const& a, std::byte* area);
    [[noreturn]] void bad_address(Cta const& cta, Warp const& warp, Op const& op, Access const& access,
                                  SpaceKind space, Addresses const& a, std::uint64_t limit);
    void check_atomic_space(Cta const& cta, Warp const& warp, Op const& op, Access const& access, SpaceKind space,
                            Addresses const& a) const;
    void atomic(Warp& warp, Cta& cta, Access const& access, Addresses const& a, std::uint64_t bias,
                bool is_private);
    void bulk_store(Cta& cta, Warp& warp, Op const& op, LaneMask mask);

    // collectives.cpp
    /// Of a few kinds, without putting values aside; all members are in `mask`. False: another kind.
    bool simple_collective(Cta const& cta, Warp& warp, Op const& op, Collective const& c, LaneMask mask);
    /// Performs the op when all its members are in `mask`; false when some must be waited for.
    template <bool observed>
    bool fast_collective(Cta const& cta, Warp& warp, Op const& op, Collective const& c, LaneMask mask);
    static void give_active_mask(Warp& warp, Collective const& c, LaneMask mask);
    void collective(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    void check_members(Cta const& cta, Warp const& warp, Op const& op, LaneMask lanes, LaneMask members) const;
    void note_undefined(Cta const& cta, Warp const& warp, std::uint32_t function, Op const& op,
                        LaneMask lanes) const;
    /// Performs what waits for members that have come meanwhile, or that have exited.
    void check_collectives(Cta& cta, Warp& warp);
    // barriers.cpp
    bool barrier(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// Faults when other lanes of the warp are elsewhere, or held back by the guard: .aligned promises they are
    /// not.
    void check_aligned(Cta const& cta, Warp const& warp, Op const& op, LaneMask mask) const;
    /// The lanes of `mask` wait where they are; those of their group that the guard holds back go on.
    void block(Warp& warp, LaneMask mask, Group::State state, std::uint32_t barrier_id);
    void check_barriers(Cta& cta);
    static bool misses_exited_only(Cta const& cta, std::uint32_t id);
    void complete_barrier(Cta& cta, std::uint32_t id);
    std::uint32_t live_threads(Cta const& cta) const;
    static std::uint32_t weight(Warp const& warp, LaneMask arrived);
    static std::uint32_t arrived_threads(Cta const& cta, BarrierState const& state);
    // clusters.cpp
    void cluster_arrive(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    bool cluster_wait(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    void check_cluster_barrier(Cta& cta);
    static std::string missing_in_cluster(Cluster const& cluster);
    Cta& owner(Issue const& by, std::uint64_t address) const;
    /// Faults when shared memory that must be the CTA's own is another's.
    void check_own(Issue const& by, Cta const& owner) const;
    std::uint64_t address_at(Issue const& by, Place const& place) const;
    Bytes shared_bytes(Issue const& by, Place const& place, std::uint32_t bytes, std::uint32_t alignment) const;
    Bytes global_bytes(Issue const& by, Place const& place, std::uint32_t bytes, std::uint32_t alignment,
                       bool is_written) const;
    void map_ranks(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    bool access_cluster(Cta& cta, Warp& warp, Op const& op, Access const& access, Addresses const& a);
    // mbarriers.cpp
    [[noreturn]] void mbarrier_fault(Issue const& by, Bytes const& place, std::string const& what) const;
    std::uint64_t mbarrier(Issue const& by, Asynchronous const& a);
    bool mbarriers(Cta& cta, Warp& warp, Op const& op, Asynchronous const& a, LaneMask mask);
    void complete_transaction(Issue const& by, Bytes const& place, std::uint32_t bytes);
    void arrive_at(Issue const& by, Bytes const& place);
    static std::string polled_mbarrier(Warp const& warp);
    // async_copies.cpp
    void asynchronous(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    void issue(Issue const& by, UnderWay&& w);
    void perform(Issue const& by, UnderWay& w);
    template <class Which> void perform_those(Issue const& by, Which const& which);
    void finish_for(Issue const& by, Bytes const& barrier);
    void wait_groups(Issue const& by, Asynchronous const& a);
    void copy_few(Issue const& by, Asynchronous const& a);
    void copy_bulk(Issue const& by, Asynchronous const& a);
    void store_late(Issue const& by, Asynchronous const& a);
    void cancel_launch(Issue const& by, Asynchronous const& a);
    void end_copies(Cta& cta, Warp& warp, Op const& op, LaneMask mask);

    void read_clock(Warp const& warp, Cta& cta, Op const& op, LaneMask mask, std::uint64_t pending);
    /// Where its lanes are, and their registers.
    std::uint64_t hash_state(Warp const& warp) const;
    bool slice_spins(Cta const& cta, Warp& warp) const;
    /// A fault without a text: which thread, at which instruction.
    Fault blame(Cta const& cta, Warp const& warp, Op const& op, int lane) const;
    [[noreturn]] void fault(Cta const& cta, Warp const& warp, Op const& op, int lane, FaultKind kind,
                            std::string what, std::string details = {}) const;
    std::string call_trace(Warp const& warp) const;

    // tell.cpp: what happens, for those who listen
    std::uint64_t cycle() const { return model_ != nullptr ? model_->cycle() : 0; }
    Site site(Cta const& cta, Warp const& warp, Op const& op) const;
    void tell_instruction(Cta const& cta, Warp const& warp, Op const& op, LaneMask active, LaneMask mask) const;
    void tell_fence(Cta const& cta, Warp const& warp, Op const& op, LaneMask mask) const;
    void tell_collective(Cta const& cta, Warp const& warp, Op const& op, Collective const& c, LaneMask mask) const;
    /// What `by` did to an mbarrier; when that has ended a phase, the one of that parity.
    void tell_mbarrier(Bytes const& place, MbarrierOperation operation, std::uint32_t count, Culprit const& by,
                       bool passed, bool ends_phase, std::uint32_t parity) const;
    void tell_arrival(UnderWay const& w, Culprit const& by) const;
    void tell_issue(Issue const& by, UnderWay const& w) const;

    Group& current(Warp& warp) const { return warp.groups[warp.current]; }

    LaunchContext const& launch_;
    EventSinks sinks_;
    MemoryModel* model_;
    OpCounters counters_;
    std::uint64_t slice_end_ = 0;  // Warp::executed at which the running group gives way
    std::uint64_t budget_end_ = 0;
    std::function<std::optional<std::uint64_t>()> cancel_;
    Stepped stepped_;
    bool is_on_path_ = false;
    bool gives_way_ = false;                                        // the running warp polls: others first
    std::vector<std::vector<std::unique_ptr<Frame>>> free_frames_;  // by plan function
};

}  // namespace warpsim::sim
