#include "sim/timing/memory/replacement.hpp"

namespace warpsim::timing {

std::unique_ptr<ReplacementPolicy> make_replacement(sim::Replacement which, std::uint32_t sets, std::uint32_t ways) {
    switch (which) {
        case sim::Replacement::lru: return make_lru(sets, ways);
        case sim::Replacement::fifo: return make_fifo(sets, ways);
        case sim::Replacement::random: return make_random(sets, ways);
    }
    return make_lru(sets, ways);
}

}  // namespace warpsim::timing
