// The counters by which a warp's instructions wait for results of variable latency, where there are fewer of them than
// such results: an instruction that waits for one result waits for all that share its counter. Instructions take the
// counters of their warp in turn, as a compiler gives them out (HUE).
#pragma once

#include "sim/engine/clock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

class DependenceCounters {
public:
    /// None for each warp: each result has one to itself.
    DependenceCounters(std::uint32_t each, std::uint32_t warps)
        : each_(each), counters_(std::size_t{each} * warps), next_(each == 0 ? 0 : warps, 0) {}

    bool are_shared() const { return each_ != 0; }
    void begin_warp(std::uint32_t w) {
        if (!are_shared()) return;
        std::fill_n(counters_.begin() + static_cast<std::ptrdiff_t>(std::size_t{w} * each_), each_, Counter{});
        next_[w] = 0;
    }
    /// The counter of the warp's next instruction with such results.
    std::uint32_t take(std::uint32_t w) { return next_[w]++ % each_; }

    void begin(std::uint32_t w, std::uint32_t counter) { ++at(w, counter).under_way; }
    void end(std::uint32_t w, std::uint32_t counter, Cycle ready) {
        Counter& c = at(w, counter);
        --c.under_way;
        c.ready = std::max(c.ready, ready);
    }
    /// When what waits for the counter can issue.
    Cycle ready(std::uint32_t w, std::uint32_t counter) const {
        Counter const& c = counters_[std::size_t{w} * each_ + counter];
        return c.under_way != 0 ? engine::never : c.ready;
    }
    template <class Archive> void state(Archive& archive) { archive(counters_, next_); }

private:
    struct Counter {
        std::uint32_t under_way = 0;
        Cycle ready = 0;
    };
    Counter& at(std::uint32_t w, std::uint32_t counter) { return counters_[std::size_t{w} * each_ + counter]; }

    std::uint32_t each_;
    std::vector<Counter> counters_;  // by warp
    std::vector<std::uint32_t> next_;
};

}  // namespace warpsim::timing
