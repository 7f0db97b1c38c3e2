// One SM: its warps, what each waits for, and the sub-cores that issue. Inside an epoch it accesses only its own
// state, its outbox, and memory that nothing writes.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/channel.hpp"
#include "sim/huge_pages.hpp"
#include "sim/timing/network/network.hpp"
#include "sim/timing/plan/routines.hpp"
#include "sim/timing/sm/constant_cache.hpp"
#include "sim/timing/sm/data_path.hpp"
#include "sim/timing/sm/dependence_counters.hpp"
#include "sim/timing/sm/instruction_cache.hpp"
#include "sim/timing/sm/resident_grid.hpp"
#include "sim/timing/sm/unit_times.hpp"
#include "sim/timing/sm/view.hpp"
#include "sim/timing/sm/wake_times.hpp"
#include "sim/timing/sm/warp_scheduler.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace warpsim::timing {

/// Copies that one warp issued, and arrivals that wait for them; they may outlive the warp.
struct WarpCopies {
    struct UnderWay {
        std::uint32_t sequence, group;
        bool is_bulk, in_group, has_read;
    };
    struct Late {
        std::uint32_t after;  // copies up to this one
        std::vector<MbarrierArrival> arrivals;
    };
    std::array<std::uint32_t, 2>
        committed{};  // groups of cp.async, of bulk copies. Simplified: of the warp, which waits longest
    std::uint32_t issued = 0;
    std::vector<UnderWay> under_way;
    std::vector<Late> late;
};

/// What cp.async.wait_group and the like wait for.
struct CopyWait {
    bool is_bulk = false;
    bool all = false;
    bool reads_only = false;
    std::uint32_t left = 0;  // groups that may be in flight

    bool is_over(WarpCopies const& copies) const;
};

/// Products of warpgroups that a warp has issued: when they will have ended.
struct WarpProducts {
    static constexpr std::uint32_t kept = 8;  // one more than may be under way behind a wait
    Cycle last = 0;
    std::uint32_t committed = 0;       // groups
    std::array<Cycle, kept> groups{};  // by number: when the last ones end

    void commit() { groups[committed++ % kept] = last; }
};

/// The state of a warp, for detecting whether anything still changes.
struct WarpSample {
    std::uint64_t hash = 0;          // of the state
    std::uint64_t executed = 0;      // instructions
    std::uint64_t round = 1;         // instructions within which all its warp splits have had a turn
    bool is_blocked = false;         // waits for other warps
    bool is_suspended = false;       // ... at an mbarrier, for as long as a program may wait there
    bool has_waiting_lanes = false;  // that wait to reconverge, but could continue
};

class Sm : public sim::InHugePages {
public:
    Sm(sim::Config const& config, std::uint32_t number, AddressMap const& map);

    /// Between epochs, before its first CTA is placed here: the arguments must live until end_grid().
    ResidentGrid& begin_grid(GridOnGpu const& grid);
    /// Between epochs: nothing of it is left here, and its counts have been read.
    void end_grid(GridNumber number);
    /// The grids that have begun here and have not been ended; null for others.
    ResidentGrid* grid(GridNumber number) const { return number < grids_.size() ? grids_[number].get() : nullptr; }
    /// Between epochs, for a grid whose CTAs have all ended: the cycle of its last event here. None when something
    /// that belongs to it is in flight.
    std::optional<Cycle> left(GridNumber number) const;
    /// Between epochs: adds the counts of each interval since the last call to `samples`.
    void give_samples(GridNumber number, std::vector<sim::IntervalSample>& samples);
    Cycle const& now() const { return now_; }

