// What sim/exec knows about an effect: how an instruction with this effect becomes ops, and what carries these
// out. Each file of sim/exec/effects, NAME.cpp, defines NAME_rules(): the rules of one effect, or of a few that
// belong together.
#pragma once

#include "sim/exec/function_planner.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <array>
#include <span>

namespace warpsim::sim {

using Operands = FunctionPlanner::Operands;

struct EffectRule {
    isa::Effect effect{};
    void (*plan)(FunctionPlanner&, Operands) = nullptr;
    /// For the op that FunctionPlanner::emit_effect() makes; null if `plan` only makes ops that the loop executes
    /// itself.
    CarryOut carry_out = nullptr;
};
using EffectRules = std::span<EffectRule const>;

namespace effects {
#define WARPSIM_CHOICE(name) EffectRules name##_rules();
#include "sim/exec/effects.inc"
#undef WARPSIM_CHOICE
}  // namespace effects

/// The rules by effect. Throws std::logic_error when an effect has none, or two.
using EffectTable = std::array<EffectRule, isa::effect_count>;
EffectTable make_effect_table(std::span<EffectRules const> files);

/// Of all files.
EffectTable const& effect_table();

}  // namespace warpsim::sim
