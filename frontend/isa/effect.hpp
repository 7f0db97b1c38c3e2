// The effects of instructions as an enumeration. It is generated from the rows during the build, so a row that
// names a new effect brings its enumerator with it. What carries an effect out stands in a file of
// sim/exec/effects, and how long it takes in a line of sim/timing/plan/effect_timing.cpp.
#pragma once

#include "frontend/isa/effect_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsim::isa {

/// One effect for one kind of thing that happens.
enum class Effect : std::uint8_t {
#define WARPSIM_EFFECT(identifier) identifier,
#include "frontend/isa/operations.inc"
#undef WARPSIM_EFFECT
};

inline constexpr std::size_t effect_count = 0
#define WARPSIM_EFFECT(identifier) +1
#include "frontend/isa/operations.inc"
#undef WARPSIM_EFFECT
    ;

EffectFacts const& facts(Effect effect);
/// "barrier_warp".
std::string_view name(Effect effect);

/// Loads, stores, atomics and copies: what the load and store unit sends to memory.
inline bool is_access(Effect effect) { return facts(effect).is(EffectFacts::access); }
/// What waits for others, or tells others not to wait any more: barriers of all kinds and groups of copies.
inline bool synchronises(Effect effect) { return facts(effect).is(EffectFacts::synchronises); }

}  // namespace warpsim::isa
