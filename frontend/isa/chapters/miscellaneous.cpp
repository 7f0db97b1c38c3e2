// PTX ISA "Miscellaneous Instructions".
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

namespace effects {
using namespace isa::effects;
using namespace effect_words;
// clang-format off
constexpr EffectFacts nanosleep{"nanosleep", C::other, W::nothing};
constexpr EffectFacts change_registers{"change_registers", C::other, W::nothing, convergent | synchronises};
// clang-format on
}  // namespace effects

constexpr Row rows[] = {
    effect_row("nanosleep.u32 t", Types<u32>{}, since(6, 3, 70), Unit::alu, &effects::nanosleep,
               operands(first_type)),
    effect_row("pmevent a", Types<>{}, since(1, 4), Unit::alu, &effects::nothing,
               operands(constant(between(0, 15)))),
    effect_row("pmevent.mask a", Types<>{}, since(3, 0, 20), Unit::alu, &effects::nothing,
               operands(constant(u32))),
    effect_row("setmaxnreg.action_setmaxnreg.sync.aligned.u32 imm-reg-count", Types<u32>{},
               only_on("90a 100f 103f 110f 120f", 8, 0, 90), Unit::alu, &effects::change_registers,
               operands(constant(multiples_of(8, 24, 256)))),
};

}  // namespace

extern constinit std::span<Row const> const miscellaneous{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
