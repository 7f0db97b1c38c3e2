#include "sim/timing/memory/prefetcher.hpp"

#include <stdexcept>

namespace warpsim::timing {

std::unique_ptr<Prefetcher> make_prefetcher(std::string const& which) {
#define WARPSIM_CHOICE(name) \
    if (which == #name) return prefetchers::name();
#include "sim/timing/memory/prefetchers.inc"
#undef WARPSIM_CHOICE
    throw std::logic_error("the configuration names a prefetcher without a file: " + which);
}

}  // namespace warpsim::timing
