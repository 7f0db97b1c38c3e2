// PTX ISA "Control Flow Instructions" and "Stack Manipulation Instructions".
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

namespace effects {
using namespace isa::effects;
using namespace effect_words;
// clang-format off
constexpr EffectFacts branch{"branch", C::control, W::nothing};
constexpr EffectFacts branch_indexed{"branch_indexed", C::control, W::nothing};
constexpr EffectFacts call{"call", C::control, W::result_list};
constexpr EffectFacts ret{"ret", C::control, W::nothing};
constexpr EffectFacts exit{"exit", C::control, W::nothing};
constexpr EffectFacts trap{"trap", C::control, W::nothing};
constexpr EffectFacts breakpoint{"breakpoint", C::control, W::nothing};
constexpr EffectFacts stack_alloc{"stack_alloc", computed, W::first};
constexpr EffectFacts stack_save{"stack_save", computed, W::first};
constexpr EffectFacts stack_restore{"stack_restore", computed, W::nothing};
// clang-format on
}  // namespace effects

constexpr Row rows[] = {
    effect_row("bra{.uni} tgt", Types<>{}, since(1, 0), Unit::branch, &effects::branch, operands(label)),
    effect_row("brx.idx{.uni} index, tlist", Types<>{}, since(6, 0, 30), Unit::branch, &effects::branch_indexed,
               operands(u32, targets)),
    effect_row("call{.uni} (ret-param), func, (param-list), flist", Types<>{}, since(1, 0), Unit::branch,
               &effects::call, operands(argument_list, function, argument_list, targets)),
    effect_row("ret{.uni}", Types<>{}, since(1, 0), Unit::branch, &effects::ret),
    effect_row("exit", Types<>{}, since(1, 0), Unit::branch, &effects::exit),
    effect_row("trap", Types<>{}, since(1, 0), Unit::branch, &effects::trap),
    effect_row("brkpt", Types<>{}, since(1, 0, 11), Unit::branch, &effects::breakpoint),

    effect_row("stacksave.type d", Types<u32, u64>{}, since(7, 3, 52), Unit::alu, &effects::stack_save,
               operands(out(first_type))),
    effect_row("stackrestore.type a", Types<u32, u64>{}, since(7, 3, 52), Unit::alu, &effects::stack_restore,
               operands(first_type)),
    effect_row("alloca.type ptr, size{, immAlign}", Types<u32, u64>{}, since(7, 3, 52), Unit::alu,
               &effects::stack_alloc,
               operands(out(first_type), first_type, optional(constant(powers_of_two(1, 4096))))),
};

}  // namespace

extern constinit std::span<Row const> const control_flow{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
