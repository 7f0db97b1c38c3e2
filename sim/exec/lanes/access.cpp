#include "frontend/isa/by_host.hpp"
#include "sim/exec/lanes/atomics.hpp"
#include "sim/exec/lanes/transactions.hpp"

namespace warpsim::sim {

WARPSIM_BY_HOST(AccessFunctions, access_functions, functions)
WARPSIM_BY_HOST(AtomicFunctions, atomic_functions, atomics)
WARPSIM_BY_HOST(UnitCounters, unit_counters, unit_functions)

}  // namespace warpsim::sim
