// The host threads that oneTBB keeps for the next launch.
#pragma once

namespace warpsim::sim {

/// Ends those that have nothing to do, if nobody uses them; a launch starts others.
void end_idle_workers();

}  // namespace warpsim::sim
