// Whether a cluster spins: executes without changing anything.
#include "sim/exec/interpreter.hpp"
#include "sim/exec/livelock.hpp"

#include <bit>
#include <utility>

namespace warpsim::sim {

Interpreter::Progress Interpreter::progress(Cluster& cluster, std::uint64_t epoch) {
    std::uint64_t const changes = cluster.changes();
    bool const changed = changes != cluster.turn_changes;
    cluster.turn_changes = changes;
    std::uint64_t const times = cluster.looked_at_time();
    cluster.may_poll = times != std::exchange(cluster.turn_times, times);
    if (changed || cluster.kept_epoch != epoch) {
        cluster.kept_epoch = epoch;
        cluster.kept_hash = cluster.kept_turns = 0;
        cluster.keep_turns = 1;
        cluster.released = 0;
        if (changed) return Progress::changed;
    }
    std::uint64_t hash = 1;
    for (Cta const& cta : cluster.ctas) {
        for (Warp const& warp : cta.warps) {
            hash = std::rotl(hash, 7) * 0x2545f4914f6cdd1d ^
                   (warp.live() == 0 ? 0 : parts_.divergence.hash_all(warp));
        }
    }
    hash = hash == 0 ? 1 : hash;
    if (hash == cluster.kept_hash) {
        if (cluster.released == most_releases || !release_waiting(cluster)) return Progress::spinning;
        ++cluster.released;
        cluster.kept_hash = cluster.kept_turns = 0;
        cluster.keep_turns = 1;
        return Progress::undecided;
    }
    // A turn may end anywhere in nested loops, so the same state may recur only after many turns.
    if (++cluster.kept_turns >= cluster.keep_turns) {
        cluster.kept_hash = hash;
        cluster.kept_turns = 0;
        cluster.keep_turns *= 2;
    }
    return Progress::undecided;
}

}  // namespace warpsim::sim
