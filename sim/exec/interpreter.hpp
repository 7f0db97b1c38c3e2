// Executes clusters of one launch on one host thread: the loop, the turns of warps. What instructions do stands in
// the components; what is counted and who listens in Execution; the state of warps in the clusters themselves.
#pragma once

#include "sim/exec/components.hpp"

#include <utility>
#include <vector>

namespace warpsim::sim {

/// Comes before the components, which refer to it.
struct OwnExecution {
    Execution own;
};

class Interpreter : private OwnExecution, private Component {
public:
    /// `model`: when effects take place that others see; null: at once.
    explicit Interpreter(LaunchContext const& launch, MemoryModel* model = nullptr)
        : OwnExecution{{launch, model}}, Component(own) {}
    Interpreter(Interpreter const&) = delete;
    Interpreter& operator=(Interpreter const&) = delete;

    /// Who is told what happens, from now on.
    void listen(EventSinks sinks) { own.sinks = std::move(sinks); }
    OpCounters const& counters() const { return own.counters; }
    /// Goes on counting from there.
    void resume(OpCounters const& counters) { own.counters = counters; }

    /// `waiting`: of a warp that polls for what others are to do, and gives way to them.
    enum class Outcome : std::uint8_t { finished, blocked, waiting, out_of_budget };

    /// Makes `cluster` the state of a cluster that has not begun; reuses its storage. Without an SM it is
    /// numbered by its CTAs' places.
    void start(Cluster& cluster, std::uint64_t linear, std::uint32_t sm = UINT32_MAX);
    /// The same, each CTA by its rank on its own SM.
    void start(Cluster& cluster, std::uint64_t linear, std::vector<std::uint32_t> const& sms);
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

    // For engines with a clock, an instruction at a time, with a memory model.
    /// Brings the warp to the instruction that it executes next: lanes meet those that wait for them, groups take
    /// turns. False when the warp has ended or waits for others of its CTA.
    bool settle(Cta& cta, Warp& warp);
    /// The op at which it stands then.
    static Op const& next_op(Warp const& warp) { return warp.op_of(warp.running()); }
    static FunctionPlan const& next_function(Warp const& warp) { return warp.function_of(warp.running()); }
    /// The function that the warp is in; of the module.
    static std::uint32_t function_of(Warp const& warp) {
        return warp.current < warp.groups.size() ? warp.running_frame().function->index : UINT32_MAX;
    }
    /// The lanes that came to an instruction, and those that its guard let execute it.
    struct Stepped {
        LaneMask active = 0;
        LaneMask mask = 0;
    };
    /// Executes that instruction. `is_on_path`: it stands on a path of a branch that became guards, so that sinks
    /// are told only of the lanes that take the path. Throws Fault.
    Stepped step(Cta& cta, Warp& warp, bool is_on_path = false);
    /// Tells that a CTA begins, which start() does only where there is no clock.
    void tell_start(Cta const& cta) const;

    // The parts, for what a memory model has put off.
    Divergence const& divergence() const { return parts_.divergence; }
    Barriers& barriers() { return parts_.barriers; }
    MemoryAccess& memory() { return parts_.memory; }
    AsyncOperations& asynchronous() { return parts_.asynchronous; }
    RuntimeCalls& runtime_calls() { return parts_.runtime_calls; }
    Faults const& faults() const { return own.faults; }

private:
    Outcome run_rounds(Cluster& cluster, std::uint64_t budget_per_warp);
    void start_cta(Cta& cta);
    bool release_waiting(Cluster& cluster);
    template <bool observed> Outcome run_warp(Cta& cta, Warp& warp, std::uint64_t budget);
    template <bool observed, bool single = false> void run_group(Cta& cta, Warp& warp);
    void exit_lanes(Cta& cta, Warp& warp, LaneMask lanes);
    void tell_instruction(Cta const& cta, Warp const& warp, Op const& op, LaneMask active, LaneMask mask) const;

    Components parts_{execution_};
    Stepped stepped_;
    bool is_on_path_ = false;
};

}  // namespace warpsim::sim