    /// Between epochs: a CTA begins in cycle `at`, which is after the last epoch.
    void place(ResidentGrid& grid, std::uint64_t cta, Cycle at);
    /// The same for a CTA of a cluster, which the interpreter has started already.
    void place(ResidentGrid& grid, sim::Cta& cta, Cycle at);
    /// Between epochs: warps that wait at the barrier of the cluster continue in cycle `at`.
    void release_cluster(sim::Cta const& cta, Cycle at);
    /// Between epochs, when nothing else can happen: waits at mbarriers time out in cycle `at`. False when there
    /// are none.
    bool end_waits(Cycle at);
    /// Changes that CTAs here have made to memory and barriers since they began.
    std::uint64_t changes() const;
    /// Between epochs: nothing is in flight here but loads, and stores that have taken effect already.
    bool is_quiet() const;
    void give_warps(std::vector<WarpSample>& samples) const;
    /// Between epochs: lanes that wait to reconverge continue, and waits at mbarriers time out in cycle
    /// `at`.
    void let_go(Cycle at);
    /// Between epochs: bytes that arrive in shared memory here in cycle `at`.
    void land(std::shared_ptr<Transfer> transfer, Cycle at);
    /// Between epochs: a packet of its has passed the network.
    void note(Network::Passed const& passed);
    engine::Outbox<SmMessage>& peer_outbox() { return data_path_.peers(); }
    struct Ended {
        Cycle at;
        GridNumber grid;
        sim::Cluster* cluster;
        std::uint64_t number;  // of the cluster, which may be another's by the time that this is read
    };
    /// CTAs that have ended since this was cleared.
    std::vector<Ended>& ended() { return ended_; }

    void run(Cycle end);
    /// Asked of every SM in each epoch, and so kept.
    Cycle next_event() const { return next_; }
    /// Between epochs: takes what was sent to this SM, whose number among the destinations is `self`.
    void take_replies(std::size_t self, std::span<engine::Outbox<MemoryReply>* const> sources);
    void take_from_peers(std::size_t self, std::span<engine::Outbox<SmMessage>* const> sources);
    engine::Outbox<MemoryRequest>& outbox() { return data_path_.outbox(); }

    struct Failure {
        Cycle at;
        std::uint32_t sm;
        GridNumber grid;
        std::exception_ptr error;
    };
    std::optional<Failure> const& failure() const { return failure_; }
    /// The last cycle in which something happened here.
    Cycle last_event() const { return now_; }
    /// The clusters of the grid's CTAs here.
    void give_clusters(GridNumber number, std::vector<sim::Cluster const*>& clusters) const;
    bool is_per_sm(MicroUnit unit) const { return per_sm_[static_cast<std::size_t>(unit)]; }
    /// What was counted for the grid. Cycles in which it has warps are counted when it has none any more, and before that
    /// up to cycle `until`.
    SmStatistics statistics(GridNumber number, Cycle until = 0) const;
    // sm_view.cpp: for those who look, before cycle `now`.
    SmView view(Cycle now) const;
    /// Null: it is not here.
    sim::LaunchContext const* launch_of(sim::Cta const& cta) const;
    std::optional<WarpView> view(sim::Warp const& warp, Cycle now) const;
    SectoredCache const& l1() const { return data_path_.tags(); }
    // checkpoint/: between epochs, of an SM that has the same grids. First the clusters that others refer to.
    template <class Archive> void state_of_clusters(Archive& archive);
    template <class Archive> void state(Archive& archive);

private:
    static constexpr std::uint32_t most_warps = 64;
    // What produces a value, beyond the units: the level that the data comes from.
    static constexpr std::uint8_t made_by_memory = micro_units;
    static constexpr std::uint8_t made_by_shared = micro_units + 1;
    static constexpr std::size_t all_makers = micro_units + 2;
    // From the cycle in which an instruction leaves a warp's buffer to the one in which another that was fetched
    // into its place can issue (HUE: fetch and decode take that long, so three entries are as good as more).
    static constexpr Cycle fetch_cycles = 3;

