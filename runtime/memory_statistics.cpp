#include "runtime/memory_statistics.hpp"

#include "sim/exec/lanes/memory_counts.hpp"

namespace warpsim::runtime {

void MemoryStatistics::access(sim::AccessEvent const& event) {
    sim::count_access(counts_, event.space, event.addresses, banks_);
}

}  // namespace warpsim::runtime
