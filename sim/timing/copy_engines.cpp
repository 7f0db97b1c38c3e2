#include "sim/timing/copy_engines.hpp"

#include <algorithm>

namespace warpsim::timing {

CopyEngines::CopyEngines(sim::Config const& config)
    : config_(config.copies),
      dram_mb_per_s_(std::uint64_t{config.dram.bus_width_bits} * config.dram.transfers_per_clock *
                     config.dram.clock_mhz / 8 * config.copies.dram_percent / 100) {
    for (auto& engines : free_) engines.assign(config_.engines, 0);
}

std::uint64_t CopyEngines::mb_per_s(Way way, bool is_pageable) const {
    bool const is_inside = way == Way::inside || way == Way::fill;
    if (is_inside) return std::max<std::uint64_t>(dram_mb_per_s_, 1);
    return is_pageable ? config_.pageable_bandwidth_mb_per_s : config_.bandwidth_mb_per_s;
}

engine::Time CopyEngines::begin(Way way, bool is_pageable, std::uint64_t bytes, engine::Time at) {
    // What is copied inside the GPU is read and written.
    std::uint64_t const moved = way == Way::inside ? 2 * bytes : bytes;
    std::uint64_t const speed = mb_per_s(way, is_pageable);
    // A byte at 1 MB/s takes a microsecond. The division comes in two parts because the product may not fit.
    constexpr engine::Time microsecond = 1'000'000;
    engine::Time const length = moved / speed * microsecond + moved % speed * microsecond / speed;
    std::vector<engine::Time>& engines = free_[std::min<std::size_t>(static_cast<std::size_t>(way), 2)];
    auto const first = std::min_element(engines.begin(), engines.end());
    *first = std::max(*first, at) + engine::Time{config_.latency_ns} * 1000 + length;
    return *first;
}

}  // namespace warpsim::timing