    /// What each instruction needs comes first, in two lines of the host's caches: it finds the state of its warp outside the
    /// nearest of these.
    struct alignas(64) WarpState {
        sim::Warp* warp = nullptr;
        ResidentGrid* grid = nullptr;
        FunctionTiming const* code = nullptr;     // of `function`
        TimedInstruction const* timed = nullptr;  // `main`
        Cycle since = 0;                          // when it entered its state
        Cycle earliest = 0;                       // of the next issue, not counting operands
        std::uint32_t function = 0;
        std::uint32_t instruction = 0;  // the next one, with which those without cost are executed
        std::uint32_t main = 0;         // the one that has micro-ops, or the last of its block
        std::uint32_t micro = 0;        // the next of its micro-ops
        std::uint32_t micros = 0;       // with those for rare operands, if a lane has such
        std::uint8_t place = 0;         // of its CTA
        sim::StallReason reason = sim::StallReason::wait;
        bool blocked = false;  // waits for others of its CTA
        bool held = false;     // until an event releases it

        std::uint64_t line = UINT64_MAX;  // of the instruction cache
        Cycle line_ready = 0;
        Cycle chain_ready = 0;                    // of the previous micro-op
        Cycle next_access = 0;                    // to memory, at the earliest
        CodePlace last;                           // that it issued
        std::uint32_t lanes = 0;                  // that executed the instruction
        std::uint32_t fall_through = UINT32_MAX;  // of a branch that is being resolved: where it goes if not taken
        std::uint32_t pending = 0;                // loads and atomics in flight
        std::uint32_t generation = 0;
        // Of the instruction that was executed last.
        std::uint32_t constant_cycles = 0;  // of a load of constants, or until an operand is in the first cache
        bool constant_missed = false;       // a load of constants that was not in the first cache
        bool is_under_way = false;          // its memory operations report when its results arrive
        bool needs_round_trip = false;      // its results are known at the end of the epoch
        bool has_released = false;          // the fence before the next instruction is over

        // What few instructions need.
        std::array<Cycle, fetch_cycles - 1> issued{};  // when the last micro-ops issued, where the buffer is short
        std::uint32_t rare_lanes = 0;                  // that need the instruction's routine
        std::uint32_t rounds = 0;                      // more, of an atomic that is retried
        bool skips_special = false;                    // the routine computes for all of them
        bool arrives = false;                          // at a barrier, without waiting there
        Cycle begun = 0;
        bool suspended = false;  // held at an mbarrier
        bool waits_for_copies = false;
        bool timed_out = false;  // its wait at an mbarrier has timed out
        bool in_cluster_barrier = false;
        // What it does when its writes are complete.
        enum class AfterWrites : std::uint8_t { nothing, fence, release, leave };
        AfterWrites after_writes = AfterWrites::nothing;
        std::uint8_t fence_scope = 0;
        isa::Effect beside = isa::Effect::nothing;
        sim::Asynchronous const* asynchronous = nullptr;
        std::shared_ptr<WarpCopies> copies;  // null: none so far
        CopyWait copy_wait;                  // of a warp that waits for copies
        WarpProducts products;
    };
    struct CtaSlot {
        ResidentGrid* grid = nullptr;
        std::unique_ptr<sim::Cluster> own;  // of one CTA, where there are no clusters
        sim::Cta* resident = nullptr;
        sim::Cta& cta() { return *resident; }
        Cycle cluster_release = 0;         // when the last barrier of the cluster was released
        std::uint32_t suspended = 0;       // warps
        std::uint32_t blocked = 0;         // warps that wait for others of the CTA
        std::vector<std::uint32_t> warps;  // slots
        std::uint32_t live = 0;
        bool used = false;
        Cycle barrier_free = 0;  // its barrier handles one warp after the other
    };
    struct Pending {  // what waits for a load
        std::uint32_t warp = 0;
        std::uint32_t generation = 0;
        BoardSlot const* results = nullptr;
        std::uint32_t count = 0;
        std::uint32_t copy = UINT32_MAX;  // for a copy: its number
        bool of_reads = false;            // whether only its source has been read
        std::uint32_t counter = 0;        // of dependences, where they are shared
    };
    struct Event {  // inside this SM
        enum class Kind : std::uint8_t { copied, source_read, landing, arrivals, release, resume };
        Cycle at = 0;
        Kind kind = Kind::resume;
        std::uint32_t index = 0;       // of a copy or a warp
        std::uint32_t generation = 0;  // of the warp
        std::shared_ptr<Transfer> transfer;
        std::vector<MbarrierArrival> arrivals;
        sim::Cta const* cta = nullptr;
        GridNumber grid = 0;  // of the CTA
    };
    struct Copy {  // in flight
        ResidentGrid* grid = nullptr;
        std::uint32_t warp = 0;
        std::uint32_t generation = 0;
        std::uint32_t sequence = 0;  // among those of the warp
        std::shared_ptr<WarpCopies> of;
        std::shared_ptr<FewCopies> few;
        std::vector<std::shared_ptr<Transfer>> targets;
        std::uint32_t place = 0;
    };
    struct SubCore {
        WakeTimes wake;
        std::array<UnitTimes, micro_units> units;
        std::array<UnitTimes::Refused, WakeTimes::most> refused{};  // by the warp's unit when its cycle came
        Cycle products_end = 0;           // of those of warpgroups, which queue in front of the tensor unit
        std::vector<Cycle> product_ends;  // of as many as may be there, by number
        std::size_t products = 0;
        std::unique_ptr<WarpScheduler> scheduler;

