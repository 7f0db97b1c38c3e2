#include "sim/exec/warp.hpp"

namespace warpsim::sim {

namespace {

/// A copy refers to other state by index; pointers to operand columns are set again.
void rebind(Cta& cta) {
    for (Warp& warp : cta.warps) {
        warp.bases[2] = cta.columns.get();
        if (warp.current < warp.splits.size()) warp.bases[0] = warp.running_frame().registers.get();
    }
}

}  // namespace

Cluster::Cluster(Cluster const& other)
    : linear(other.linear),
      ctas(other.ctas),
      under_way(other.under_way),
      executed(other.executed),
      turn_changes(other.turn_changes),
      turn_times(other.turn_times),
      may_poll(other.may_poll),
      changed_nothing(other.changed_nothing),
      stuck_epoch(other.stuck_epoch),
      kept_hash(other.kept_hash),
      kept_epoch(other.kept_epoch),
      kept_turns(other.kept_turns),
      keep_turns(other.keep_turns),
      released(other.released) {
    for (Cta& cta : ctas) {
        cta.cluster = this;
        rebind(cta);
    }
}

}  // namespace warpsim::sim
