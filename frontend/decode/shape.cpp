#include "frontend/decode/shape.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::frontend {

namespace {

using isa::Type;

/// The number after the n of a shape as .m64n32k16; 0: none.
unsigned shape_columns(ir::Form const& form) {
    for (isa::Modifier const written : form.modifiers) {
        std::string_view const modifier = isa::name(written);
        std::size_t const n = modifier.find('n');
        if (!modifier.starts_with(".m") || n == std::string_view::npos) continue;
        unsigned columns = 0;
        std::from_chars(modifier.data() + n + 1, modifier.data() + modifier.size(), columns);
        if (columns > 0) return columns;
    }
    return 0;
}

Type bits_of(int width) {
    switch (width) {
        case 8: return Type::b8;
        case 16: return Type::b16;
        case 32: return Type::b32;
        default: return Type::b64;
    }
}

Type type_of(isa::OperandSpec const& spec, ir::Form const& form) {
    Type const first = form.types[0];
    switch (spec.source) {
        case isa::TypeSource::fixed: return spec.type;
        case isa::TypeSource::first: return first;
        case isa::TypeSource::carrier: return lives_in_bits(first) ? bits_of(isa::width(first)) : first;
        case isa::TypeSource::texel:
            return first == Type::f16 ? Type::b16 : first == Type::f32 ? Type::b32 : first;
        case isa::TypeSource::any: break;
    }
    return Type::none;
}

void set_address(isa::AddressKind kind, OperandRule& rule) {
    using isa::AddressKind;
    using isa::StateSpace;
    switch (kind) {
        case AddressKind::of_modifiers: break;
        case AddressKind::generic: rule.space = StateSpace::generic; break;
        case AddressKind::global: rule.space = StateSpace::global; break;
        case AddressKind::shared: rule.space = StateSpace::shared; break;
        case AddressKind::texture:
        case AddressKind::surface:
            rule.handle = kind == AddressKind::texture ? Type::texref : Type::surfref;
            rule.space = StateSpace::generic;
            break;
        case AddressKind::tensor_memory: rule.tensor = OperandRule::Tensor::address; break;
        case AddressKind::tensor_memory_untyped: rule.tensor = OperandRule::Tensor::untyped_address; break;
    }
}

OperandRule rule_of(isa::OperandSpec const& spec, ir::Form const& form) {
    OperandRule rule;
    rule.is_sink = spec.kind == isa::OperandKind::sink;
    rule.is_pointer = spec.kind == isa::OperandKind::pointer;
    rule.is_written = spec.is_written();
    rule.can_be_sink = rule.is_sink || spec.direction == isa::Direction::written_or_sink;
    rule.is_constant = spec.is_constant;
    rule.values = spec.values;
    rule.length = spec.columns_divisor > 0 ? shape_columns(form) / spec.columns_divisor : spec.length;
    rule.is_list = spec.is_list();
    rule.or_value = spec.can_be_value;
    rule.is_data = spec.is_data;
    rule.must_be_register = spec.must_be_register;
    bool const names_own_type = spec.source == isa::TypeSource::fixed && spec.type != Type::none;
    rule.is_implied = (names_own_type && spec.values.are_all()) || spec.is_strict;
    if (spec.kind == isa::OperandKind::address) set_address(spec.address, rule);
    return rule;
}

void add_slot(Shape& shape, Type type, bool is_list, OperandRule rule) {
    shape.rules.push_back(std::move(rule));
    shape.types.push_back(type);
    shape.is_list.push_back(is_list);
}

void set_effect_types(isa::Row const& row, ir::Form const& form, Shape& shape) {
    isa::OperandSpec const* spec = row.operands.begin();
    for (OperandSlot const& slot : shape.line->operands) {
        if (slot.closes_pair) {
            OperandRule rule;
            rule.is_implied = true;
            add_slot(shape, Type::pred, false, std::move(rule));
            continue;
        }
        OperandRule rule = rule_of(*spec, form);
        Type const type = type_of(*spec, form);
        bool const is_list = spec->follows_vector();
        isa::OperandSpec const* const parts = ++spec;
        while (spec != row.operands.end() && spec->is_part) ++spec;
        rule.parts = {parts, spec};
        add_slot(shape, type, is_list, std::move(rule));
    }
}

/// Optional operands that are there exactly when a modifier is.
struct AskedOperand {
    std::string_view operand;
    isa::Modifier modifier;
};
constexpr AskedOperand asked_operands[] = {{"cache-policy", isa::Modifier::L2_cache_hint},
                                           {"ctaMask", isa::Modifier::multicast_cluster},
                                           {"byteMask", isa::Modifier::cp_mask}};

void set_operand_counts(ir::Form const& form, Shape& shape) {
    shape.least_operands = shape.line->least_operands;
    shape.most_operands = shape.line->most_operands;
    for (OperandSlot const& slot : shape.line->operands) {
        if (slot.group == 0) continue;
        for (AskedOperand const& asked : asked_operands) {
            if (slot.name != asked.operand) continue;
            bool const is_asked = form.has(asked.modifier);
            (is_asked ? shape.asked_groups : shape.closed_groups) |= 1u << slot.group;
            if (is_asked) ++shape.least_operands;
            else --shape.most_operands;
        }
    }
}

void set_lane_types(isa::Variant const& variant, Shape& shape) {
    std::size_t source = 0;
    bool const is_conversion = shape.line->opcode == "cvt";
    bool const is_simd_video = shape.row->video_elements > 1 && shape.line->operands.size() > 1 &&
                               shape.line->operands[1].can_be_selected;
    for (OperandSlot const& slot : shape.line->operands) {
        Type type = Type::none;
        OperandRule rule;
        rule.is_constant = slot.name.starts_with("imm");
        // `{a, b}`: a list of as many sources.
        if (slot.is_vector)
            rule.length = 1 + static_cast<unsigned>(std::count(slot.name.begin(), slot.name.end(), ','));
        if (slot.closes_pair) type = Type::pred;
        else if (slot.is_destination) type = variant.result;
        else if (source < variant.source_count) type = variant.sources[source];
        else type = Type::pred;  // the c that a BoolOp combines the result with
        if (!slot.closes_pair && !slot.is_destination) source += std::max(rule.length, 1u);
        rule.is_implied = std::find(variant.types.begin(), variant.types.end(), type) == variant.types.end();
        rule.must_be_register = is_simd_video;
        Type const written = variant.types[slot.is_destination ? 0 : 1];
        bool const is_scale =
            is_conversion && (variant.types[0] == Type::ue8m0x2 || variant.types[1] == Type::ue8m0x2);
        rule.must_be_untyped = is_conversion && lives_in_bits(written) && isa::is_untyped(type);
        if (is_scale && type == Type::bf16x2) type = Type::b32;  // ptxas takes any register of 32 bits here
        add_slot(shape, type, false, std::move(rule));
    }
}

}  // namespace

bool lives_in_bits(isa::Type type) {
    using isa::Type;
    switch (type) {
        case Type::bf16:
        case Type::bf16x2:
        case Type::tf32:
        case Type::f32x2:
        case Type::u16x2:
        case Type::s16x2:
        case Type::u8x4:
        case Type::s8x4: return true;
        default: return type >= Type::e4m3 && type <= Type::e2m1x4;
    }
}

void set_operands(isa::Variant const* variant, ir::Form const& form, Shape& shape) {
    if (shape.row->effect == isa::Effect::lanes) set_lane_types(*variant, shape);
    else set_effect_types(*shape.row, form, shape);
    set_operand_counts(form, shape);
}

}  // namespace warpsim::frontend
