// When a unit of a sub-core accepts the next micro-op. What warps waited for there is summed up as cycles of the unit, once for all
// that wait: a warp takes the difference between two cycles, and nothing is done for it in between.
#pragma once

#include "sim/engine/clock.hpp"

#include <algorithm>
#include <cstdint>

namespace warpsim::timing {

using engine::Cycle;

/// Of the units of all sub-cores hardly any is in the nearest of the host's caches, so each has one line there.
class alignas(64) UnitTimes {
public:
    bool takes(Cycle now) const { return free_ <= now && !is_full_; }
    Cycle free() const { return free_; }

    /// A micro-op keeps it up to cycle `until`; others are refused from cycle `from` on, in which it was free.
    void occupy(Cycle from, Cycle until) {
        busy_ += until - from;
        begin_ = from;
        due_ = free_ = until;
    }
    /// Registers that were to be read in time delay what comes after cycle `now`.
    void delay(Cycle now, Cycle until) {
        if (until <= free_) return;
        if (free_ <= now) begin_ = due_ = now + 1;
        delayed_ += until - std::max(free_, now + 1);
        free_ = until;
    }
    /// The queue in front of it has no room, from this cycle on, ...
    void fill(Cycle from) {
        if (is_full_) return;
        is_full_ = true;
        full_since_ = std::max(from, free_);
    }
    bool is_full() const { return is_full_; }
    /// ... until this one.
    void make_room(Cycle now) {
        is_full_ = false;
        busy_ += now - std::min(now, full_since_);
    }

    /// Cycles before a certain one in which it accepted nothing.
    struct Refused {
        std::uint32_t busy = 0;     // with others, or no room in its queue
        std::uint32_t delayed = 0;  // by registers
    };
    Refused refused(Cycle before) const {
        Cycle const t = std::max(before, begin_);
        Cycle const full = is_full_ && t > full_since_ ? t - full_since_ : 0;
        return {static_cast<std::uint32_t>(busy_ + full - (due_ - std::min(due_, t))),
                static_cast<std::uint32_t>(delayed_ - (free_ - std::min(free_, std::max(t, due_))))};
    }
    /// Whether it is registers that delay it in that cycle.
    bool is_delayed(Cycle now) const { return !is_full_ && due_ <= now && now < free_; }

    template <class Archive> void state(Archive& archive) {
        archive(free_, due_, begin_, full_since_, busy_, delayed_, is_full_);
    }

private:
    Cycle free_ = 0;
    Cycle due_ = 0;    // when it could accept another if all registers were read at once
    Cycle begin_ = 0;  // of the cycles before these
    Cycle full_since_ = 0;
    Cycle busy_ = 0, delayed_ = 0;  // cycles up to free_
    bool is_full_ = false;
};

}  // namespace warpsim::timing
