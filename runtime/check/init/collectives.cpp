// Operations of a warp as a whole: shuffles, votes, matches, reductions, and products of matrices.
#include "runtime/check/init/init_check.hpp"

#include "frontend/isa/product_shape.hpp"
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

// ---- products of matrices ----------------------------------------------------------------------------------------

namespace {

/// The fragments of a product among the sources of its step.
struct FragmentsOfProduct {
    std::span<Source const> a, b, c, rest;
};

std::size_t taken_list(std::span<ir::Operand const>& operands) {
    bool const is_list = !operands.empty() && operands[0].kind == ir::Operand::Kind::vector;
    std::size_t const count = is_list ? operands[0].count : operands.empty() ? 0 : 1;
    operands = operands.subspan(std::min(operands.size(), count + (is_list ? 1 : 0)));
    return count;
}

/// Lanes that have an undefined bit in any of the registers.
LaneMask undefined_lanes(FrameShadow const& f, std::span<Source const> registers) {
    LaneMask lanes = 0;
    for (Source const& s : registers)
        if (s.reg != ir::none) lanes |= f.undefined(s.reg);
    return lanes;
}

OriginId origin_in(FrameShadow const& f, std::span<Source const> registers) {
    for (Source const& s : registers)
        if (s.reg != ir::none && f.undefined(s.reg) != 0)
            return f.origin(s.reg, static_cast<unsigned>(std::countr_zero(f.undefined(s.reg))));
    return 0;
}

}  // namespace

/// d = a * b + c: an element is undefined if that of c is, or anything in its row of a or its column of b. In the shapes with
/// eight columns, the four lanes of a group have a row of a (or two, in registers by turns), a column of b, and the same rows of
/// d, each lane two columns of it. Of other shapes only c is carried over, and a fragment that is undefined throughout.
void InitCheck::multiply(sim::Site const& site, FrameShadow& f, Step const& step) {
    ir::Function const& function = *site.frame.function->function;
    ir::Instruction const& instruction = function.instructions[site.op.instruction];
    ir::Form const& form = launch_->plan.module->forms[instruction.form];
    std::span<ir::Operand const> operands = function.operands_of(instruction);
    taken_list(operands);  // d
    std::span<Source const> left = step.sources;
    auto const take = [&] {
        std::size_t const count = std::min(taken_list(operands), left.size());
        std::span<Source const> const taken = left.first(count);
        left = left.subspan(count);
        return taken;
    };
    FragmentsOfProduct const p{take(), take(), take(), left};
    LaneMask const in_a = undefined_lanes(f, p.a), in_b = undefined_lanes(f, p.b),
                   in_rest = undefined_lanes(f, p.rest);
    isa::ProductShape const shape = isa::product_shape(form.modifiers).value_or(isa::ProductShape{});
    bool const is_known =
        form.operation == isa::Operation::mma && shape.n == 8 &&
        (shape.m == 16 || (shape.m == 8 && form.types[0] != isa::Type::f16 && form.types[0] != isa::Type::f32));
    std::array<bool, 16> rows{};
    std::array<bool, 8> columns{};
    bool all = in_rest != 0;
    auto const are_all = [&](std::span<Source const> registers) {
        return !registers.empty() && std::all_of(registers.begin(), registers.end(), [&](Source const& s) {
            return s.reg != ir::none && f.undefined(s.reg) == isa::all_lanes;
        });
    };
    if (is_known) {
        for (std::size_t i = 0; i < p.a.size(); ++i) {
            LaneMask const lanes = p.a[i].reg == ir::none ? 0 : f.undefined(p.a[i].reg);
            std::size_t const half = shape.m == 16 && i % 2 == 1 ? 8 : 0;
            for (unsigned group = 0; group < 8; ++group) rows[half + group] |= (lanes >> (4 * group) & 15) != 0;
        }
        for (unsigned group = 0; group < 8; ++group) columns[group] = (in_b >> (4 * group) & 15) != 0;
    } else {
        all |= are_all(p.a) || are_all(p.b);
    }
    OriginId const from = in_a != 0 ? origin_in(f, p.a) : in_b != 0 ? origin_in(f, p.b) : origin_in(f, p.rest);
    // The registers of d may be those of c: their old bits are read first.
    std::vector<std::array<Bits, 32>> bits(step.targets.size());
    std::vector<std::array<OriginId, 32>> origins(step.targets.size());
    std::size_t const halves = step.targets.size() >= 2 ? step.targets.size() / 2 : 1;
    bool const is_pairs = step.targets.size() > 0 && p.c.size() == step.targets.size() &&
                          step.targets.size() * 32 * (step.targets[0].register_bits / 32) < shape.m * shape.n;
    for (std::size_t i = 0; i < step.targets.size(); ++i) {
        std::size_t const half = shape.m == 16 && i >= halves ? 8 : 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            bool const has_c = i < p.c.size() && p.c[i].reg != ir::none && p.c.size() == step.targets.size();
            Bits b = has_c ? f.bits(p.c[i].reg, lane) : 0;
            OriginId o = has_c ? f.origin(p.c[i].reg, lane) : 0;
            Bits added = all ? ~Bits{0} : 0;
            if (rows[half + lane / 4]) added = ~Bits{0};
            std::size_t const column = 2 * (lane % 4);
            if (is_pairs) {  // two halves in a register
                if (columns[column]) added |= 0xffff;
                if (columns[column + 1]) added |= 0xffff0000;
            } else if (columns[column + i % 2]) {
                added = ~Bits{0};
            }
            if (b == 0 && added != 0) o = from;
            bits[i][lane] = (b | added) & low_bits(step.targets[i].register_bits);
            origins[i][lane] = o;
        }
    }
    for (std::size_t i = 0; i < step.targets.size(); ++i) {
        if (step.targets[i].reg == ir::none) continue;
        for (unsigned lane = 0; lane < 32; ++lane)
            f.set(step.targets[i].reg, lane, bits[i][lane], origins[i][lane]);
    }
}

/// wgmma: where scale-d says that the sums begin with zero, what stood in d before matters no more. Of its factors nothing is
/// known: they count as defined.
void InitCheck::multiply_warpgroup(sim::Site const& site, FrameShadow& f, Step const& step) {
    ir::Function const& function = *site.frame.function->function;
    ir::Instruction const& instruction = function.instructions[site.op.instruction];
    for (ir::Operand const& operand : function.operands_of(instruction)) {
        if (operand.type != isa::Type::pred) continue;
        LaneMask begins = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            Source s;
            s.bits = s.register_bits = 1;
            s.is_negated = operand.negated;
            if (operand.kind == ir::Operand::Kind::reg) s.reg = operand.index;
            else s.value = static_cast<std::uint64_t>(operand.value) & 1;
            if (term(site, f, s, lane).value == 0) begins |= LaneMask{1} << lane;
        }
        for (Target const& t : step.targets)
            if (t.reg != ir::none) f.define(t.reg, begins);
        return;
    }
}

}  // namespace warpsim::check
