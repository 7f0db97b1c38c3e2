// Nothing.
#include "sim/timing/memory/prefetcher.hpp"

namespace warpsim::timing {

std::unique_ptr<Prefetcher> prefetchers::none() { return nullptr; }

}  // namespace warpsim::timing
