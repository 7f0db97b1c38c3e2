// Which lines a cache fetches before a load asks for them. A prefetcher is one file, prefetcher_NAME.cpp; its name in
// the configuration is NAME.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::timing {

class Prefetcher {
public:
    virtual ~Prefetcher() = default;
    /// A load looked up this line; `was_there` if all its sectors were present. Adds the numbers of lines that are
    /// worth fetching, the most wanted first; lines that are present already are skipped.
    virtual void looked_up(std::uint64_t line, bool was_there, std::vector<std::uint64_t>& wanted) = 0;
};

/// Creates the prefetcher with this name; null when nothing is to be fetched.
std::unique_ptr<Prefetcher> make_prefetcher(std::string const& which);

/// The prefetchers: prefetcher_NAME.cpp defines prefetchers::NAME.
namespace prefetchers {
#define WARPSIM_CHOICE(name) std::unique_ptr<Prefetcher> name();
#include "sim/timing/memory/prefetchers.inc"
#undef WARPSIM_CHOICE
}  // namespace prefetchers

}  // namespace warpsim::timing
