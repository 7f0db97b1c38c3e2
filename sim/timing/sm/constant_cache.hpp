// How long the load of a constant takes: two caches of the SM, backed by L2.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"
#include "sim/timing/memory/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

/// Simplified: both are direct mapped, and misses are served by L2 without meeting other traffic.
class ConstantCache {
public:
    ConstantCache(sim::ConstantConfig const& config, Cycle l2_cycles)
        : config_(config),
          l2_cycles_(l2_cycles),
          l1_(lines(config.l1_size_kib, config.l1_line_bytes), UINT64_MAX),
          l15_(lines(config.l15_size_kib, config.l15_line_bytes), UINT64_MAX) {}

    /// Cycles from the issue of a load until its result can be used. For another kernel, the same address holds
    /// another constant.
    Cycle load(std::uint64_t address, GridNumber grid = 0) {
        ++loads_;
        if (is_in(l1_, address / std::max(config_.l1_line_bytes, 1u), grid)) return config_.l1_latency_cycles;
        ++l1_misses_;
        if (is_in(l15_, address / std::max(config_.l15_line_bytes, 1u), grid)) return config_.l15_latency_cycles;
        ++l15_misses_;
        return config_.l15_latency_cycles + l2_cycles_;
    }
    /// For a new kernel the caches are empty.
    void clear() {
        std::fill(l1_.begin(), l1_.end(), UINT64_MAX);
        std::fill(l15_.begin(), l15_.end(), UINT64_MAX);
    }
    std::uint64_t loads() const { return loads_; }
    std::uint64_t l1_misses() const { return l1_misses_; }
    std::uint64_t l15_misses() const { return l15_misses_; }
    template <class Archive> void state(Archive& archive) { archive(l1_, l15_, loads_, l1_misses_, l15_misses_); }

private:
    static std::size_t lines(std::uint32_t kib, std::uint32_t line) {
        return std::max<std::size_t>(std::size_t{kib} * 1024 / std::max(line, 1u), 1);
    }
    static bool is_in(std::vector<std::uint64_t>& cache, std::uint64_t line, GridNumber grid) {
        std::uint64_t& here = cache[line % cache.size()];
        std::uint64_t const tag = line ^ std::uint64_t{grid} << 56;
        if (here == tag) return true;
        here = tag;
        return false;
    }

    sim::ConstantConfig config_;
    Cycle l2_cycles_;
    std::vector<std::uint64_t> l1_, l15_;
    std::uint64_t loads_ = 0, l1_misses_ = 0, l15_misses_ = 0;
};

}  // namespace warpsim::timing
