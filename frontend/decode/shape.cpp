#include "frontend/decode/shape.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::frontend {

namespace {

using isa::Type;

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t const first = std::min(text.find_first_not_of(" ,|", at), text.size());
        at = std::min(text.find_first_of(" ,|", first), text.size());
        if (at > first) words.push_back(text.substr(first, at - first));
    }
    return words;
}

Type doubled(Type type) {
    switch (type) {
        case Type::u16: return Type::u32;
        case Type::s16: return Type::s32;
        case Type::u32: return Type::u64;
        case Type::s32: return Type::s64;
        default: return Type::none;
    }
}

Type type_of_word(std::string_view word, ir::Form const& form) {
    if (word == "type") return form.types[0];
    if (word == "type2") return form.types[1];
    if (word == "type3") return form.types[2];
    if (word == "wide") return doubled(form.types[0]);
    return isa::type_named(word);
}

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

/// `4*b32` `n/2*f32` `b32`
std::pair<unsigned, Type> list_of(std::string_view word, ir::Form const& form) {
    std::size_t const star = word.find('*');
    if (star == std::string_view::npos) return {0, type_of_word(word, form)};
    unsigned length = 0;
    if (word.starts_with("n/")) {
        std::from_chars(word.data() + 2, word.data() + star, length);
        length = shape_columns(form) / std::max(length, 1u);
    } else {
        std::from_chars(word.data(), word.data() + star, length);
    }
    return {length, type_of_word(word.substr(star + 1), form)};
}

Type bits_of(int width) {
    switch (width) {
        case 8: return Type::b8;
        case 16: return Type::b16;
        case 32: return Type::b32;
        default: return Type::b64;
    }
}

/// A word of Row::operand_types taken apart; returns the type.
Type read_word(std::string_view word, ir::Form const& form, OperandRule& rule, bool& is_list) {
    for (; !word.empty() && std::string_view("=~#>@%&").find(word[0]) != std::string_view::npos;
         word.remove_prefix(1)) {
        rule.is_written = rule.is_written || word[0] == '=' || word[0] == '~';
        rule.is_data = rule.is_data || word[0] == '>';
        rule.can_be_sink = rule.can_be_sink || word[0] == '~';
        rule.is_constant = rule.is_constant || word[0] == '#';
        rule.or_value = rule.or_value || word[0] == '@';
        rule.must_be_register = rule.must_be_register || word[0] == '&';
        if (word[0] == '%') {
            rule.values = word.substr(1);
            return Type::u32;
        }
    }
    std::size_t plus = std::min(word.find('+'), word.size());
    std::string_view const first = word.substr(0, plus);
    while (plus < word.size()) {
        std::size_t const end = std::min(word.find('+', plus + 1), word.size());
        std::string_view part = word.substr(plus + 1, end - plus - 1);
        bool const is_optional = part.starts_with('?');
        if (is_optional) part.remove_prefix(1);
        bool const can_be_longer = part.starts_with('>');
        if (can_be_longer) part.remove_prefix(1);
        bool const has_index = part.starts_with('^');
        if (has_index) part.remove_prefix(1);
        auto const [part_length, part_type] = list_of(part, form);
        rule.parts.push_back({part_length, part_type, is_optional, can_be_longer, has_index});
        plus = end;
    }
    if (rule.is_constant && first.find_first_not_of("-0123456789./") == std::string_view::npos) {
        rule.values = first;
        return Type::b32;
    }
    rule.is_sink = first == "_";
    rule.can_be_sink = rule.can_be_sink || rule.is_sink;
    rule.is_any = first == "any";
    is_list = first.starts_with("type") || first == "carrier";
    if (first == "carrier")
        return lives_in_bits(form.types[0]) ? bits_of(isa::width(form.types[0])) : form.types[0];
    if (first == "bits") {
        is_list = true;
        if (form.types[0] == Type::f16) return Type::b16;
        return form.types[0] == Type::f32 ? Type::b32 : form.types[0];
    }
    if (first == "texture") rule.handle = Type::texref;
    if (first == "surface") rule.handle = Type::surfref;
    if (first == "generic" || rule.handle != Type::none) rule.space = isa::StateSpace::generic;
    if (first == "shared") rule.space = isa::StateSpace::shared;
    if (first == "global") rule.space = isa::StateSpace::global;
    if (first == "taddr") rule.tensor = OperandRule::Tensor::address;
    if (first == "tmem") rule.tensor = OperandRule::Tensor::untyped_address;
    rule.is_pointer = first == "pointer";
    auto const [length, type] = list_of(first, form);
    rule.length = length;
    rule.is_list = length > 0;
    rule.is_implied = type != Type::none && !is_list;
    return type;
}

/// Of an effect row: one word for each operand. A pair may have one word or two.
void set_effect_types(isa::Row const& row, ir::Form const& form, Shape& shape) {
    std::vector<std::string_view> const words = words_of(row.operand_types);
    bool const word_per_slot = words.size() == shape.line->operands.size();
    std::size_t at = 0;
    for (OperandSlot const& slot : shape.line->operands) {
        Type type = Type::none;
        bool is_list = false;
        OperandRule rule;
        if (words.empty()) {
            type = slot.closes_pair ? Type::pred : form.types[0];
            is_list = !slot.is_address && !slot.closes_pair;
        } else if (slot.closes_pair && !word_per_slot) {
            type = Type::pred;
        } else if (at < words.size()) {
            type = read_word(words[at++], form, rule, is_list);
            rule.is_implied = rule.is_implied || shape.line->opcode == "redux";
        }
        shape.rules.push_back(std::move(rule));
        shape.types.push_back(type);
        shape.is_list.push_back(is_list);
    }
}

/// Optional operands that are there exactly when a modifier is.
struct AskedOperand {
    std::string_view operand;
    std::string_view modifier;
};
constexpr AskedOperand asked_operands[] = {
    {"cache-policy", ".L2::cache_hint"}, {"ctaMask", ".multicast::cluster"}, {"byteMask", ".cp_mask"}};

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
        shape.rules.push_back(std::move(rule));
        shape.types.push_back(type);
        shape.is_list.push_back(false);
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
        case Type::s16x2: return true;
        default: return type >= Type::e4m3 && type <= Type::e2m1x4;
    }
}

bool OperandRule::allows(std::int64_t value) const {
    if (values.empty()) return true;
    auto const number = [&](std::size_t from) {
        std::int64_t n = 0;
        std::from_chars(values.data() + from, values.data() + values.size(), n);
        return n;
    };
    if (std::size_t const dots = values.find(".."); dots != std::string_view::npos)
        return value >= number(0) && value <= number(dots + 2);
    for (std::size_t at = 0; at < values.size();) {
        if (number(at) == value) return true;
        at = std::min(values.find('/', at), values.size() - 1) + 1;
    }
    return false;
}

void set_operands(isa::Variant const* variant, ir::Form const& form, Shape& shape) {
    if (shape.row->effect == isa::Effect::lanes) set_lane_types(*variant, shape);
    else set_effect_types(*shape.row, form, shape);
    set_operand_counts(form, shape);
}

}  // namespace warpsim::frontend