        bool is_full(MicroUnit unit) const { return units[static_cast<std::size_t>(unit)].is_full(); }
    };

    // checkpoint/: what has pointers, as numbers
    template <class Archive> void keep(Archive& archive, ResidentGrid*& grid) const;
    template <class Archive> void keep(Archive& archive, WarpState& warp);
    template <class Archive> void keep(Archive& archive, CtaSlot& place);
    template <class Archive> void keep(Archive& archive, Pending& pending);
    template <class Archive> void keep(Archive& archive, Event& event);
    template <class Archive> void keep(Archive& archive, Copy& copy);
    template <class Archive> void keep(Archive& archive, SubCore& core);

    // asynchronous.cpp: what proceeds beside the warps
    void add_event(Event event);
    void take_events(Cycle now);
    void take_messages(Cycle now);
    void begin_copies(std::uint32_t w, Cycle now);
    std::uint32_t add_copy(std::uint32_t w, bool is_bulk, bool in_group);
    std::uint32_t add_pending(Pending const& pending);
    static std::vector<ByteRange> ranges_of(sim::UnderWay const& copy);
    void begin_bulk(std::uint32_t w, Issued& issued, Cycle now);
    void copied(std::uint32_t index, Cycle now);
    void land_here(Transfer const& transfer, Cycle now);
    void complete_elsewhere(Transfer const& transfer, Cycle now);
    void perform_arrivals(std::vector<MbarrierArrival> const& arrivals, Cycle now);
    void check_late_arrivals(WarpCopies& copies, Cycle now);
    void check_copy_wait(std::uint32_t w, std::uint32_t generation, Cycle now);
    void check_suspended(CtaSlot& place, Cycle now);
    // matrix_unit.cpp: what tcgen05 has it do
    bool waits_for_room(WarpState const& s);
    WorkCycles work_cycles(sim::MatrixWork const& work) const;
    void give_work(WorkCycles const& work, Cycle now);
    void begin_work(std::uint32_t w, Cycle now);
    void share_work(sim::Cta const& cta, WorkCycles const& work, Cycle at);
    CtaSlot* slot_of(sim::Cta const& cta);
    void suspend(std::uint32_t w);
    void resume(std::uint32_t w, Cycle now);
    void commit_copies(std::uint32_t w, bool is_bulk);
    bool await_copies(std::uint32_t w, CopyWait const& wait);
    bool finish_beside(std::uint32_t w, Cycle now);
    void hold(std::uint32_t w, sim::StallReason reason);

