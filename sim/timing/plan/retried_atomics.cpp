#include "sim/timing/plan/retried_atomics.hpp"

#include "frontend/isa/effect.hpp"
#include "frontend/isa/table.hpp"

namespace warpsim::timing {

/// As in the code of ptxas 13.0 for 7.5, 8.0 and 9.0.
Retried retried(ir::Form const& form) {
    using isa::Modifier;
    isa::Effect const effect = isa::rows(isa::HostIsa::baseline)[form.row].effect;
    bool const is_atomic = effect == isa::Effect::atomic || effect == isa::Effect::reduction;
    if (!is_atomic || form.space != isa::StateSpace::shared || form.has(Modifier::exch) || form.has(Modifier::cas))
        return {};
    isa::Type const type = form.types[0];
    bool const is_wide = isa::width(type) == 64;
    if (isa::is_float(type))
        return is_wide ? Retried{"Ldlaab", 2} : Retried{type == isa::Type::f32 ? "Lflab" : "Lhlab"};
    if (!is_wide) return {};
    return {form.has(Modifier::min) || form.has(Modifier::max) ? "Laablaab" : "Laalaab", 2};
}

}  // namespace warpsim::timing
