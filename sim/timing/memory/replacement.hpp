// Which line of a set makes room. A policy is one file and one name in make_replacement().
#pragma once

#include "sim/config/config.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace warpsim::timing {

class ReplacementPolicy {
public:
    virtual ~ReplacementPolicy() = default;
    /// The line in this way was read or written.
    virtual void used(std::uint32_t set, std::uint32_t way) = 0;
    /// A new line was put there.
    virtual void filled(std::uint32_t set, std::uint32_t way) = 0;
    /// The way to empty; only one whose entry in `busy` is 0 (the others wait for their data). There is one.
    virtual std::uint32_t victim(std::uint32_t set, std::span<std::uint8_t const> busy) = 0;
};

std::unique_ptr<ReplacementPolicy> make_replacement(sim::Replacement which, std::uint32_t sets, std::uint32_t ways);

std::unique_ptr<ReplacementPolicy> make_lru(std::uint32_t sets, std::uint32_t ways);
std::unique_ptr<ReplacementPolicy> make_fifo(std::uint32_t sets, std::uint32_t ways);
std::unique_ptr<ReplacementPolicy> make_random(std::uint32_t sets, std::uint32_t ways);

}  // namespace warpsim::timing
