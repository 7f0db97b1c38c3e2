// Runs native code for an interpreter: for a warp split, or for whole CTAs.
#pragma once

#include "sim/exec/compiled_code.hpp"
#include "sim/exec/components.hpp"
#include "sim/exec/edge_counts.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpsim::sim {

/// A turn of a cluster ends after so many rounds of its warps.
inline constexpr int most_rounds = 256;

/// Where a CTA that was run as a whole goes on in the interpreter.
struct Left {
    Warp* warp = nullptr;      // whose turn it is; null: the round is over
    Flow flow{};               // what its code has left it with
    int round = 0;             // of the cluster's turn
    std::uint64_t before = 0;  // what the warp had executed before
    // What there was before in this round.
    bool moved = false, out_of_budget = false, changed = false;
};

struct WholeCta {
    std::vector<WholeWarp> warps;
    std::vector<CompiledRun> known;  // by warp: the code that has begun in it
    std::uint32_t running = 0, waiting = 0, ended = 0;
    bool is_first_round = true;  // warps that have not had their turn stand at their start
    bool is_touched = true;      // something else than code has run in a warp
    Warp const* of = nullptr;    // whose warps stand as they did at the start, and what is kept of them is right
};

class CodeRunner : private Component {
public:
    CodeRunner(Execution& execution, Components& parts) : Component(execution), parts_(parts) {}

    /// Runs code of the running warp split from where it stands, if there is an entry. `next`: the interpreter goes on where
    /// the split then stands. Throws Fault.
    Flow run_split(Cta& cta, Warp& warp, CompiledKernel const& kernel);

    // Whole CTAs: whole_cta.cpp.
    /// Whether nobody but the code's own counters notices what happens in a CTA.
    bool can_run_whole(CompiledKernel const& kernel) const;
    /// Runs a CTA that has not begun; `is_as_left`: as this left it. Returns where it stands if it has not ended; if it has, its
    /// warps stand where they stood. Throws Fault.
    std::optional<Left> run_whole(Cta& cta, CompiledKernel const& kernel, std::uint64_t budget, bool is_as_left);
    /// Before anything else runs in a warp. The code may have gone on with other warps by itself: what it knows of them
    /// becomes what this knows.
    void catch_up() {
        whole_.is_touched = true;
        pass_warps();
    }
    /// The warps of a CTA that runs as a whole become those of the interpreter, but for the one that is running.
    [[gnu::noinline]] void make_real();

    // Where lanes part and meet, as the interpreter does it: code_divergence.cpp.
    /// The lanes of the running split part at a branch, which those of `taken` take. `none`: the lanes that go first are
    /// active, and their code can go on.
    CompiledExit part(std::uint32_t branch, LaneMask taken);
    /// The lanes of the running split wait at a reconvergence point. `none`: all have met there, and their code can go on.
    CompiledExit meet(std::uint32_t converge);

    /// Adds what code has counted.
    void add_counts() { edges_.add_to(counters_); }
    bool has_mismatched() const { return has_mismatched_; }
    std::uint64_t executed() const { return executed_; }
    MemoryCounts const& accesses() const { return state_.counts; }

private:
    enum class Turn : std::uint8_t { ended, waits, left };

    void prepare(Cta& cta, FunctionPlan const& function, CompiledFunction const& compiled);
    void set_warp(Warp& warp, std::uint64_t executed);
    CompiledExit enter(CompiledRun code, std::uint32_t op);
    Flow leave(CompiledExit exit, OpCounters::Delta const& execution);
    [[gnu::noinline]] void count_lanes_of(LaneMask lanes);
    CompiledExit go_on_with(FrameIndex frame, LaneMask lanes, std::uint32_t op);
    /// The code has left a branch at which lanes part to others.
    bool parts_at_branch(CompiledExit exit) const {
        return exit == CompiledExit::at_op && state_.function->ops[state_.pc].kind == OpKind::branch;
    }
    /// All lanes of the warp are where the running split is, and none are expected anywhere.
    bool is_together() const {
        Warp const& warp = *state_.warp;
        return state_.active == warp.exists && warp.splits.size() == 1 && warp.convergence_barriers.empty();
    }
    CompiledExit part_at_branch();
    WholeWarp& running() { return whole_.warps[whole_.running]; }
    Turn take_turn();
    [[gnu::noinline]] Turn go_on_turn();
    CompiledExit run_from(CompiledExit exit);
    CompiledExit go_on();
    CompiledExit begin(WholeWarp& kept);
    void begin_whole(Cta& cta, std::uint64_t budget, bool is_as_left);
    void find_last_to_run();
    static bool can_run(WholeWarp const& kept) {
        return kept.place == WholeWarp::Place::at_start || kept.place == WholeWarp::Place::behind_barrier;
    }
    bool is_end(std::uint32_t op);
    void count_ends();
    bool can_regroup() const;
    CompiledExit regroup();
    bool wait();
    void end();
    void release();
    void pass_warps() {
        if (state_.running != nullptr && state_.running != &whole_.warps[whole_.running]) note_passed();
    }
    void note_passed();
    void set_executed(WholeWarp const& kept);
    void keep_warps(Cta& cta);
    void count_end(Warp& warp);
    void spread(WholeWarp const& kept);
    [[gnu::noinline]] Flow leave_whole();

    Components& parts_;
    CompiledState state_;
    CompiledFunction const* compiled_ = nullptr;  // that runs
    CompiledRun code_ = nullptr;                  // ... and which version of it
    // How many warps of the lanes that run have begun, and have ended at CompiledState::known_end, and are not counted yet.
    std::uint64_t begun_ = 0, ended_ = 0;
    bool clears_ = false;  // a new activation of the function has memory to clear
    EdgeCounts edges_;
    WholeCta whole_;
    OpCounters::Delta execution_by_;  // of the lanes that run
    CompiledExit exit_{};
    std::vector<Allocation> places_;
    bool has_mismatched_ = false;
    std::uint64_t executed_ = 0;
};

}  // namespace warpsim::sim
