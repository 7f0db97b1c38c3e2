// Where things are kept between runs, as the user of a program chose.
#pragma once

#include <cstdint>
#include <string>

namespace warpsim::cache {

struct Settings {
    std::string folder;                                 // empty: nothing is kept
    std::uint64_t most_bytes = std::uint64_t{1} << 30;  // all files together
};

/// Reads WARPSIM_CACHE, WARPSIM_CACHE_DIR, WARPSIM_CACHE_SIZE, XDG_CACHE_HOME and HOME (README.md). Throws
/// Error(usage) that names the variable and what it may hold.
Settings settings_from_environment();

}  // namespace warpsim::cache
