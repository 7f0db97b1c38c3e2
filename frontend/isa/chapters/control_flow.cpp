// PTX ISA "Control Flow Instructions" and "Stack Manipulation Instructions".
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

constexpr Row rows[] = {
    effect_row("bra{.uni} tgt", Types<>{}, since(1, 0), Unit::branch, Effect::branch, operands(label)),
    effect_row("brx.idx{.uni} index, tlist", Types<>{}, since(6, 0, 30), Unit::branch, Effect::branch_indexed,
               operands(u32, targets)),
    effect_row("call{.uni} (ret-param), func, (param-list), flist", Types<>{}, since(1, 0), Unit::branch,
               Effect::call, operands(argument_list, function, argument_list, targets)),
    effect_row("ret{.uni}", Types<>{}, since(1, 0), Unit::branch, Effect::ret),
    effect_row("exit", Types<>{}, since(1, 0), Unit::branch, Effect::exit),
    effect_row("trap", Types<>{}, since(1, 0), Unit::branch, Effect::trap),
    effect_row("brkpt", Types<>{}, since(1, 0, 11), Unit::branch, Effect::breakpoint),

    effect_row("stacksave.type d", Types<u32, u64>{}, since(7, 3, 52), Unit::alu, Effect::stack_save,
               operands(out(first_type))),
    effect_row("stackrestore.type a", Types<u32, u64>{}, since(7, 3, 52), Unit::alu, Effect::stack_restore,
               operands(first_type)),
    effect_row("alloca.type ptr, size{, immAlign}", Types<u32, u64>{}, since(7, 3, 52), Unit::alu,
               Effect::stack_alloc,
               operands(out(first_type), first_type, optional(constant(powers_of_two(1, 4096))))),
};

}  // namespace

extern constinit std::span<Row const> const control_flow{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