    // fences.cpp: what waits for a warp's own writes
    bool has_writes(std::uint32_t w, std::uint8_t scope) const;
    Cycle fence_cycles(std::uint8_t scope) const { return fence_cycles_[scope]; }
    void await_writes(std::uint32_t w, WarpState::AfterWrites after, std::uint8_t scope);
    void begin_fence(std::uint32_t w, std::uint8_t scope, Cycle now);
    bool releases(std::uint32_t w, std::uint8_t scope, Cycle& earliest);
    void leave(std::uint32_t w, Cycle now);
    void take_progress(Cycle now);

    struct Start {
        Cycle at;
        ResidentGrid* grid;
        std::uint64_t cta;
        sim::Cta* of_cluster;  // null: without clusters
    };
    void prefetch(Cycle end) const;
    static bool is_running(WarpState const& s) {
        return s.warp != nullptr && s.warp->current < s.warp->splits.size();
    }
    void add_start(Start const& start);
    void widen_board(std::size_t stride);
    void begin_kernel(ResidentGrid& grid);
    bool is_idle() const;
    Cycle next_issue() const;
    Cycle next_beside() const;
    Cycle next_start() const;
    void take_beside(Cycle now);
    void settle_lingering(Cycle at);
    void begin_cta(Start const& start);
    void end_warp(std::uint32_t w, Cycle now);
    // issue.cpp: which warp issues, and what its instruction does
    void issue_slot(std::uint32_t sub_core, Cycle now);
    void occupy(std::uint32_t sub_core, MicroUnit unit, Cycle now, Cycle until);
    void push(std::uint32_t sub_core, MemoryOperation const& operation, Cycle now);
    void fill(std::uint32_t sub_core, MicroUnit unit, Cycle from);
    void look_for_room(std::uint32_t sub_core, Cycle now);
    void account_wait(SubCore& core, std::uint32_t w, Cycle now);
    static void note_refused(SubCore& core, WakeTimes::Mask came, Cycle now);
    WarpMask slots_of(WakeTimes::Mask seats, std::uint32_t sub_core) const;
    sim::StallReason throttle(MicroUnit unit, TimedInstruction const& timed) const;
    void issue(SubCore& core, std::uint32_t sub_core, std::uint32_t w, Cycle now);
    void await_next_micro(std::uint32_t w, Cycle now);
    void set_results(std::uint32_t w, TimedInstruction const& timed, Cycle ready, std::uint8_t maker);
    /// False when the warp has to wait at an mbarrier first. `next`: see Interpreter::step_lanes().
    bool carry_out(std::uint32_t w, Cycle now, sim::Op const*& next);
    bool carry_out_from(std::uint32_t w, std::uint32_t i, Cycle now, sim::Op const*& next);
    void account_executed(std::uint32_t w, std::uint32_t i, sim::Interpreter::Stepped stepped, Cycle now);
    static void call_routine(WarpState& s, RareLanes rare, sim::LaneMask mask);
    static void retry(WarpState& s, TimedInstruction const& timed);
    void start_operations(std::uint32_t w, TimedInstruction const& timed, Cycle now);
    void finish_instruction(std::uint32_t w, MicroOp const& last, Cycle now, sim::Op const* next);
    void finish_special(std::uint32_t w, Cycle now);
    void await_round_trip(std::uint32_t w);
    // wake_up.cpp: the next instruction of a warp, and when it could issue
    void advance(std::uint32_t w, Cycle now, Cycle earliest, sim::StallReason reason,
                 sim::Op const* next = nullptr);
    void find_bundle(WarpState& s);
    void update_wake(std::uint32_t w, Cycle earliest, sim::StallReason reason);
    struct Wait {
        Cycle until;
        sim::StallReason reason;
    };
    // wake_up.hpp, but for more_ready() and set_ways()
    /// Cycles from a result to an operand, in addition to the latency of what makes it: by the operand's role and that.
    using OperandWays = std::array<std::array<Cycle, all_makers>, roles>;
    Wait operands_ready(std::uint32_t w, Wait wait);
    Wait operand_ready(std::uint32_t w, BoardOperand operand, OperandWays const& ways) const;
    Wait more_ready(std::uint32_t w, Wait wait);
    void await_first_micro(std::uint32_t w, Cycle earliest, sim::StallReason reason);
    void go_on(std::uint32_t w, Cycle now, sim::Op const& next);
    void set_ways(sim::DependenceConfig const& dependences);
    // products.cpp: products of warpgroups, which proceed beside the warps
    void begin_product(std::uint32_t w, MicroOp const& micro, Cycle now);
    void commit_products(std::uint32_t w, Cycle now);
    Wait products_ended(std::uint32_t w, Wait wait);
    /// Whether its results have a variable latency.
    bool is_signalled(std::uint8_t maker) const {
        return maker >= made_by_memory || scoreboarded_[maker] ||
               static_cast<MicroUnit>(maker) == MicroUnit::constant;
    }
    void load_constant(WarpState& s, Cycle now);
    Cycle wait_for_constant(WarpState& s);
    void set_blocked(WarpState& s, bool blocked);
    void wake_released(CtaSlot& place, Cycle now);
    void take_arrivals();
    // instruction_fetch.cpp: what the SM's instruction cache does not have, where that comes from L2
    Cycle fetch(std::uint32_t w, std::uint64_t line);
    void take_code();
    void set_wake(std::uint32_t w, Cycle at, sim::StallReason reason);
    void account(WarpState& s, sim::StallReason reason, Cycle until);
    void tell_stall(WarpState const& s, sim::StallReason reason, Cycle until) const;
    WarpView view_of(std::uint32_t w, Cycle now) const;
    std::vector<PendingRegister> pending_of(std::uint32_t w, Cycle now) const;
    /// Reads its registers in the cycles after its issue; other units have queues for that.
    static bool reads_at_once(MicroUnit unit) { return unit <= MicroUnit::fp64; }
    void read_registers(SubCore& core, std::uint32_t sub_core, std::span<std::uint8_t const> reads, Cycle now);
    /// The first cycle in which the warp's buffer holds another instruction.
    Cycle buffered(WarpState const& s) const {
        return buffer_limits_ ? s.issued[config_.sm.front_end->buffer_entries - 1] + fetch_cycles : 0;
    }
    static bool accesses_memory(WarpState const& s) { return s.timed->unit == MicroUnit::lsu; }
    Cycle latency(MicroUnit unit) const { return latencies_[static_cast<std::size_t>(unit)]; }
    Cycle latency(MicroOp const& op) const { return op.latency != 0 ? op.latency : latency(op.unit); }

