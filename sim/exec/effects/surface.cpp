// suld, sust, sured: elements of surfaces. An op finds where each lane's element is; what it does there is an access to
// global memory.
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/texture/surface_access.hpp"

#include "frontend/isa/operation.hpp"

#include <bit>
#include <cstring>
#include <string>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using isa::Type;
using texture::Format;
using texture::Texel;
using Kind = ir::Operand::Kind;

/// The registers that hold the data, and how many bytes of memory each is.
struct SurfaceData {
    Operands registers;
    int memory_log2 = 2;
};

SurfaceData data_of(FunctionPlanner& p, Operands operands) {
    bool const is_list = operands[0].kind == Kind::vector;
    SurfaceData data{is_list ? operands.subspan(1, operands[0].count) : operands.first(1)};
    auto const wide = static_cast<std::size_t>(isa::width(p.form().types[0])) / 8;
    std::size_t const bytes = wide * p.form().vector;
    // Registers that are wide enough hold an element each; others share one.
    std::size_t const each = bytes / data.registers.size();
    bool const has_too_many = data.registers.size() > p.form().vector && each < 4;
    if (has_too_many) data.registers = data.registers.first(p.form().vector);
    data.memory_log2 = std::countr_zero(has_too_many ? wide : each);
    if (each == 0 || each > 8) p.refuse("data of this kind");
    return data;
}

Flow find_addresses(WarpInstruction& i) {
    auto const& s = i.function.details_of<SurfaceAccess>(i.op);
    find_elements(i, s, [](int, SurfaceElement const&) {});
    LaneMask const outside = i.mask & ~*isa::column<LaneMask>(i.warp.bases, s.inside);
    for (SurfaceAccess::Result const& result : s.zeroed) {
        std::size_t const bytes = std::size_t{1} << result.log2;
        auto* const column = isa::column<std::byte>(i.warp.bases, result.slot);
        for (LaneMask m = outside; m != 0; m &= m - 1)
            std::memset(column + static_cast<std::size_t>(std::countr_zero(m)) * bytes, 0, bytes);
    }
    return Flow::next;
}

void plan_surface_load(FunctionPlanner& p, Operands operands) {
    SurfaceData const data = data_of(p, operands);
    operands = operands.subspan(operands[0].kind == Kind::vector ? operands[0].count + 1u : 1u);
    SurfaceAccess s = plan_surface_access(p, operands);
    s.what = "load from";
    Access access = access_of_surface(s, data.memory_log2, data.registers.size());
    s.bytes = access.bytes;
    for (ir::Operand const& r : data.registers) {
        if (r.kind == Kind::reg)
            s.zeroed.push_back(
                {p.plan().register_slot[r.index], column_log2(p.function().registers[r.index].type)});
        p.add_element(access, r, true);
    }
    Slot const inside = s.inside;
    p.emit_effect_with(std::move(s));
    emit_surface_access(p, OpKind::load, access, inside);
}

// ---- stores ------------------------------------------------------------------------------------------------------

/// sust.p: what is stored depends on the surface's format, which only the launch knows.
struct FormattedStore {
    SurfaceAccess access;
    std::vector<Slot> sources;
    std::array<Slot, 4> words{};       // what is stored
    std::array<Slot, 5> predicates{};  // by log2 of the bytes: lanes whose texels have so many
};

Flow encode_texels(WarpInstruction& i);

void plan_formatted_store(FunctionPlanner& p, SurfaceAccess s, Operands operands) {
    FormattedStore f;
    s.counts_texels = true;
    s.bytes = 0;
    bool const is_list = operands[0].kind == Kind::vector;
    Operands const values = is_list ? operands.subspan(1, operands[0].count) : operands.first(1);
    for (ir::Operand const& value : values) f.sources.push_back(p.source(value, 2));
    for (Slot& word : f.words) word = p.temporary(2);
    for (Slot& predicate : f.predicates) predicate = p.temporary_predicate();
    f.access = std::move(s);
    std::array<Slot, 4> const words = f.words;
    std::array<Slot, 5> const predicates = f.predicates;
    SurfaceAccess const& access = f.access;
    std::array<Access, 5> accesses;
    for (int log2 = 0; log2 < 5; ++log2) {
        int const of_element = std::min(log2, 2);
        Access& store = accesses[static_cast<std::size_t>(log2)];
        store = access_of_surface(access, of_element, std::size_t{1} << (log2 - of_element));
        for (std::size_t e = 0; e < store.elements; ++e) {
            store.data[e] = words[e];
            store.column_log2[e] = 2;
            store.move[e] = p.access().store[of_element][2];
        }
    }
    p.emit_effect_with(std::move(f)).carry_out = encode_texels;
    for (std::size_t log2 = 0; log2 < 5; ++log2)
        emit_surface_access(p, OpKind::store, accesses[log2], predicates[log2]);
}

