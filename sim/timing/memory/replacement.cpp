#include "sim/timing/memory/replacement.hpp"

#include <stdexcept>

namespace warpsim::timing {

std::unique_ptr<ReplacementPolicy> make_replacement(std::string const& which, std::uint32_t sets,
                                                    std::uint32_t ways) {
#define WARPSIM_CHOICE(name) \
    if (which == #name) return replacements::name(sets, ways);
#include "sim/timing/memory/replacements.inc"
#undef WARPSIM_CHOICE
    throw std::logic_error("the configuration names a replacement policy without a file: " + which);
}

}  // namespace warpsim::timing