    Cycle* board(std::uint32_t w) { return board_.data() + std::size_t{w} * board_stride_; }
    std::uint32_t take_counter(std::uint32_t w, TimedInstruction const& timed);
    std::uint8_t* makers(std::uint32_t w) { return makers_.data() + std::size_t{w} * board_stride_; }
    // Warps are dealt out to the sub-cores in turn.
    SubCore& core(std::uint32_t w) { return sub_cores_[sub_core_of_[w]]; }
    SubCore const& core(std::uint32_t w) const { return sub_cores_[sub_core_of_[w]]; }
    std::uint32_t seat(std::uint32_t w) const { return seat_of_[w]; }
    Cycle wake(std::uint32_t w) const { return core(w).wake.at(seat(w)); }
    /// The unit of its next micro-op.
    static MicroUnit next_unit(WarpState const& s) {
        return s.micro == 0 ? s.timed->unit : s.code->micros[s.timed->first_micro + s.micro].unit;
    }

    sim::Config const& config_;
    std::uint32_t number_;
    std::uint32_t sub_core_count_, issues_per_cycle_;
    std::array<std::uint8_t, most_warps> sub_core_of_{}, seat_of_{};  // by slot
    std::vector<std::unique_ptr<ResidentGrid>> grids_;                // by number
    std::vector<ResidentGrid*> sampled_;                              // those that are observed over time
    std::vector<ResidentGrid*> lingering_;
    ResidentGrid* acting_ = nullptr;  // the grid whose instruction or copy is being executed
    DataPath data_path_;
    InstructionCaches instructions_;
    engine::Inbox<MemoryReply> inbox_;

