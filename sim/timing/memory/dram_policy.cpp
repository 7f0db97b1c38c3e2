#include "sim/timing/memory/dram_policy.hpp"

#include <stdexcept>

namespace warpsim::timing {

std::unique_ptr<DramPolicy> make_dram_policy(std::string const& which) {
#define WARPSIM_CHOICE(name) \
    if (which == #name) return dram_policies::name();
#include "sim/timing/memory/dram_policies.inc"
#undef WARPSIM_CHOICE
    throw std::logic_error("the configuration names a DRAM policy without a file: " + which);
}

}  // namespace warpsim::timing
