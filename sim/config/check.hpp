// What a schema cannot express: figures that must be consistent with one another.
#pragma once

#include "sim/config/config.hpp"
#include "sim/config/schema.hpp"

namespace warpsim::sim {

void check_consistency(Config const& config, Origin const& origin, Problems& problems);

}  // namespace warpsim::sim
