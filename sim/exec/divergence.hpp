// Lanes of a warp that diverge and reconverge: warp splits, and the convergence barriers at which they wait for
// each other. Both models of control flow share this: under `stack` the newest split runs until it waits or ends,
// and waiting is strict; under `independent` splits take turns and waiting is advisory.
#pragma once

#include "sim/exec/component.hpp"

#include <span>

namespace warpsim::sim {

class Divergence : public Component {
public:
    explicit Divergence(Execution& execution) : Component(execution) {}

    /// Instructions after which a warp split is suspended in favour of others, and checked for spinning.
    static constexpr std::uint64_t longest_slice = 2048;

    // Warp splits.
    bool pick_split(Warp& warp);
    void select(Warp& warp, std::uint32_t split) { warp.current = split; }
    WarpSplit& add_split(Warp& warp, LaneMask lanes, std::uint32_t pc, FrameIndex frame);
    void remove_current(Warp& warp);
    void merge_groups(Warp& warp);
    /// The lanes of `mask` wait where they are; lanes of their split that the guard switches off continue.
    void block(Warp& warp, LaneMask mask, WarpSplit::State state, std::uint32_t barrier_id);
    void shorten_slice(Warp const& warp);

    // Branches.
    /// The current split becomes several, which reconverge at the converge op `meet` (UINT32_MAX: nowhere); the
    /// last of them runs first.
    void split(Cta& cta, Warp& warp, std::uint32_t meet, std::span<DivergedPath const> paths);
    void diverge(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask taken, LaneMask not_taken);
    void branch_indexed(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask mask);

    // ConvergenceBarrier barriers.
    /// The barrier of that point and activation that expects any of `lanes`; else null.
    ConvergenceBarrier* find_convergence_barrier(Warp& warp, std::uint32_t point, FrameIndex frame,
                                                 LaneMask lanes);
    void wait_in(Warp& warp, ConvergenceBarrier& entry, LaneMask lanes);
    ConvergenceBarrier& open_convergence_barrier(Warp& warp, std::uint32_t point, FrameIndex frame,
                                                 LaneMask lanes);
    /// Lanes of the current split reach `point`: true when they continue at once.
    bool arrive(Cta& cta, Warp& warp, std::uint32_t point);
    void leave_convergences(Cta& cta, Warp& warp, LaneMask lanes);
    void release_complete(Cta& cta, Warp& warp);
    bool release_impatient(Cta& cta, Warp& warp, bool force);
    /// Releases lanes that wait to end together; false when there are none.
    bool release_ending(Cta& cta, Warp& warp);

    /// Faults when other lanes of the warp are elsewhere, or switched off by the guard: .aligned promises that
    /// there are none.
    void check_aligned(Cta const& cta, Warp const& warp, Op const& op, LaneMask mask) const;

    // Does a warp repeat the same state?
    /// Of the positions of its lanes, and their registers.
    std::uint64_t hash_state(Warp const& warp) const;
    /// Of everything that decides what the warp does next, except memory that others can change.
    std::uint64_t hash_all(Warp const& warp) const;
    /// Whether lanes wait to reconverge.
    static bool has_waiting_lanes(Warp const& warp);
    bool slice_spins(Cta const& cta, Warp& warp) const;

private:
    void release(Cta& cta, Warp& warp, std::size_t convergence);
    /// The op at `pc` ends every thread that executes it.
    bool only_ends(Frame const& frame, std::uint32_t pc) const;
};

}  // namespace warpsim::sim
