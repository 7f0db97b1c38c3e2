// Barriers of CTAs and of clusters.
#pragma once

#include "sim/exec/divergence.hpp"

#include <string>

namespace warpsim::sim {

/// What a barrier of a CTA needs beside its columns.
struct Barrier {
    enum class Kind : std::uint8_t { sync, arrive, reduce_popc, reduce_and, reduce_or };
    Kind kind = Kind::sync;
    bool is_aligned = false;    // all lanes of a warp execute the same one
    Slot id = 0;                // column
    std::uint8_t highest = 15;  // upper limit of `id`
    bool has_count = false;
    Slot count = 0;
    Slot result = discard;
    Slot source = 0;
    bool source_negated = false;
};

class Barriers : public Component {
public:
    Barriers(Execution& execution, Divergence& divergence) : Component(execution), divergence_(divergence) {}

    /// True when the current warp split continues at once (an arrive).
    bool barrier(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// Completes the barriers of the CTA at which all threads have arrived or exited.
    void check(Cta& cta);

    void cluster_arrive(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// True when the current warp split continues at once.
    bool cluster_wait(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// The same for the barrier of its cluster.
    void check_cluster(Cta& cta);
    /// Releases all threads that wait in the cluster's barrier, if all have arrived.
    bool end_cluster_phase(Cluster& cluster);
    /// For engines that release each CTA of a cluster in a cycle of its own.
    void tell_cluster_release(Cta const& cta) const;

    // For reports.
    static std::uint32_t live_threads(Cta const& cta);
    static bool awaits_any(Cta const& cta, BarrierState const& state);
    static std::uint32_t arrived_threads(Cta const& cta, BarrierState const& state);
    static std::string missing_in_cluster(Cluster const& cluster);

private:
    static bool misses_exited_only(Cta const& cta, std::uint32_t id);
    void complete_barrier(Cta& cta, std::uint32_t id);
    static std::uint32_t weight(Warp const& warp, LaneMask arrived);

    Divergence& divergence_;
};

}  // namespace warpsim::sim
