// How a timing plan treats the instructions of an effect: one line for each, in effect_timing.cpp.
#pragma once

#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/expansion.hpp"

#include <cstdint>
#include <string_view>

namespace warpsim::timing {

/// What an SM does with an instruction that it issues.
enum class TimedKind : std::uint8_t {
    plain,
    memory,
    constant,
    barrier,
    fence,
    branch,
    call,
    exit,
    sleep,
    warp_barrier,
    beside,  // goes on beside the warp, or reaches other CTAs: asynchronous copies, mbarriers, a cluster's barrier
};

struct EffectTiming {
    enum Flag : unsigned {
        moves = 1,               // among the others of its block; what does not is a barrier of the schedule
        keeps_order = 2,         // with all others that say so
        takes_uniform = 4,       // operands may be uniform registers
        names_no_constants = 8,  // its operands are registers
    };

    isa::Effect effect;
    std::string_view letters;           // its micro-ops, as append() takes them
    Expand* expand = nullptr;           // ... or, where the instruction decides, what makes them
    TimedKind kind = TimedKind::plain;  // plain: memory or constant, if it has such micro-ops
    unsigned flags = 0;

    constexpr bool is(Flag flag) const { return (flags & flag) != 0; }
};

EffectTiming const& timing_of(isa::Effect effect);

}  // namespace warpsim::timing
