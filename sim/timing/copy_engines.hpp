// The engines that copy between the host and the GPU and inside it: how long a copy takes, and which copies wait for
// which.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

class CopyEngines {
public:
    enum class Way : std::uint8_t { to_device, to_host, inside, fill };  // the last two have engines in common

    explicit CopyEngines(sim::Config const& config);
    /// A copy that could begin at that time goes to the engine of its way that is free first. Returns when it is
    /// over.
    engine::Time begin(Way way, bool is_pageable, std::uint64_t bytes, engine::Time at);

private:
    std::uint64_t mb_per_s(Way way, bool is_pageable) const;

    sim::CopiesConfig config_;
    std::uint64_t dram_mb_per_s_;
    std::array<std::vector<engine::Time>, 3> free_;  // by way and engine: from when on
};

}  // namespace warpsim::timing
