// PTX ISA "Miscellaneous Instructions".
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Row rows[] = {
    effect_row("nanosleep.u32 t", Types<u32>{}, since(6, 3, 70), Unit::alu, Effect::nanosleep),
    effect_row("pmevent a", Types<>{}, since(1, 4), Unit::alu, Effect::nothing, "#0..15"),
    effect_row("pmevent.mask a", Types<>{}, since(3, 0, 20), Unit::alu, Effect::nothing, "#u32"),
    // Registers are not a scarce thing here.
    effect_row("setmaxnreg.action_setmaxnreg.sync.aligned.u32 imm-reg-count", Types<u32>{},
               only_on("90a 100f 103f 110f 120f", 8, 0, 90), Unit::alu, Effect::nothing,
               "#24/32/40/48/56/64/72/80/88/96/104/112/120/128/136/144/152/160/168/176/184/192/200/208/216/224/"
               "232/240/248/256"),
};

}  // namespace

extern constinit std::span<Row const> const miscellaneous{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
