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
    /// A load looked this line up, and all its sectors were there or not. Adds the numbers of the lines that are worth
    /// fetching, the most wanted first; those that are there already are passed over.
    virtual void looked_up(std::uint64_t line, bool was_there, std::vector<std::uint64_t>& wanted) = 0;
};

/// A new one of this name; null when nothing is to be fetched.
std::unique_ptr<Prefetcher> make_prefetcher(std::string const& which);

/// The prefetchers: prefetcher_NAME.cpp defines prefetchers::NAME.
namespace prefetchers {
#define WARPSIM_CHOICE(name) std::unique_ptr<Prefetcher> name();
#include "sim/timing/memory/prefetchers.inc"
#undef WARPSIM_CHOICE
}  // namespace prefetchers

}  // namespace warpsim::timing
