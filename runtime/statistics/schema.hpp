// The JSON Schemas of the files that this room writes.
#pragma once

#include <string>

namespace warpsim::statistics {

/// Of the statistics: made of what the counters are declared with, and of what a launch without counts looks like.
std::string schema();
std::string profile_schema();

}  // namespace warpsim::statistics
