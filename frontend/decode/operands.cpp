#include "frontend/decode/operands.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;
using OperandKind = ir::Operand::Kind;

// ---- registers -----------------------------------------------------------------------------------------------

bool is_bits(Type type) { return isa::is_untyped(type) || type == Type::f16x2; }

// ---- names ---------------------------------------------------------------------------------------------------

/// `v.x`: an element of a vector register.
bool decode_element(Decoder& decoder, Node const& node, Wanted const& wanted, bool& is_element) {
    is_element = node.text.size() > 2 && node.text[node.text.size() - 2] == '.';
    if (!is_element) return false;
    std::string_view const vector = node.text.substr(0, node.text.size() - 2);
    Found const found = decoder.symbols.find(vector);
    is_element = found && is_vector_register(*found.symbol);
    if (!is_element) return false;
    int const element = element_of(node.text.back());
    if (element < 0) {
        return fail(decoder, node,
                    quoted(vector) + " has no element " + quoted(node.text.substr(node.text.size() - 2)));
    }
    if (static_cast<std::uint32_t>(element) >= found.symbol->vector) {
        decoder.diagnostics.warning(node.text, quoted(vector) + " has " + std::to_string(found.symbol->vector) +
                                                   " elements; the value of " + quoted(node.text) +
                                                   " is undefined");
        std::uint32_t const other = add_registers(decoder, node.text, found.symbol->type);
        return append_register(decoder, node, other, found.symbol->type, wanted);
    }
    return append_register(decoder, node, found.index + static_cast<std::uint32_t>(element), found.symbol->type,
                           wanted);
}

/// `%r1.b0`: a part of a register, for video instructions. The operand's value is the selector's characters.
bool decode_selected(Decoder& decoder, Node const& node, Wanted const& wanted, bool& is_selected) {
    std::size_t const dot = node.text.rfind('.');
    is_selected = wanted.selectable != 0 && dot != std::string_view::npos;
    if (!is_selected) return false;
    std::string_view const selector = node.text.substr(dot + 1);
    Found const found = decoder.symbols.find(node.text.substr(0, dot));
    is_selected = found && is_scalar_register(*found.symbol);
    if (!is_selected) return false;
    if (!isa::is_video_selector(selector, wanted.selectable, wanted.is_destination)) {
        return fail(decoder, node, quoted(selector) + " does not select a part of this operand");
    }
    if (node.minus && !wanted.can_be_minus) return fail(decoder, node, "a register cannot have a sign");
    if (!append_register(decoder, node, found.index, found.symbol->type, wanted)) return false;
    decoder.function().operands.back().value = ir::selector_value(selector);
    return true;
}

bool decode_special(Decoder& decoder, Node const& node, SpecialName const& special, Wanted const& wanted) {
    if (wanted.is_destination) return fail(decoder, node, quoted(node.text) + " cannot be written");
    if (!wanted.can_be_special)
        return fail(decoder, node, "a special register can only be read by mov, and by cvt between integers");
    ir::Module const& module = decoder.module;
    if (special.since.version > module.version ||
        (module.target_sm != 0 && special.since.target > module.target_sm)) {
        return fail(decoder, node,
                    quoted(node.text) + " needs PTX version " + std::to_string(special.since.version / 10) + "." +
                        std::to_string(special.since.version % 10) + " and target sm_" +
                        std::to_string(special.since.target) + " or higher");
    }
    bool const is_wide = isa::width(special.type) == 64;
    int const width = isa::width(wanted.type);
    bool const is_predicate = special.type == Type::pred && wanted.type == Type::pred;
    // In older PTX %gridid was first 16 and then 32 bits wide.
    bool const is_grid = special.reg == ir::SpecialRegister::gridid;
    bool const fits =
        is_predicate || (special.type != Type::pred && wanted.type != Type::pred && !isa::is_float(wanted.type) &&
                         (width == isa::width(special.type) || (special.can_be_16_bits && width == 16) ||
                          (is_grid && width == 32) || (wanted.is_relaxed && width < isa::width(special.type))));
    if (!fits && wanted.type != Type::none) {
        return fail(decoder, node,
                    "type mismatch: " + quoted(node.text) + " is " + type_text(special.type) +
                        ", the operand is " + type_text(wanted.type));
    }
    unsigned const count = special.is_vector ? 4 : 1;
    if (special.is_vector && wanted.vector != 4) {
        return fail(decoder, node,
                    quoted(node.text) + " is a vector; name a component, as " +
                        quoted(std::string(node.text) + ".x"));
    }
    if (special.is_vector) append(decoder, OperandKind::vector, wanted.type).count = 4;
    Type const type = wanted.type != Type::none ? wanted.type : is_wide ? Type::u64 : Type::u32;
    for (unsigned i = 0; i < count; ++i) {
        ir::Operand& operand = append(decoder, OperandKind::special, type);
        operand.index = static_cast<std::uint32_t>(special.reg);
        operand.value = special.is_vector ? static_cast<int>(i) : special.component;
    }
    return true;
}

