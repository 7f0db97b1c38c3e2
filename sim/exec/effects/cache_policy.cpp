// createpolicy.
#include "sim/exec/effect_rule.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using Kind = ir::Operand::Kind;

// A policy is opaque to programs. This is the layout that ptxas computes for sm_80 to sm_100, because programs
// also pass its values as constants (0x14f0000000000000: evict_last, all of the data):
//   63..60 1   59 a range   58..57 primary priority: unchanged, first, last, normal   56 secondary is evict_first
//   fractions: 55..52 sixteenths of the data less one
//   ranges: 55..52 log2 of a granule of addresses, less 12   50..44 the first granule   43..37 those behind it
void policy_of_fraction(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    auto const* const fraction = isa::column<float>(bases, operands.slot[1]);
    auto* const d = isa::column<std::uint64_t>(bases, operands.slot[0]);
    for (int i = 0; i < 32; ++i) {
        if ((mask >> i & 1) == 0) continue;
        float const share = fraction[i] >= 0.0f ? std::min(fraction[i], 1.0f) : 0.0f;
        d[i] = operands.immediate | static_cast<std::uint64_t>(share * 15.99f) << 52;
    }
}

void policy_of_range(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    auto const* const address = isa::column<std::uint64_t>(bases, operands.slot[1]);
    auto const* const primary = isa::column<std::uint32_t>(bases, operands.slot[2]);
    auto const* const total = isa::column<std::uint32_t>(bases, operands.slot[3]);
    auto* const d = isa::column<std::uint64_t>(bases, operands.slot[0]);
    for (int i = 0; i < 32; ++i) {
        if ((mask >> i & 1) == 0) continue;
        unsigned granule = 14;
        while (total[i] >> granule >= 64) ++granule;
        std::uint64_t const first = address[i] >> granule;
        std::uint64_t const behind = ((address[i] + std::max(primary[i], 1u) - 1) >> granule) - first;
        d[i] = operands.immediate | static_cast<std::uint64_t>(granule - 12) << 52 | (first & 0x7f) << 44 |
               std::min<std::uint64_t>(behind, 0x7f) << 37;
    }
}

std::uint64_t priorities(ir::Form const& form) {
    // In the order of their codes.
    static constexpr Modifier names[] = {Modifier::L2_evict_unchanged, Modifier::L2_evict_first,
                                         Modifier::L2_evict_last, Modifier::L2_evict_normal};
    // The first priority that is written is the primary one.
    auto const is_priority = [](Modifier m) {
        return std::find(std::begin(names), std::end(names), m) != std::end(names);
    };
    auto const primary = std::find_if(form.modifiers.begin(), form.modifiers.end(), is_priority);
    std::uint64_t bits = std::uint64_t{1} << 60;
    if (primary == form.modifiers.end()) return bits;
    bits |= static_cast<std::uint64_t>(std::find(std::begin(names), std::end(names), *primary) - std::begin(names))
            << 57;
    if (std::find(primary + 1, form.modifiers.end(), names[1]) != form.modifiers.end())
        bits |= std::uint64_t{1} << 56;
    return bits;
}

void plan_create_policy(FunctionPlanner& p, Operands operands) {
    Slot const d = p.destination(operands[0], 3);
    if (p.form().has(Modifier::cvt)) {
        // The access properties of the CUDA API are policies already.
        p.emit_lanes(p.access().copy[3], d, p.source(operands[1], 3));
    } else if (p.form().has(Modifier::fractional)) {
        bool const is_written = operands.size() > 1 && operands[1].kind != Kind::sink;
        Slot const fraction = is_written ? p.source(operands[1], 2) : p.kernel().constants.column(2, 0x3f800000);
        p.emit_lanes(policy_of_fraction, d, fraction, 0, 0, priorities(p.form()));
    } else {
        Access const access = p.access_to(operands[1], true);
        Slot address = access.address;
        if (!access.address_is_64) {
            address = p.temporary(3);
            p.emit_lanes(p.access().widen[0][2][3], address, access.address);
        }
        Slot const sum = p.temporary(3);
        p.emit_lanes(p.access().add_offset[1], sum, address, 0, 0, static_cast<std::uint64_t>(access.offset));
        Slot const primary = p.source(operands[2], 2);
        Slot const total = p.source(operands[3], 2);
        p.emit_lanes(policy_of_range, d, sum, primary, total, priorities(p.form()) | std::uint64_t{1} << 59);
    }
}

}  // namespace

EffectRules effects::cache_policy_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::create_policy, plan_create_policy},
    };
    return rules;
}

}  // namespace warpsim::sim