    Cycle next_ = engine::never;  // when something happens here, while it does not run
    // When each sub-core has something to do, and which have a full queue in front of a unit. These are asked in every cycle and
    // so lie together, not in the sub-cores.
    alignas(64) std::array<Cycle, most_warps> next_issue_;
    std::uint64_t full_ = 0;

    std::array<WarpState, most_warps> warps_;
    WarpMask used_warps_ = 0;
    sim::HugeVector<SubCore> sub_cores_;
    sim::HugeVector<Cycle> bank_turns_;             // of their register files: see read_registers()
    std::array<bool, micro_units> per_sm_{};        // units that the sub-cores share
    std::array<bool, micro_units> scoreboarded_{};  // of variable latency: signalled by the scoreboard
    std::array<Cycle, micro_units> latencies_{};
    std::array<Cycle, micro_units> intervals_{};
    bool buffer_limits_;                        // a warp cannot issue in every cycle
    Cycle ports_per_bank_, read_window_turns_;  // of the register file: the window in turns of its ports
    // Between two accesses of one warp to memory: ptxas leaves as long as the address unit takes for the first, in code
    // for each GPU since Volta.
    Cycle access_interval_;
    std::array<Cycle, 3> fence_cycles_{};  // per scope, after the writes
    std::array<OperandWays, 3> ways_{};    // of instructions for the integer pipe, the multipliers, other units
    std::array<sim::StallReason, all_makers> waits_for_{};
    Cycle longest_way_ = 0;
    // The scoreboard: per warp and slot the cycle from which on the value can be used, and what produces it.
    std::size_t board_stride_ = 0;
    sim::HugeVector<Cycle> board_;
    sim::HugeVector<std::uint8_t> makers_;
    DependenceCounters counters_;
    std::vector<std::uint8_t> counter_of_;  // as in the scoreboard; empty where each result has one to itself

    sim::HugeVector<CtaSlot> cta_slots_;
    std::uint32_t resident_ = 0;   // CTAs
    std::vector<Start> starting_;  // in order
    std::vector<Ended> ended_;
    sim::HugeVector<Pending> pending_;
    sim::HugeVector<std::uint32_t> free_pending_;
    std::vector<DataPath::Arrival> arrivals_;
    engine::Inbox<SmMessage> peer_inbox_;
    std::vector<Event> events_;  // by cycle, the latest first
    std::vector<Copy> copies_;
    std::vector<std::uint32_t> free_copies_;
    SharedMatrixUnit matrix_unit_;
    std::optional<Failure> failure_;
    Cycle now_ = 0;
    ConstantCache constants_;
    Cycle constants_free_ = 0;
    sim::IntervalSample totals(ResidentGrid const& grid) const;
};

/// The unit has accepted a micro-op. Sub-cores that have had their turn in this cycle notice in the next one.
inline void Sm::occupy(std::uint32_t sub_core, MicroUnit unit, Cycle now, Cycle until) {
    auto const i = static_cast<std::size_t>(unit);
    if (!per_sm_[i]) return sub_cores_[sub_core].units[i].occupy(now + 1, until);
    for (std::uint32_t other = 0; other < sub_core_count_; ++other)
        sub_cores_[other].units[i].occupy(other > sub_core ? now : now + 1, until);
}

inline void Sm::set_blocked(WarpState& s, bool blocked) {
    if (s.blocked == blocked) return;
    s.blocked = blocked;
    cta_slots_[s.place].blocked += blocked ? 1u : ~0u;
}

inline void Sm::account(WarpState& s, sim::StallReason reason, Cycle until) {
    if (until <= s.since) return;
    s.grid->statistics.stalls[static_cast<std::size_t>(reason)] += until - s.since;
    if (s.grid->sinks.want(sim::EventKind::stall)) tell_stall(s, reason, until);
    s.since = until;
}

}  // namespace warpsim::timing
