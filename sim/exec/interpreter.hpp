// Executes clusters of one launch on one host thread: the loop and the turns of warps. The components carry out
// the instructions; Execution holds counters and sinks; the clusters hold the state of their warps.
#pragma once

#include "sim/exec/components.hpp"
#include "sim/host_prefetch.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace warpsim::sim {

class CodeRunner;
struct CompiledKernel;
struct Left;
struct MemoryCounts;

/// Is constructed before the components, which refer to it.
struct OwnExecution {
    Execution own;
};

class Interpreter : private OwnExecution, private Component {
public:
    /// `model` decides when effects that others see take place; null: at once.
    explicit Interpreter(LaunchContext const& launch, MemoryModel* model = nullptr);
    ~Interpreter();
    Interpreter(Interpreter const&) = delete;
    Interpreter& operator=(Interpreter const&) = delete;

    /// Sets the sinks for the following events.
    void listen(EventSinks sinks) { own.sinks = std::move(sinks); }
    OpCounters const& counters() const { return own.counters; }
    bool has_diverged() const { return own.counters.branch_divergent != 0; }
    /// The counters get what native code has counted beside them.
    void complete_counters();
    /// What native code has done; null: there is none.
    CodeRunner const* compiled() const { return runner_.get(); }
    /// Continues counting from there.
    void resume(OpCounters const& counters) { own.counters = counters; }

    /// `waiting`: a warp polls for what others do, and lets them run first.
    enum class Outcome : std::uint8_t { finished, blocked, waiting, out_of_budget };

    /// Makes `cluster` the state of a cluster that has not begun; reuses its storage. Without `sm`, the number of
    /// its SM follows from its CTAs' positions.
    void start(Cluster& cluster, std::uint64_t linear, std::uint32_t sm = UINT32_MAX);
    /// The same, with an SM for each CTA by its rank.
    void start(Cluster& cluster, std::uint64_t linear, std::vector<std::uint32_t> const& sms);
    /// Goes on with a copy, which may be one of another launch of the same plan and shape.
    void adopt(Cluster& cluster) const;
    /// Runs the cluster until it ends, every warp has used its turn, or nothing can continue (blocked: a deadlock,
    /// because nothing outside a cluster can wake it). Throws Fault.
    Outcome run(Cluster& cluster, std::uint64_t budget_per_warp);
    /// start() and run(), or the same by native code alone.
    Outcome run_new(Cluster& cluster, std::uint64_t linear, std::uint64_t budget_per_warp);
    /// The result of the last turn. `epoch` counts the turns, of all clusters of the launch, that had changed
    /// something when this one began. A cluster spins when its turns change nothing and return it to an earlier
    /// state, all within one epoch: it has seen everything that others did, and will repeat itself until they do
    /// more. Before a cluster is said to spin, its lanes that wait to reconverge are released: others, here or in
    /// other clusters, may be waiting for what these lanes do next.
    enum class Progress : std::uint8_t { changed, undecided, spinning };
    Progress progress(Cluster& cluster, std::uint64_t epoch);

    // For engines with a clock and a memory model, which execute single instructions.
    /// Advances the warp to its next instruction: lanes join those that wait for them, splits take turns. False
    /// when the warp has ended or waits for others of its CTA.
    bool settle(Cta& cta, Warp& warp) { return is_settled(warp) || settle_anew(cta, warp); }
    /// The op of that instruction.
    static Op const& next_op(Warp const& warp) { return warp.op_of(warp.running()); }
    /// Where it finds its operands.
    static isa::Bases next_bases(Warp& warp) {
        warp.bases[0] = warp.running_frame().registers.get();
        return warp.bases;
    }
    /// What the next instruction reads and writes comes into the host's caches.
    static void prefetch_next(Warp const& warp) {
        Frame const& frame = warp.running_frame();
        Op const& op = frame.function->ops[warp.running().pc];
        std::byte const* const registers = frame.registers.get();
        auto const fetch = [registers](Slot slot) {
            if ((slot & 3) != 0) return;
            prefetch(registers + slot);
            prefetch(registers + slot + 64);
        };
        if (op.kind == OpKind::lanes || op.kind == OpKind::lanes_guarded) {
            for (int i = 0; i < 4; ++i) fetch(op.operands.slot[i]);
        } else if (op.kind == OpKind::load || op.kind == OpKind::store) {
            Access const& access = frame.function->accesses[op.target];
            fetch(access.address);
            if (access.address_is_64) fetch(access.address + 128);
            fetch(access.data[0]);
            prefetch(&warp.last);
            if (op.kind == OpKind::load) prefetch_data(access, registers);
        }
    }
    /// Most accesses of a warp are to one line or two, or to a row for each half of it.
    static void prefetch_data(Access const& access, std::byte const* registers) {
        bool const is_of_host = access.space == SpaceKind::global || access.space == SpaceKind::generic;
        if (!is_of_host || !access.address_is_64 || (access.address & 3) != 0) return;
        auto const* const addresses = reinterpret_cast<std::uint64_t const*>(registers + access.address);
        for (int const lane : {0, 16, 31})
            prefetch(reinterpret_cast<void const*>(addresses[lane] + static_cast<std::uint64_t>(access.offset)));
    }
    static FunctionPlan const& next_function(Warp const& warp) { return warp.function_of(warp.running()); }
    /// The function that the warp executes, as an index into the module.
    static std::uint32_t function_of(Warp const& warp) {
        return warp.current < warp.splits.size() ? warp.running_frame().function->index : UINT32_MAX;
    }
    /// The lanes that reached an instruction, and those for which its guard is true.
    struct Stepped {
        LaneMask active = 0;
        LaneMask mask = 0;
    };
    /// Executes that instruction. `is_on_path`: it is on a path of a branch that became guards, so sinks are told
    /// only of the lanes that take the path. `next`: the op of the next instruction if no settle() is needed to find it; else
    /// null. Throws Fault.
    Stepped step(Cta& cta, Warp& warp, bool is_on_path, Op const*& next);
    /// The same for what most instructions are, one op of the lanes, or one that was executed for all warps before: no memory
    /// model hears of it. False, and nothing has happened: this is another one, or sinks want to be told.
    bool step_lanes(Warp& warp, Stepped& stepped, Op const*& next);
    /// Reports the start of a CTA, which start() does only without a clock.
    void tell_start(Cta const& cta) const;

