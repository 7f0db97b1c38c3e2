// Points that are run elsewhere: by somebody who reads what is to be run and writes what has come of it, one JSON object a line.
#pragma once

#include "runtime/sweep/exchange.hpp"
#include "runtime/sweep/point_list.hpp"
#include "runtime/sweep/rows.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace warpsim::sweep {

/// Writes a line for each of the points and an empty one, and calls `ended` with what comes back, in any order, until nothing is left. False if the
/// other side has ended before. Throws Error(usage) for lines that mean nothing.
bool run_elsewhere(Exchange const& exchange, std::string const& build, std::vector<PlannedPoint> const& points,
                   std::vector<std::size_t> const& waiting,
                   std::function<void(std::size_t, Outcome const&)> const& ended);

}  // namespace warpsim::sweep
