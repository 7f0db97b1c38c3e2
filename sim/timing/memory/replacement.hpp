// Which line of a set is evicted. A policy is one file, replacement_NAME.cpp; its name in the configuration is
// NAME.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpsim::timing {

class ReplacementPolicy {
public:
    virtual ~ReplacementPolicy() = default;
    /// The line in this way was read or written.
    virtual void used(std::uint32_t set, std::uint32_t way) = 0;
    /// A new line was placed there.
    virtual void filled(std::uint32_t set, std::uint32_t way) = 0;
    /// The way to evict: one whose entry in `busy` is 0, as the others wait for their data. There is at least one.
    virtual std::uint32_t victim(std::uint32_t set, std::span<std::uint8_t const> busy) = 0;
    /// For those who look: all ways, the first to be replaced first. Empty: it knows no order.
    virtual std::vector<std::uint32_t> order(std::uint32_t) const { return {}; }
};

/// Creates the policy with this name.
std::unique_ptr<ReplacementPolicy> make_replacement(std::string const& which, std::uint32_t sets,
                                                    std::uint32_t ways);

/// The policies: replacement_NAME.cpp defines replacements::NAME.
namespace replacements {
#define WARPSIM_CHOICE(name) std::unique_ptr<ReplacementPolicy> name(std::uint32_t sets, std::uint32_t ways);
#include "sim/timing/memory/replacements.inc"
#undef WARPSIM_CHOICE
}  // namespace replacements

}  // namespace warpsim::timing
