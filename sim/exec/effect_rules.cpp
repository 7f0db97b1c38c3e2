#include "frontend/isa/effect.hpp"
#include "sim/exec/effect_rule.hpp"

#include <stdexcept>
#include <string>

namespace warpsim::sim {

EffectTable make_effect_table(std::span<EffectRules const> files) {
    EffectTable table{};
    for (EffectRules const rules : files) {
        for (EffectRule const& rule : rules) {
            EffectRule& entry = table[static_cast<std::size_t>(rule.effect)];
            if (entry.plan != nullptr)
                throw std::logic_error("two rules for the effect '" + std::string(isa::name(rule.effect)) + "'");
            entry = rule;
        }
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].plan == nullptr)
            throw std::logic_error("no rule for the effect '" + std::string(isa::name(isa::Effect(i))) + "'");
    }
    return table;
}

EffectTable const& effect_table() {
    static EffectTable const table = [] {
        EffectRules const files[] = {
#define WARPSIM_CHOICE(name) effects::name##_rules(),
#include "sim/exec/effects.inc"
#undef WARPSIM_CHOICE
        };
        return make_effect_table(files);
    }();
    return table;
}

}  // namespace warpsim::sim
