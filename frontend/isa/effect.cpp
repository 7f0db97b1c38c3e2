#include "frontend/isa/effect.hpp"

#include "frontend/isa/table.hpp"

#include <array>

namespace warpsim::isa {

/// What the chapters declare, by enumerator. Like the rows it is never destroyed.
static std::array<EffectFacts const*, effect_count> const& table() {
    static auto const& of = *[] {
        auto* const facts_of = new std::array<EffectFacts const*, effect_count>{};
        for (Row const& row : rows(HostIsa::baseline))
            (*facts_of)[static_cast<std::size_t>(row.effect)] = row.facts;
        return facts_of;
    }();
    return of;
}

EffectFacts const& facts(Effect effect) { return *table()[static_cast<std::size_t>(effect)]; }

std::string_view name(Effect effect) { return facts(effect).name; }

}  // namespace warpsim::isa