Flow encode_texels(WarpInstruction& i) {
    auto const& f = i.function.details_of<FormattedStore>(i.op);
    for (Slot const predicate : f.predicates) *isa::column<LaneMask>(i.warp.bases, predicate) = 0;
    find_elements(i, f.access, [&](int lane, SurfaceElement const& element) {
        Format const format = element.image->format;
        Texel value{};
        for (std::size_t c = 0; c < f.sources.size(); ++c)
            value[c] = isa::column<std::uint32_t>(i.warp.bases, f.sources[c])[lane];
        std::array<std::uint32_t, 4> words{};
        texture::encode(format, value, reinterpret_cast<std::byte*>(words.data()));
        for (std::size_t w = 0; w < 4; ++w) isa::column<std::uint32_t>(i.warp.bases, f.words[w])[lane] = words[w];
        auto const log2 = static_cast<std::size_t>(std::countr_zero(format.bytes()));
        *isa::column<LaneMask>(i.warp.bases, f.predicates[log2]) |= LaneMask{1} << lane;
    });
    return Flow::next;
}

void plan_surface_store(FunctionPlanner& p, Operands operands) {
    SurfaceAccess s = plan_surface_access(p, operands);
    s.what = "store to";
    if (p.form().operation == Operation::sust_p) return plan_formatted_store(p, std::move(s), operands);
    SurfaceData const data = data_of(p, operands);
    Access access = access_of_surface(s, data.memory_log2, data.registers.size());
    s.bytes = access.bytes;
    for (ir::Operand const& r : data.registers) p.add_element(access, r, false);
    Slot const inside = s.inside;
    p.emit_effect_with(std::move(s));
    emit_surface_access(p, OpKind::store, access, inside);
}

// ---- reductions --------------------------------------------------------------------------------------------------

/// sured.p: the surface's format says whether integers are signed.
struct FormattedReduction {
    SurfaceAccess access;
    Slot is_unsigned = 0, is_signed = 0;  // predicates
};

Access reduction(FunctionPlanner& p, SurfaceAccess const& s, Type type, Slot source) {
    Access access = access_of_surface(s, isa::width(type) == 64 ? 3 : 2, 1);
    for (std::size_t i = 0; i < 2; ++i) {
        access.atomic[i] = p.atomics().of[i][static_cast<std::size_t>(atomic_type(type))]
                                         [static_cast<std::size_t>(atomic_operation(p.form()))];
    }
    if (access.atomic[0] == nullptr) p.refuse(std::string(p.row().syntax));
    access.data[0] = discard;
    access.source[0] = source;
    return access;
}

Flow choose_signs(WarpInstruction& i) {
    auto const& f = i.function.details_of<FormattedReduction>(i.op);
    LaneMask signed_lanes = 0, unsigned_lanes = 0;
    find_elements(i, f.access, [&](int lane, SurfaceElement const& element) {
        Format const format = element.image->format;
        if (!format.is_integer() || format.bytes() != f.access.bytes) {
            i.fault(lane, FaultKind::illegal_operand,
                    "a reduction of " + std::to_string(8 * f.access.bytes) + "-bit integers on a surface of " +
                        texture::name(format));
        }
        (format.is_signed() ? signed_lanes : unsigned_lanes) |= LaneMask{1} << lane;
    });
    *isa::column<LaneMask>(i.warp.bases, f.is_signed) = signed_lanes;
    *isa::column<LaneMask>(i.warp.bases, f.is_unsigned) = unsigned_lanes;
    return Flow::next;
}

void plan_surface_reduction(FunctionPlanner& p, Operands operands) {
    SurfaceAccess s = plan_surface_access(p, operands);
    s.what = "reduction on";
    Type const type = p.form().types[0];
    bool const is_wide = isa::width(type) == 64;
    s.bytes = is_wide ? 8 : 4;
    Slot const source = p.source(operands[0], is_wide ? 3 : 2);
    if (p.form().operation == Operation::sured_b) {
        Access const access = reduction(p, s, type, source);
        Slot const inside = s.inside;
        p.emit_effect_with(std::move(s));
        return emit_surface_access(p, OpKind::atomic, access, inside);
    }
    s.counts_texels = true;
    bool const asks_for_sign = p.form().has(Modifier::min) || p.form().has(Modifier::max);
    Type const with_sign = is_wide ? Type::s64 : Type::s32, without_sign = is_wide ? Type::u64 : Type::u32;
    Access const of_unsigned = reduction(p, s, without_sign, source);
    Access const of_signed = reduction(p, s, asks_for_sign ? with_sign : without_sign, source);
    FormattedReduction f{std::move(s), p.temporary_predicate(), p.temporary_predicate()};
    Slot const is_unsigned = f.is_unsigned, is_signed = f.is_signed;
    p.emit_effect_with(std::move(f)).carry_out = choose_signs;
    emit_surface_access(p, OpKind::atomic, of_unsigned, is_unsigned);
    emit_surface_access(p, OpKind::atomic, of_signed, is_signed);
}

}  // namespace

EffectRules effects::surface_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::surface_load, plan_surface_load, find_addresses},
        {Effect::surface_store, plan_surface_store, find_addresses},
        {Effect::surface_reduce, plan_surface_reduction, find_addresses},
    };
    return rules;
}

}  // namespace warpsim::sim
