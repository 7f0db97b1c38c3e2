// The host threads that are kept for the next launch.
#pragma once

namespace warpsim::runtime {

/// Ends those that have nothing to do, if no launch uses them.
void end_idle_threads();

}  // namespace warpsim::runtime
