// How a timing plan treats the instructions with an effect: one line for each effect, in effect_timing.cpp.
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
    product,          // of a warpgroup
    commit_products,  // so many are a group now
    await_products,
    copy,           // to shared memory, part of the warp's next group
    commit_copies,  // so many are a group now
    await_copies,
    beside,  // proceeds beside the warp, or reaches other CTAs: asynchronous copies, mbarriers, a cluster's barrier
};

struct EffectTiming {
    enum Flag : unsigned {
        moves = 1,               // past others of its block
        keeps_order = 2,         // with all others that have this flag
        takes_uniform = 4,       // operands may be uniform registers
        names_no_constants = 8,  // its operands are registers
        orders_accesses =
            16,  // only computations move past it; past what has neither this flag nor `moves` nothing does
    };

    isa::Effect effect{};
    std::string_view letters;           // its micro-ops, in the letters of append()
    Expand* expand = nullptr;           // ... or what makes them, if they depend on the instruction
    TimedKind kind = TimedKind::plain;  // plain stands for memory or constant, if it has such micro-ops
    unsigned flags = 0;

    constexpr bool is(Flag flag) const { return (flags & flag) != 0; }
};

EffectTiming const& timing_of(isa::Effect effect);

}  // namespace warpsim::timing
