// The pages that an SM can translate. L1 is virtually addressed, so only what leaves the SM is translated.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

class Tlb {
public:
    explicit Tlb(sim::TlbConfig const& config)
        : config_(config), entries_(config.enabled ? std::max(config.entries, 1u) : 0) {}

    /// When a request that is ready in cycle `now` can leave. It does not delay others, except those for a page
    /// that is already being looked up, which wait for the same lookup.
    Cycle translate(std::uint64_t address, Cycle now) {
        if (entries_.empty()) return now;
        std::uint64_t const page = address / (std::uint64_t{config_.page_kib} * 1024);
        ++used_;
        Entry* victim = &entries_.front();
        for (Entry& e : entries_) {
            if (e.page == page) {
                ++hits_;
                e.used = used_;
                return std::max(now, e.ready);
            }
            if (e.used < victim->used) victim = &e;
        }
        ++misses_;
        *victim = {page, now + config_.miss_latency_cycles, used_};
        return victim->ready;
    }
    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return misses_; }

private:
    struct Entry {
        std::uint64_t page = UINT64_MAX;
        Cycle ready = 0;
        std::uint64_t used = 0;
    };
    sim::TlbConfig config_;
    std::vector<Entry> entries_;
    std::uint64_t used_ = 0, hits_ = 0, misses_ = 0;
};

}  // namespace warpsim::timing
