// Where things are kept between runs, as the user of a program chose.
#pragma once

#include <cstdint>
#include <string>

namespace warpsim::options {
class Values;
}

namespace warpsim::cache {

struct Settings {
    std::string folder;                                 // empty: nothing is kept
    std::uint64_t most_bytes = std::uint64_t{1} << 30;  // all files together
};

/// What `cache`, `cache-dir` and `cache-size` among the options say, and XDG_CACHE_HOME and HOME (README.md).
Settings chosen_settings(options::Values const& chosen);

}  // namespace warpsim::cache
