// PTX ISA "Control Flow Instructions" and "Stack Manipulation Instructions".
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Row rows[] = {
    effect_row("bra{.uni} tgt", Types<>{}, since(1, 0), Unit::branch, Effect::branch, "label"),
    effect_row("brx.idx{.uni} index, tlist", Types<>{}, since(6, 0, 30), Unit::branch, Effect::branch_indexed,
               "u32 targets"),
    effect_row("call{.uni} (ret-param), func, (param-list), flist", Types<>{}, since(1, 0), Unit::branch,
               Effect::call, "list function list targets"),
    effect_row("ret{.uni}", Types<>{}, since(1, 0), Unit::branch, Effect::ret),
    effect_row("exit", Types<>{}, since(1, 0), Unit::branch, Effect::exit),
    effect_row("trap", Types<>{}, since(1, 0), Unit::branch, Effect::trap),
    effect_row("brkpt", Types<>{}, since(1, 0, 11), Unit::branch, Effect::breakpoint),

    effect_row("stacksave.type d", Types<u32, u64>{}, since(7, 3, 52), Unit::alu, Effect::stack_save, "=type"),
    effect_row("stackrestore.type a", Types<u32, u64>{}, since(7, 3, 52), Unit::alu, Effect::stack_restore,
               "type"),
    effect_row("alloca.type ptr, size{, immAlign}", Types<u32, u64>{}, since(7, 3, 52), Unit::alu,
               Effect::stack_alloc, "=type type #1/2/4/8/16/32/64/128/256/512/1024/2048/4096"),
};

}  // namespace

extern constinit std::span<Row const> const control_flow{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
