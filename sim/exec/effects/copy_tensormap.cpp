// tensormap.cp_fenceproxy and tensormap.replace.
#include "sim/exec/effect_rule.hpp"

#include "sim/exec/copy_bytes.hpp"
#include "sim/exec/plan_asynchronous.hpp"
#include "sim/tensor/tensor_map.hpp"

#include <bit>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using Async = Asynchronous::Kind;

void plan_map_copy(FunctionPlanner& p, Operands operands) {
    Asynchronous a;
    a.kind = Async::copy_map;
    a.target = p.place(operands[0]);
    a.source = p.place(operands[1], true);
    a.target.is_generic = a.source.is_generic = false;
    a.bytes = static_cast<std::uint32_t>(operands[2].value);
    emit_asynchronous(p, a);
}

using tensor::TensorMap;

struct Replacement {
    AddressOperand map;
    Modifier field{};
    std::uint32_t ordinal = 0;
    Slot value = 0;
    bool is_64 = false;
};

Flow replace_field(WarpInstruction& i);

void plan_replacement(FunctionPlanner& p, Operands operands) {
    constexpr Modifier fields[] = {
        Modifier::global_address, Modifier::rank,      Modifier::box_dim,           Modifier::global_dim,
        Modifier::global_stride,  Modifier::elemtype,  Modifier::interleave_layout, Modifier::swizzle_mode,
        Modifier::element_stride, Modifier::fill_mode, Modifier::swizzle_atomicity};
    Replacement r;
    for (Modifier const field : fields) {
        if (p.form().has(field)) r.field = field;
    }
    r.map = p.place(operands[0], p.form().has(Modifier::shared_cta));
    r.is_64 = r.field == Modifier::global_address || r.field == Modifier::global_stride;
    if (operands.size() == 3) r.ordinal = static_cast<std::uint32_t>(operands[1].value);
    r.value = p.source(operands.back(), r.is_64 ? 3 : 2);
    Op& op = p.emit_effect(replace_field);
    op.target = static_cast<std::uint32_t>(p.plan().details.size());
    p.plan().details.push_back(std::make_shared<Replacement const>(r));
}

/// False when the field has no such value.
template <class Field> bool choose(Field& field, std::uint64_t value) {
    if (value >= static_cast<std::uint64_t>(Field::count)) return false;
    field = static_cast<Field>(value);
    return true;
}
/// False when the map has no such dimension.
template <class Array, class Value> bool set(Array& array, std::uint32_t ordinal, Value value) {
    if (ordinal >= array.size()) return false;
    array[ordinal] = static_cast<typename Array::value_type>(value);
    return true;
}

bool replace(TensorMap& map, Replacement const& r, std::uint64_t value) {
    switch (r.field) {
        case Modifier::global_address: map.address = value; return true;
        case Modifier::rank: map.rank = static_cast<std::uint32_t>(value) + 1; return true;
        case Modifier::box_dim: return set(map.box, r.ordinal, value);
        case Modifier::global_dim: return set(map.dims, r.ordinal, value);
        case Modifier::global_stride: return set(map.strides, r.ordinal, value);
        case Modifier::element_stride: return set(map.element_strides, r.ordinal, value);
        case Modifier::elemtype: return choose(map.element, value);
        case Modifier::interleave_layout: return choose(map.interleave, value);
        case Modifier::swizzle_mode: return choose(map.swizzle, value);
        case Modifier::swizzle_atomicity: return choose(map.atomicity, value);
        default: return choose(map.fill, value);
    }
}

/// The access that events refer to: the whole map is written, by an instruction that moves no register of a lane.
void tell_replacement(WarpInstruction const& i, Replacement const& r, int lane) {
    static constexpr std::uint32_t half = tensor::map_bytes / 2;  // the alignment of maps
    static Access const access = [] {
        Access a;
        a.elements = 0;
        a.bytes = half;
        a.data.fill(discard);
        return a;
    }();
    if (!i.sinks().want(EventKind::access)) return;
    Issue const by{i.cta, i.warp, i.op, lane};
    std::uint64_t const address = i.parts.cluster_memory.address_at(by, r.map);
    std::uint64_t const window = i.launch().windows.shared;
    bool const is_shared = r.map.own_shared || Windows::inside(address, window);
    for (std::uint32_t part = 0; part < 2; ++part) {
        Addresses at;
        at.bytes = half;
        at.mask = 1u << lane;
        at.lane[lane] = at.low =
            (is_shared && Windows::inside(address, window) ? address - window : address) + part * half;
        at.past_high = at.low + half;
        i.sinks().tell<AccessEvent>([&] {
            return AccessEvent{i.site(), access, is_shared ? SpaceKind::shared : SpaceKind::global, at, false};
        });
    }
}

Flow replace_field(WarpInstruction& i) {
    auto const& r = i.function.details_of<Replacement>(i.op);
    for (LaneMask m = i.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::byte* const bytes = i.parts.cluster_memory.map_bytes({i.cta, i.warp, i.op, lane}, r.map, true);
        std::optional<TensorMap> map = tensor::decode_for_change(bytes);
        if (!map)
            i.fault(lane, FaultKind::illegal_operand, "tensormap.replace of 128 bytes that are no tensor map");
        if (map->mode != tensor::Mode::tile)
            i.fault(lane, FaultKind::illegal_operand, "tensormap.replace.tile of a map that is not of mode tile");
        std::uint64_t const value = r.is_64 ? isa::column<std::uint64_t>(i.warp.bases, r.value)[lane]
                                            : isa::column<std::uint32_t>(i.warp.bases, r.value)[lane];
        if (!replace(*map, r, value))
            i.fault(lane, FaultKind::illegal_operand,
                    "tensormap.replace with value " + std::to_string(value) + ", which the field does not have");
        copy_weak(bytes, tensor::encode(*map).data(), tensor::map_bytes);
        ++i.cta.changes;
        tell_replacement(i, r, lane);
    }
    return Flow::next;
}

void plan(FunctionPlanner& p, Operands operands) {
    if (p.form().operation == Operation::tensormap_replace) plan_replacement(p, operands);
    else plan_map_copy(p, operands);
}

}  // namespace

EffectRules effects::copy_tensormap_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::copy_tensormap, plan, AsyncOperations::carry_out},
    };
    return rules;
}

}  // namespace warpsim::sim
