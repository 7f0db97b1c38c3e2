#include "frontend/isa/operand_spec.hpp"

#include <string>

namespace warpsim::isa {

std::string text(LegalValues values) {
    if (values.are_all()) return "";
    std::string words = std::to_string(values.first);
    if (values.first == values.last) return words;
    if (values.step == 1 && !values.doubles) return words + ".." + std::to_string(values.last);
    for (int value = values.first; value < values.last;) {
        value = values.doubles ? 2 * value : value + values.step;
        words += "/" + std::to_string(value);
    }
    return words;
}

namespace {

std::string_view address_word(AddressKind kind) {
    switch (kind) {
        case AddressKind::of_modifiers: return "address";
        case AddressKind::generic: return "generic_address";
        case AddressKind::global: return "global_address";
        case AddressKind::shared: return "shared_address";
        case AddressKind::texture: return "texture_handle";
        case AddressKind::surface: return "surface_handle";
        case AddressKind::tensor_memory: return "tensor_address";
        case AddressKind::tensor_memory_untyped: return "untyped_tensor_address";
    }
    return "";
}

std::string_view value_word(OperandSpec const& spec) {
    switch (spec.source) {
        case TypeSource::fixed: return name(spec.type);
        case TypeSource::first: return "first_type";
        case TypeSource::carrier: return "carrier";
        case TypeSource::texel: return "texel";
        case TypeSource::any: return "any_type";
    }
    return "";
}

std::string_view word(OperandSpec const& spec) {
    switch (spec.kind) {
        case OperandKind::value: return value_word(spec);
        case OperandKind::address: return address_word(spec.address);
        case OperandKind::sink: return "sink";
        case OperandKind::pointer: return "pointer";
        case OperandKind::label: return "label";
        case OperandKind::targets: return "targets";
        case OperandKind::function: return "function";
        case OperandKind::argument_list: return "argument_list";
    }
    return "";
}

std::string call(std::string_view function, std::string const& argument) {
    return std::string(function) + "(" + argument + ")";
}

std::string list_text(OperandSpec const& spec, std::string const& element) {
    std::string const length =
        spec.columns_divisor > 0 ? "columns/" + std::to_string(spec.columns_divisor) : std::to_string(spec.length);
    if (spec.can_be_value) return call("offset", length);
    return call(spec.has_index       ? "indexed_coordinates"
                : spec.can_be_longer ? "coordinates"
                                     : "list",
                length + ", " + element);
}

}  // namespace

std::string text(OperandSpec const& spec) {
    std::string words(word(spec));
    if (spec.is_constant) words = call("constant", spec.values.are_all() ? words : text(spec.values));
    else if (!spec.values.are_all()) words = call("limited", words + ", " + text(spec.values));
    if (spec.is_list()) words = list_text(spec, words);
    if (spec.is_strict) words = call("strictly", words);
    if (spec.is_data) words = call("data", words);
    if (spec.must_be_register) words = call("in_register", words);
    if (spec.direction == Direction::written) words = call("out", words);
    if (spec.direction == Direction::written_or_sink) words = call("out_or_sink", words);
    if (spec.has_predicate) words = call("with_predicate", words);
    return spec.is_optional ? call("optional", words) : words;
}

}  // namespace warpsim::isa
