// Warps over time, for the page, from a timeline.
#pragma once

#include <string>

namespace warpsim::report {

/// Of a timeline's text, the warps of the first SM that it shows: {"sm", "kinds": [names], "rows": [{"name", "slices":
/// [begin, length, kind, ...]}], "complete"}. Empty where it shows none.
std::string warps_of(std::string const& timeline);

}  // namespace warpsim::report
