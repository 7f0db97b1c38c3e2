#include "runtime/idle_threads.hpp"

#include "sim/functional/idle_workers.hpp"

namespace warpsim::runtime {

void end_idle_threads() { sim::end_idle_workers(); }

}  // namespace warpsim::runtime
