// When the warps of a sub-core could issue. A sub-core is asked in nearly every cycle, so nothing here looks at all warps: those of the
// next cycles are kept by cycle, those whose cycle has come by the unit that they wait for.
#pragma once

#include "sim/engine/clock.hpp"
#include "sim/timing/plan/micro_op.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace warpsim::timing {

using engine::Cycle;

class WakeTimes {
public:
    static constexpr std::uint32_t most = 16;
    using Mask = std::uint16_t;  // a bit for each warp, by its seat in the sub-core

    WakeTimes() {
        at_.fill(engine::never);
        where_.fill(nowhere);
    }

    /// The cycle in which the warp's next micro-op could issue, as far as is known.
    Cycle at(std::uint32_t seat) const { return at_[seat]; }
    MicroUnit unit(std::uint32_t seat) const { return unit_[seat]; }
    /// In cycle `now`, which never decreases: what at() and unit() return from now on.
    void set(std::uint32_t seat, Cycle at, MicroUnit unit, Cycle now) {
        leave(seat);
        at_[seat] = at;
        unit_[seat] = unit;
        if (at == engine::never) {
            where_[seat] = nowhere;
            return;
        }
        Cycle const due = std::max(at, now);
        if (due - now < near) {
            auto const turn = static_cast<std::uint8_t>(due % near);
            turns_[turn] |= bit(seat);
            taken_ |= 1u << turn;
            where_[seat] = turn;
        } else {
            later_ |= bit(seat);
            later_next_ = std::min(later_next_, due);
            where_[seat] = later;
        }
    }

    /// The cycles of these warps have come since the last call. No cycle in which that changes anything may be left out.
    Mask pass(Cycle now) {
        auto const turn = static_cast<std::uint8_t>(now % near);
        Mask came = 0;
        if ((taken_ >> turn & 1) != 0) {
            came = std::exchange(turns_[turn], Mask{0});
            taken_ &= ~(1u << turn);
        }
        if (later_next_ <= now) came |= leave_later(now);
        for (Mask m = came; m != 0; m &= static_cast<Mask>(m - 1)) come(seat_of(m));
        return came;
    }
    /// Whether its cycle has come.
    bool has_come(std::uint32_t seat) const { return where_[seat] == in_front; }
    /// Units that warps wait for whose cycle has come, and those warps.
    std::uint32_t units() const { return units_; }
    Mask waiting(MicroUnit unit) const { return waiting_[static_cast<std::size_t>(unit)]; }
    /// The cycle of the next warp, behind `now`: never that of one that has come.
    Cycle next(Cycle now) const {
        if (taken_ == 0) return later_next_;
        auto const first = static_cast<int>((now + 1) % near);
        return std::min(later_next_, now + 1 + static_cast<Cycle>(std::countr_zero(std::rotr(taken_, first))));
    }

    static std::uint32_t seat_of(Mask mask) { return static_cast<std::uint32_t>(std::countr_zero(mask)); }

    template <class Archive> void state(Archive& archive) {
        archive(turns_, taken_, later_, later_next_, units_, waiting_, where_, unit_, at_);
    }

private:
    static constexpr std::uint32_t near = 32;  // cycles
    // Where a warp is kept, beside the turns of the next cycles.
    static constexpr std::uint8_t later = near, in_front = near + 1, nowhere = near + 2;

    static Mask bit(std::uint32_t seat) { return static_cast<Mask>(1u << seat); }
    void come(std::uint32_t seat) {
        auto const unit = static_cast<std::size_t>(unit_[seat]);
        waiting_[unit] |= bit(seat);
        units_ |= 1u << unit;
        where_[seat] = in_front;
    }
    Mask leave_later(Cycle now) {
        Mask come = 0;
        for (Mask m = later_; m != 0; m &= static_cast<Mask>(m - 1))
            if (at_[seat_of(m)] <= now) come |= bit(seat_of(m));
        later_ &= static_cast<Mask>(~come);
        find_later();
        return come;
    }
    void leave(std::uint32_t seat) {
        auto const others = static_cast<Mask>(~bit(seat));
        switch (where_[seat]) {
            case nowhere: return;
            case in_front: {
                auto const unit = static_cast<std::size_t>(unit_[seat]);
                waiting_[unit] &= others;
                if (waiting_[unit] == 0) units_ &= ~(1u << unit);
                return;
            }
            case later:
                later_ &= others;
                if (at_[seat] == later_next_) find_later();
                return;
            default:
                turns_[where_[seat]] &= others;
                if (turns_[where_[seat]] == 0) taken_ &= ~(1u << where_[seat]);
        }
    }
    void find_later() {
        later_next_ = engine::never;
        for (Mask m = later_; m != 0; m &= static_cast<Mask>(m - 1))
            later_next_ = std::min(later_next_, at_[seat_of(m)]);
    }

    std::array<Mask, near> turns_{};  // by cycle
    std::uint32_t taken_ = 0;         // turns that have warps
    std::uint32_t units_ = 0;
    std::array<Mask, micro_units> waiting_{};  // by unit
    std::array<std::uint8_t, most> where_;
    std::array<MicroUnit, most> unit_{};
    Cycle later_next_ = engine::never;
    Mask later_ = 0;
    std::array<Cycle, most> at_;
};

}  // namespace warpsim::timing