    // The components, for performing what a memory model has deferred.
    Divergence const& divergence() const { return parts_.divergence; }
    Barriers& barriers() { return parts_.barriers; }
    MemoryAccess& memory() { return parts_.memory; }
    AsyncOperations& asynchronous() { return parts_.asynchronous; }
    RuntimeCalls& runtime_calls() { return parts_.runtime_calls; }
    Faults const& faults() const { return own.faults; }

    /// What it keeps beside the state of clusters, where nothing is compiled: counts, and storage of activations.
    template <class Archive> void state(Archive& archive) {
        archive(own.counters, own.slice_end, own.budget_end, own.gives_way, parts_.calls);
    }

private:
    struct Stretch;

    Outcome run_rounds(Cluster& cluster, std::uint64_t budget_per_warp, Left const* left = nullptr);
    void start_cta(Cta& cta, bool is_unmarked);
    void start_warp(Cta& cta, Warp& warp);
    bool release_waiting(Cluster& cluster);
    template <bool observed>
    Outcome run_warp(Cta& cta, Warp& warp, std::uint64_t budget, std::optional<Flow> begun = {});
    template <bool observed, bool single = false> void run_split(Cta& cta, Warp& warp);
    bool settle_anew(Cta& cta, Warp& warp);
    /// Reconvergence points at which nobody waits are passed.
    static bool is_settled(Warp& warp) {
        bool const goes_on = warp.executed < warp.slice_end && warp.current < warp.splits.size() &&
                             warp.running().state == WarpSplit::State::runnable && warp.live() != 0;
        if (!goes_on) return false;
        while (next_op(warp).kind == OpKind::converge) {
            if (!warp.convergence_barriers.empty()) return false;
            ++warp.running().pc;
        }
        return true;
    }
    static bool is_alone(Op const& op);
    static LaneMask guarded(Warp const& warp, Op const& op, LaneMask lanes);
    void count_guarded_off(FunctionPlan const& function, std::uint32_t pc, LaneMask lanes);
    Op const* step_to(Warp& warp, WarpSplit& split, FunctionPlan const& function, std::uint32_t pc);
    bool step_alone(Cta& cta, Warp& warp, Op const*& next);
    void exit_lanes(Cta& cta, Warp& warp, LaneMask lanes);
    void tell_instruction(Cta const& cta, Warp const& warp, Op const& op, LaneMask active, LaneMask mask) const;

    Components parts_{execution_};
    std::unique_ptr<CodeRunner> runner_;  // of a launch whose kernel may get native code
    Stepped stepped_;
    bool is_on_path_ = false;
};

[[gnu::always_inline]] inline bool Interpreter::step_lanes(Warp& warp, Stepped& stepped, Op const*& next) {
    WarpSplit& split = warp.running();
    Frame const& frame = warp.frame_of(split);
    FunctionPlan const& function = *frame.function;
    Op const& op = function.ops[split.pc];
    bool const is_of_lanes = op.kind == OpKind::lanes || op.kind == OpKind::lanes_guarded;
    bool const is_nothing = op.kind == OpKind::nothing && (op.guard & 3) != 0;
    if (!(is_of_lanes || is_nothing) || sinks_.want(EventKind::instruction) || !is_alone(op)) return false;
    warp.bases[0] = frame.registers.get();
    LaneMask const lanes = split.lanes;
    LaneMask mask = lanes;
    if (op.kind == OpKind::lanes_guarded) {
        mask = guarded(warp, op, lanes);
        count_guarded_off(function, split.pc, lanes & ~mask);
    }
    stepped = {lanes, mask};
    next = step_to(warp, split, function, split.pc + 1);
    if (mask != 0 && is_of_lanes) op.run(warp.bases, op.operands, mask);
    return true;
}

/// An instruction of one op. There is one behind it, as no op of the lanes is the last one of its function.
inline bool Interpreter::is_alone(Op const& op) {
    Op const& behind = (&op)[1];
    return op.is_primary && (behind.is_primary || behind.kind == OpKind::converge);
}

/// Those of the lanes for which the op's guard is true.
[[gnu::always_inline]] inline LaneMask Interpreter::guarded(Warp const& warp, Op const& op, LaneMask lanes) {
    LaneMask const predicate = *isa::column<LaneMask>(warp.bases, op.guard);
    return lanes & (op.guard_negated ? ~predicate : predicate);
}

[[gnu::always_inline]] inline void Interpreter::count_guarded_off(FunctionPlan const& function, std::uint32_t pc,
                                                                  LaneMask lanes) {
    if (lanes != 0) counters_.guarded_off[function.counter_base + pc] += count_lanes(lanes);
}

/// The split executes the instruction of the one op at which it stands, and goes on at `pc`.
[[gnu::always_inline]] inline Op const* Interpreter::step_to(Warp& warp, WarpSplit& split,
                                                             FunctionPlan const& function, std::uint32_t pc) {
    counters_.account_step(function, split.pc, split.lanes);
    split.pc = pc;
    Op const& next = function.ops[pc];
    return ++warp.executed < warp.slice_end && next.kind != OpKind::converge ? &next : nullptr;
}

}  // namespace warpsim::sim
