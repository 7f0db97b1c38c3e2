// What the components of an engine share: the launch, the sinks, the counters. Components have no state of their
// own: the state of warps and CTAs is in warp.hpp.
#pragma once

#include "sim/events.hpp"
#include "sim/exec/faults.hpp"
#include "sim/exec/lane_count.hpp"
#include "sim/exec/memory_model.hpp"
#include "sim/exec/notices.hpp"
#include "sim/exec/warp.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::sim {

/// For each op of the plan, how often straight-line execution began and ended there, in warps and lanes. The sum
/// of all entries up to an op is how often it was executed, so counting costs nothing inside a run.
struct OpCounters {
    struct Delta {
        std::int64_t warp = 0;
        std::int64_t thread = 0;

        void operator+=(Delta const& other) { *this = {warp + other.warp, thread + other.thread}; }
        void operator-=(Delta const& other) { *this = {warp - other.warp, thread - other.thread}; }
    };
    std::vector<Delta> deltas;
    std::vector<std::uint64_t> guarded_off;  // lanes that the guard switched off
    std::vector<std::uint64_t> divergent;    // warps that a branch has parted

    std::uint64_t branch_total = 0;  // executed guarded and indexed branches
    std::uint64_t branch_divergent = 0;

    explicit OpCounters(std::size_t ops) : deltas(ops + 1), guarded_off(ops + 1), divergent(ops + 1) {}

    /// What another engine has counted for the same plan.
    void add(OpCounters const& other) {
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            deltas[i] += other.deltas[i];
            guarded_off[i] += other.guarded_off[i];
            divergent[i] += other.divergent[i];
        }
        branch_total += other.branch_total;
        branch_divergent += other.branch_divergent;
    }
    /// A warp executes ops with so many threads.
    static Delta execution_by(LaneMask lanes) { return {1, count_lanes(lanes)}; }
    /// `warp` has executed the ops [from, to) of the function.
    [[gnu::always_inline]] inline void account(FunctionPlan const& function, std::uint32_t from, std::uint32_t to,
                                               Delta const& execution, Warp& warp) {
        if (to <= from) return;
        Delta* const here = deltas.data() + function.counter_base;
        here[from] += execution;
        here[to] -= execution;
        warp.executed += function.instructions_before[to] - function.instructions_before[from];
    }
    /// The same for one op, but for what the warp has executed.
    [[gnu::always_inline]] inline void account_step(FunctionPlan const& function, std::uint32_t pc,
                                                    LaneMask lanes) {
        Delta const execution = execution_by(lanes);
        Delta* const here = deltas.data() + function.counter_base + pc;
        here[0] += execution;
        here[1] -= execution;
    }
    /// A warp has parted at the op.
    void account_divergence(FunctionPlan const& function, std::uint32_t pc) {
        ++branch_divergent;
        ++divergent[function.counter_base + pc];
    }
    /// Lanes that skip the op at `pc` by their guard, while others of their warp split stay in it.
    void account_passing(FunctionPlan const& function, std::uint32_t pc, LaneMask lanes) {
        auto const threads = static_cast<std::int64_t>(count_lanes(lanes));
        deltas[function.counter_base + pc].thread += threads;
        deltas[function.counter_base + pc + 1].thread -= threads;
    }
};

/// The shared state of one interpreter, or of another engine that uses the components.
struct Execution {
    LaunchContext const& launch;
    MemoryModel* const model;  // null: everything takes effect at once
    Faults const faults{launch};
    EventSinks sinks{};
    OpCounters counters{launch.plan.op_count};
    // Of the turn of the running warp.
    std::uint64_t slice_end = 0;   // Warp::executed at which the current warp split is suspended
    std::uint64_t budget_end = 0;  // ... at which the warp's turn ends
    bool gives_way = false;        // the warp polls: others should run first

    std::uint64_t cycle() const { return model != nullptr ? model->cycle() : 0; }
    /// Whether all of the global addresses from `low` to `high`, with so many bytes at each, are in one allocation.
    bool can_access(Warp& warp, std::uint64_t low, std::uint64_t high, std::uint64_t bytes) const {
        auto const is_inside = [&](Allocation const& of) {
            return low >= of.begin && high < of.end && bytes <= of.end - high;
        };
        if (is_inside(warp.last)) return true;
        Allocation const* const found = launch.allocations.find(low);
        if (found == nullptr || !is_inside(*found)) return false;
        warp.last = *found;
        return true;
    }
    Site site(Cta const& cta, Warp const& warp, Op const& op) const {
        return {cta, warp, warp.running_frame(), op, cycle()};
    }
    /// Tells of undefined behaviour after which the thread goes on.
    void note(Fault notice) const {
        sinks.tell<UndefinedEvent>([&] { return UndefinedEvent{notice}; });
        if (launch.notices != nullptr) launch.notices->add(&launch.plan, std::move(notice));
    }
};

/// A part of the engine: short names for what it needs of the whole.
class Component {
protected:
    explicit Component(Execution& execution)
        : execution_(execution),
          launch_(execution.launch),
          model_(execution.model),
          sinks_(execution.sinks),
          counters_(execution.counters) {}

    [[noreturn]] void fault(Cta const& cta, Warp const& warp, Op const& op, int lane, FaultKind kind,
                            std::string what, std::string details = {}) const {
        execution_.faults.raise(cta, warp, op, lane, kind, std::move(what), std::move(details));
    }
    void check_uniform(Cta const& cta, Warp const& warp, Op const& op, LaneMask some, LaneMask others,
                       std::string_view what) const {
        execution_.faults.check_uniform(cta, warp, op, some, others, what);
    }
    Site site(Cta const& cta, Warp const& warp, Op const& op) const { return execution_.site(cta, warp, op); }
    std::uint64_t cycle() const { return execution_.cycle(); }
    /// `split` has executed the op at which it stands.
    void account_op(WarpSplit const& split, Warp& warp) {
        counters_.account(warp.function_of(split), split.pc, split.pc + 1, OpCounters::execution_by(split.lanes),
                          warp);
    }

    Execution& execution_;
    LaunchContext const& launch_;
    MemoryModel* const model_;
    EventSinks const& sinks_;
    OpCounters& counters_;
};

}  // namespace warpsim::sim