/// A vector register stands for a list of its elements.
bool append_vector_register(Decoder& decoder, Node const& node, Found const& found, Wanted const& wanted) {
    if (wanted.vector != 0 && wanted.vector != found.symbol->vector) {
        fail(decoder, node,
             quoted(node.text) + " has " + std::to_string(found.symbol->vector) + " elements; " +
                 (wanted.vector == 1 ? "name one, as " + quoted(std::string(node.text) + ".x")
                                     : std::to_string(wanted.vector) + " are wanted"));
        note_declaration(decoder, node.text);
        return false;
    }
    append(decoder, OperandKind::vector, wanted.type).count = static_cast<std::uint16_t>(found.symbol->vector);
    for (std::uint32_t i = 0; i < found.symbol->vector; ++i) {
        if (!append_register(decoder, node, found.index + i, found.symbol->type, wanted)) return false;
    }
    return true;
}

bool decode_constant(Decoder& decoder, Node const& node, Constant value, Wanted const& wanted);

bool decode_name(Decoder& decoder, Node const& node, Wanted const& wanted) {
    if (Found const found = decoder.symbols.find(node.text)) {
        switch (found.symbol->kind) {
            case Symbol::Kind::reg:
                if (is_vector_register(*found.symbol)) return append_vector_register(decoder, node, found, wanted);
                if (node.minus && !wanted.can_be_minus)
                    return fail(decoder, node, "a register cannot have a sign");
                return append_register(decoder, node, found.index, found.symbol->type, wanted);
            case Symbol::Kind::module_variable:
            case Symbol::Kind::function_variable:
            case Symbol::Kind::function:
                if (node.minus) return fail(decoder, node, "an address cannot have a sign");
                return append_symbol(decoder, node, found, 0, wanted);
            default:
                return fail(decoder, node,
                            quoted(node.text) + " is a label; a register or constant is wanted here");
        }
    }
    if (node.text == "_") {
        if (wanted.is_packed_source) {  // bits of an omitted element are zero in the packed value
            append(decoder, OperandKind::immediate, wanted.type);
            return true;
        }
        if (!wanted.can_be_sink) return fail(decoder, node, "'_' cannot stand here");
        append(decoder, OperandKind::sink, wanted.type);
        return true;
    }
    bool is_selected = false;
    bool const selected = decode_selected(decoder, node, wanted, is_selected);
    if (is_selected) return selected;
    bool is_element = false;
    bool const done = decode_element(decoder, node, wanted, is_element);
    if (is_element) return done;
    if (node.text == "WARP_SZ")
        return decode_constant(decoder, node, {Constant::Kind::s64, isa::warp_size}, wanted);
    if (auto const special = special_register(node.text)) return decode_special(decoder, node, *special, wanted);
    report_unknown(decoder, node.text, "name");
    return false;
}

// ---- constants -----------------------------------------------------------------------------------------------

bool decode_constant(Decoder& decoder, Node const& node, Constant value, Wanted const& wanted) {
    if (wanted.is_destination) return fail(decoder, node, "a constant cannot be written");
    if (node.minus) value = negated(value);
    if (node.negated) {
        if (wanted.type != Type::pred) return fail(decoder, node, "this operand cannot be negated");
        value.bits = value.bits == 0;
    }
    Type const type = wanted.type != Type::none ? wanted.type : value.is_integer() ? Type::b32 : Type::f32;
    auto const bits = bits_as(value, type);
    bool const is_other_width = (type == Type::b32 && value.kind == Constant::Kind::f64) ||
                                (type == Type::b64 && value.kind == Constant::Kind::f32_bits);
    if (is_other_width && !wanted.is_argument) {
        return fail(decoder, node,
                    type == Type::b32
                        ? "a double cannot stand where a .b32 is wanted; write its bits, as 0f3F800000"
                        : "a single cannot stand where a .b64 is wanted; write it as 1.0 or 0d3FF0000000000000");
    }
    if (!bits) {
        bool const is_float = isa::is_float(type) && isa::width(type) >= 32;
        return fail(decoder, node,
                    std::string(value.is_integer() ? "an integer" : "a floating-point number") +
                        " cannot stand where a " + type_text(type) + " is wanted" +
                        (value.is_integer() && is_float ? "; write it as 1.0 or 0f3F800000" : ""));
    }
    append(decoder, OperandKind::immediate, type).value = static_cast<std::int64_t>(*bits);
    return true;
}

