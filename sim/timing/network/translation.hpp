// When what leaves an SM has its physical address: a TLB of each SM, and behind them one that all share, in front of
// a few walkers of the page table. L1 is virtually addressed, so only what leaves the SM is translated.
#pragma once

#include "sim/config/config.hpp"
#include "sim/timing/network/tlb.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpsim::timing {

class Translation {
public:
    explicit Translation(sim::Config const& config)
        : tlb_(config.sm.tlb),
          mmu_(config.mmu),
          sms_(config.sm.count, Tlb(std::max(config.sm.tlb.entries, 1u), config.sm.tlb.entries)),
          walkers_(std::max(config.mmu.walkers, 1u), 0) {
        if (config.mmu.entries != 0) shared_.emplace(config.mmu.entries, config.mmu.ways);
    }

    struct Found {
        Cycle ready;
        bool was_there;  // in the SM's TLB, or on its way there
    };
    /// A request of that SM, sent in cycle `now`, which must not decrease from call to call. It does not delay others,
    /// except those for a page that is already being looked up, which wait for the same lookup.
    Found translate(std::uint32_t sm, std::uint64_t address, Cycle now) {
        std::uint64_t const page = address / (std::uint64_t{tlb_.page_kib} * 1024);
        if (Cycle const* const ready = sms_[sm].find(page)) return {std::max(now, *ready), true};
        Cycle const ready = beyond(page, now + tlb_.miss_latency_cycles);
        sms_[sm].put(page, ready);
        return {ready, false};
    }
    template <class Archive> void state(Archive& archive) {
        for (Tlb& tlb : sms_) archive(tlb);
        if (shared_) archive(*shared_);
        archive(walkers_);
    }

private:
    /// When the answer is back at the SM, where it would be so in cycle `at` if the shared TLB had it.
    Cycle beyond(std::uint64_t page, Cycle at) {
        if (!shared_) return at;
        if (Cycle const* const ready = shared_->find(page)) return std::max(at, *ready);
        Cycle& walker = *std::min_element(walkers_.begin(), walkers_.end());
        walker = std::max(walker, at) + mmu_.walk_cycles;
        shared_->put(page, walker);
        return walker;
    }

    sim::TlbConfig tlb_;
    sim::MmuConfig mmu_;
    std::vector<Tlb> sms_;
    std::optional<Tlb> shared_;
    std::vector<Cycle> walkers_;  // when each is free
};

}  // namespace warpsim::timing
