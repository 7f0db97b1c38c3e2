// Operations of a warp as a whole: shuffles, votes, matches, reductions.
#include "runtime/check/init/init_check.hpp"

#include "sim/exec/collectives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace warpsim::check {

using isa::Effect;
using isa::Modifier;

namespace {

/// The bits that each lane brings, and where they come from.
struct Brought {
    std::array<Bits, 32> bits{};
    std::array<OriginId, 32> origin{};
    LaneMask lanes = 0;  // that bring undefined ones

    OriginId any_origin() const {
        return lanes == 0 ? 0 : origin[static_cast<std::size_t>(std::countr_zero(lanes))];
    }
};

Brought brought_by(FrameShadow const& f, Source const& s, LaneMask lanes) {
    Brought all;
    if (s.reg == ir::none) return all;
    for (LaneMask m = f.undefined(s.reg) & lanes; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        Bits const bits = f.bits(s.reg, lane) & low_bits(s.bits);
        if (bits == 0) continue;
        all.bits[lane] = bits;
        all.origin[lane] = f.origin(s.reg, lane);
        all.lanes |= LaneMask{1} << lane;
    }
    return all;
}

}  // namespace

/// Told when it has taken effect, for the lanes of one position in the code. What lanes at other positions have brought
/// counts as defined.
void InitCheck::collective(sim::CollectiveEvent const& e) {
    FrameShadow& f = frame(e.site.cta, e.site.warp, e.site.frame);
    if (f.is_clean()) return;
    Step const& step = f.steps().steps[e.site.op.instruction];
    if (step.targets.empty() || step.sources.empty()) return;
    Brought const brought = brought_by(f, step.sources[0], e.lanes);
    auto const set_all = [&](Target const& t, Bits bits, OriginId origin) {
        if (t.reg == ir::none) return;
        for (LaneMask m = e.lanes; m != 0; m &= m - 1)
            f.set(t.reg, static_cast<unsigned>(std::countr_zero(m)), bits & low_bits(t.register_bits), origin);
    };
    if (e.site.op.effect != Effect::shuffle) {
        ir::Instruction const& instruction = e.site.frame.function->function->instructions[e.site.op.instruction];
        ir::Form const& form = launch_->plan.module->forms[instruction.form];
        bool const is_ballot = form.has(Modifier::ballot);
        Bits bits = brought.lanes == 0 ? 0 : ~Bits{0};
        if (is_ballot) {
            bits = brought.lanes;
        } else if (form.has(Modifier::any) || form.has(Modifier::all)) {
            // One defined lane may decide it.
            bool const is_any = form.has(Modifier::any);
            for (LaneMask m = e.lanes & ~brought.lanes; m != 0 && bits != 0; m &= m - 1) {
                Term const t = term(e.site, f, step.sources[0], static_cast<unsigned>(std::countr_zero(m)));
                if (((t.value & 1) != 0) == is_any) bits = 0;
            }
        } else if (form.has(Modifier::and_) || form.has(Modifier::or_) || form.has(Modifier::xor_)) {
            bits = 0;
            for (Bits const b : brought.bits) bits |= b;
        }
        for (Target const& t : step.targets) set_all(t, bits, brought.any_origin());
        return;
    }
    sim::ShuffleMode const mode = [&] {
        auto const* const c =
            static_cast<sim::Collective const*>(e.site.frame.function->details[e.site.op.target].get());
        return c->shuffle;
    }();
    std::array<Bits, 32> result{};
    std::array<OriginId, 32> origin{};
    LaneMask undefined_places = 0;
    for (LaneMask m = e.lanes; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        Term const b = term(e.site, f, step.sources[1], lane);
        Term const c = step.sources.size() > 2 ? term(e.site, f, step.sources[2], lane) : Term{};
        if ((b.undefined & 31) != 0 || (c.undefined & 0x1f1f) != 0) {
            result[lane] = ~Bits{0};
            undefined_places |= LaneMask{1} << lane;
            origin[lane] =
                b.undefined != 0 ? f.origin(step.sources[1].reg, lane) : f.origin(step.sources[2].reg, lane);
            continue;
        }
        sim::ShuffleSource const from =
            sim::shuffle_source(mode, static_cast<std::int32_t>(lane), static_cast<std::int32_t>(b.value),
                                static_cast<std::int32_t>(c.value));
        auto const source = static_cast<std::size_t>(from.lane & 31);
        result[lane] = brought.bits[source];
        origin[lane] = brought.origin[source];
    }
    for (std::size_t i = 0; i < step.targets.size(); ++i) {
        Target const& t = step.targets[i];
        if (t.reg == ir::none) continue;
        for (LaneMask m = e.lanes; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            Bits const bits = i == 0 ? result[lane] : (undefined_places >> lane & 1);
            f.set(t.reg, lane, bits & low_bits(t.register_bits), origin[lane]);
        }
    }
}

}  // namespace warpsim::check