/// Whether registers of these types can be elements of the same list; Type::none stands for anything but a
/// register.
bool go_together(Type first, Type type) {
    if (first == type || first == Type::none || type == Type::none) return true;
    if (isa::width(first) != isa::width(type) || first == Type::pred || type == Type::pred) return false;
    return isa::is_untyped(first) || isa::is_untyped(type) || (isa::is_integer(first) && isa::is_integer(type));
}

bool decode_list(Decoder& decoder, std::span<Node const> nodes, Wanted const& wanted) {
    std::size_t const at = decoder.function().operands.size();
    append(decoder, OperandKind::vector, wanted.type);
    unsigned count = 0;
    Wanted element = wanted;
    element.vector = 1;
    element.is_element = true;
    element.can_be_sink = wanted.is_destination || wanted.can_be_sink;
    Type first = Type::none;
    bool is_any_written = !wanted.is_destination;
    for (auto rest = children(nodes); !rest.empty(); rest = after(rest)) {
        decoder.last_register = Type::none;
        is_any_written = is_any_written || rest[0].text != "_";
        bool const is_index = wanted.has_index && count == 0;
        if (is_index) element.type = Type::u32;
        if (!decode_operand(decoder, rest, element)) return false;
        element.type = wanted.type;
        Type const type = decoder.last_register;
        if (!is_index && !go_together(first, type)) {
            return fail(decoder, rest[0],
                        "type mismatch: " + quoted(rest[0].text) + " is " + type_text(type) +
                            ", the list begins with a " + type_text(first));
        }
        if (!is_index && first == Type::none) first = type;
        ++count;
    }
    if (wanted.vector != 0 && count != wanted.vector) {
        return fail(decoder, nodes[0],
                    "a list of " + std::to_string(wanted.vector) + " is wanted here, not of " +
                        std::to_string(count));
    }
    if (count > 0 && !is_any_written) return fail(decoder, nodes[0], "one of the elements must be a register");
    decoder.function().operands[at].count = static_cast<std::uint16_t>(count);
    return true;
}

}  // namespace

bool fail(Decoder& decoder, Node const& node, std::string message) {
    decoder.diagnostics.error(node.text, std::move(message));
    return false;
}

bool append_register(Decoder& decoder, Node const& node, std::uint32_t index, Type type, Wanted const& wanted) {
    bool const is_mapped = decoder.module.maps_f64 && type == Type::f64 && wanted.type == Type::f32;
    // Where the type is not the instruction's own, a pair of halves is not accepted as plain bits.
    bool const is_pair = wanted.is_implied && type == Type::f16x2 && isa::is_integer(wanted.type);
    bool const fits = !is_pair && (!wanted.must_be_untyped || isa::is_untyped(type)) &&
                      agrees(type, wanted.type, wanted.is_relaxed);
    if (wanted.type != Type::none && type != wanted.type && !is_mapped && !fits) {
        fail(decoder, node,
             "type mismatch: " + quoted(node.text) + " is " + type_text(type) + ", the operand is " +
                 type_text(wanted.type));
        note_declaration(decoder, node.text);
        return false;
    }
    if (node.negated && (wanted.is_destination || type != Type::pred)) {
        return fail(decoder, node, "this operand cannot be negated");
    }
    decoder.last_register = type;
    ir::Operand& operand = append(decoder, OperandKind::reg, wanted.type == Type::none ? type : wanted.type);
    operand.index = index;
    operand.negated = node.negated || node.minus;
    return true;
}

int element_of(char selector) {
    std::size_t at = std::string_view("xyzw").find(selector);
    if (at == std::string_view::npos) at = std::string_view("rgba").find(selector);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

bool is_address_type(Type type) {
    return type == Type::none ||
           (isa::width(type) >= 8 && isa::width(type) <= 64 && (isa::is_integer(type) || isa::is_untyped(type)));
}

std::optional<Constant> constant_of(Decoder& decoder, Node const& node) {
    if (node.kind == NodeKind::literal) {
        auto const value = parse_literal(node.text);
        if (!value) decoder.diagnostics.error(node.text, quoted(node.text) + " is not a number");
        return value;
    }
    Evaluated const result = evaluate(decoder.tree.token_range(node.tokens));
    if (!result.value) decoder.diagnostics.error(result.where.empty() ? node.text : result.where, result.message);
    return result.value;
}

bool append_symbol(Decoder& decoder, Node const& node, Found const& found, std::int64_t value,
                   Wanted const& wanted) {
    bool const is_function = found.symbol->kind == Symbol::Kind::function;
    if (!wanted.can_be_symbol) {
        fail(decoder, node,
             quoted(node.text) + (is_function ? " is a function" : " is a variable in memory") +
                 (wanted.is_destination ? "; a register is wanted here"
                                        : "; a register or constant is wanted here"));
        note_declaration(decoder, node.text);
        return false;
    }
    if (!is_address_type(wanted.type)) {
        return fail(decoder, node,
                    "type mismatch: " + quoted(node.text) + " is an address, the operand is " +
                        type_text(wanted.type));
    }
    if (is_function) {
        bool const is_kernel = decoder.module.functions[found.index].is_entry;
        require(decoder, node.text, is_kernel ? "the address of a kernel" : "the address of a function",
                is_kernel ? 31 : 21, is_kernel ? 35 : 20);
    }
    ir::Operand& operand = append(decoder, is_function ? OperandKind::function : OperandKind::symbol, wanted.type);
    operand.index = found.index;
    operand.value = value;
    operand.is_module_variable = !is_function && found.symbol->kind == Symbol::Kind::module_variable;
    return true;
}

ir::Operand& append(Decoder& decoder, OperandKind kind, Type type) {
    ir::Operand& operand = decoder.function().operands.emplace_back();
    operand.kind = kind;
    operand.type = type;
    return operand;
}

bool agrees(Type reg, Type wanted, bool is_relaxed) {
    if (reg == wanted) return true;
    if (reg == Type::pred || wanted == Type::pred) return false;
    int const have = isa::width(reg);
    int const want = isa::width(wanted);
    if (have < want || (have > want && !is_relaxed)) return false;
    if (have > want)
        return is_bits(reg) || isa::is_untyped(wanted) || (isa::is_integer(reg) && isa::is_integer(wanted));
    if (is_bits(reg)) return !(reg == Type::f16x2 && wanted == Type::f32);
    if (isa::is_untyped(wanted)) return true;
    return isa::is_integer(reg) && isa::is_integer(wanted) && !lives_in_bits(wanted);
}

bool decode_operand(Decoder& decoder, std::span<Node const> nodes, Wanted const& wanted) {
    Node const& node = nodes[0];
    bool const is_number =
        node.kind == NodeKind::literal || node.kind == NodeKind::expression || node.text == "WARP_SZ";
    if (wanted.must_be_register && is_number) return fail(decoder, node, "a register is wanted here");
    if (wanted.must_be_constant && node.kind != NodeKind::literal && node.kind != NodeKind::expression &&
        node.kind != NodeKind::vector && node.text != "WARP_SZ") {
        return fail(decoder, node, "a constant is wanted here");
    }
    switch (node.kind) {
        case NodeKind::name: return decode_name(decoder, node, wanted);
        case NodeKind::literal:
        case NodeKind::expression: {
            auto const value = constant_of(decoder, node);
            return value && decode_constant(decoder, node, *value, wanted);
        }
        case NodeKind::vector: return decode_list(decoder, nodes, wanted);
        case NodeKind::address:
            return fail(decoder, node,
                        wanted.is_destination ? "an address cannot stand here; a register takes the result"
                                              : "an address cannot stand here");
        case NodeKind::sum:
        case NodeKind::indexed: return decode_sum(decoder, nodes, wanted);
        default: return fail(decoder, node, "this cannot be an operand here");
    }
}

}  // namespace warpsim::frontend
