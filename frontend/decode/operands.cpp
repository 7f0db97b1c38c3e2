#include "frontend/decode/decoder.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;
using OperandKind = ir::Operand::Kind;

std::span<Node const> after(std::span<Node const> nodes) { return nodes.subspan(nodes[0].size); }
std::span<Node const> children(std::span<Node const> nodes) { return nodes.subspan(1, nodes[0].size - 1); }

bool fail(Decoder& decoder, Node const& node, std::string message) {
    decoder.diagnostics.error(node.text, std::move(message));
    return false;
}

// ---- registers -----------------------------------------------------------------------------------------------

bool is_bits(Type type) { return isa::is_untyped(type) || type == Type::f16x2; }

bool append_register(Decoder& decoder, Node const& node, std::uint32_t index, Type type, Wanted const& wanted) {
    bool const is_mapped = decoder.module.maps_f64 && type == Type::f64 && wanted.type == Type::f32;
    // A pair of halves is as good as bits only where the instruction's own type is meant.
    bool const is_pair = wanted.is_implied && type == Type::f16x2 && isa::is_integer(wanted.type);
    bool const fits = !is_pair && (!wanted.must_be_untyped || isa::is_untyped(type)) && agrees(type, wanted.type, wanted.is_relaxed);
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

// ---- names ---------------------------------------------------------------------------------------------------

/// The element that a selector names: x y z w or r g b a.
int element_of(char selector) {
    std::size_t at = std::string_view("xyzw").find(selector);
    if (at == std::string_view::npos) at = std::string_view("rgba").find(selector);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// `v.x`: an element of a vector register.
bool decode_element(Decoder& decoder, Node const& node, Wanted const& wanted, bool& is_element) {
    is_element = node.text.size() > 2 && node.text[node.text.size() - 2] == '.';
    if (!is_element) return false;
    Found const found = decoder.symbols.find(node.text.substr(0, node.text.size() - 2));
    is_element = found && found.symbol->kind == Symbol::Kind::register_vector;
    if (!is_element) return false;
    int const element = element_of(node.text.back());
    if (element < 0) {
        return fail(decoder, node,
                    quoted(found.symbol->name) + " has no element " +
                        quoted(node.text.substr(node.text.size() - 2)));
    }
    if (static_cast<std::uint32_t>(element) >= found.symbol->count) {
        decoder.diagnostics.warning(node.text, quoted(found.symbol->name) + " has " + std::to_string(found.symbol->count) +
                                                   " elements; the value of " + quoted(node.text) + " is undefined");
        std::uint32_t const other = add_registers(decoder, node.text, found.symbol->type, 1, false);
        return append_register(decoder, node, other, found.symbol->type, wanted);
    }
    return append_register(decoder, node, found.index + static_cast<std::uint32_t>(element), found.symbol->type,
                           wanted);
}

/// `%r1.b0`: a part of a register, for video instructions. The selector's characters are the operand's value.
bool decode_selected(Decoder& decoder, Node const& node, Wanted const& wanted, bool& is_selected) {
    std::size_t const dot = node.text.rfind('.');
    is_selected = wanted.selectable != 0 && dot != std::string_view::npos;
    if (!is_selected) return false;
    std::string_view const selector = node.text.substr(dot + 1);
    Found const found = decoder.symbols.find(node.text.substr(0, dot));
    is_selected = found && (found.symbol->kind == Symbol::Kind::reg || found.symbol->kind == Symbol::Kind::register_range);
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
    if (!wanted.can_be_special) return fail(decoder, node, "a special register can only be read by mov");
    ir::Module const& module = decoder.module;
    if (special.since.version > module.version || (module.target_sm != 0 && special.since.target > module.target_sm)) {
        return fail(decoder, node,
                    quoted(node.text) + " needs PTX version " + std::to_string(special.since.version / 10) + "." +
                        std::to_string(special.since.version % 10) + " and target sm_" +
                        std::to_string(special.since.target) + " or higher");
    }
    bool const is_wide = isa::width(special.type) == 64;
    int const width = isa::width(wanted.type);
    bool const is_predicate = special.type == Type::pred && wanted.type == Type::pred;
    // %gridid was 16 and then 32 bits wide in older PTX.
    bool const is_grid = special.reg == ir::SpecialRegister::gridid;
    bool const fits =
        is_predicate || (special.type != Type::pred && wanted.type != Type::pred && !isa::is_float(wanted.type) &&
                         (width == isa::width(special.type) || (special.can_be_16_bits && width == 16) ||
                          (is_grid && width == 32)));
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

bool is_variable(Symbol const& symbol) {
    return symbol.kind == Symbol::Kind::module_variable || symbol.kind == Symbol::Kind::function_variable ||
           symbol.kind == Symbol::Kind::variable_range;
}
bool is_of_module(Symbol const& symbol) {
    return symbol.kind == Symbol::Kind::module_variable ||
           (symbol.kind == Symbol::Kind::variable_range && symbol.is_of_module);
}
ir::Variable const& variable_of(Decoder& decoder, Found const& found) {
    return is_of_module(*found.symbol) ? decoder.module.variables[found.index]
                                       : decoder.function().variables[found.index];
}

bool is_address_type(Type type) {
    return type == Type::none ||
           (isa::width(type) >= 8 && isa::width(type) <= 64 && (isa::is_integer(type) || isa::is_untyped(type)));
}

bool append_symbol(Decoder& decoder, Node const& node, Found const& found, std::int64_t value,
                   Wanted const& wanted) {
    bool const is_function = found.symbol->kind == Symbol::Kind::function;
    if (!wanted.can_be_symbol) {
        fail(decoder, node,
             quoted(node.text) + (is_function ? " is a function" : " is a variable in memory") +
                 (wanted.is_destination ? "; a register is wanted here" : "; a register or constant is wanted here"));
        note_declaration(decoder, node.text);
        return false;
    }
    if (!is_address_type(wanted.type)) {
        return fail(decoder, node,
                    "type mismatch: " + quoted(node.text) + " is an address, the operand is " +
                        type_text(wanted.type));
    }
    ir::Operand& operand = append(decoder, is_function ? OperandKind::function : OperandKind::symbol, wanted.type);
    operand.index = found.index;
    operand.value = value;
    operand.is_module_variable = !is_function && is_of_module(*found.symbol);
    return true;
}

/// A vector register stands for a list of its elements.
bool append_vector_register(Decoder& decoder, Node const& node, Found const& found, Wanted const& wanted) {
    if (wanted.vector != 0 && wanted.vector != found.symbol->count) {
        fail(decoder, node,
             quoted(node.text) + " has " + std::to_string(found.symbol->count) + " elements; " +
                 (wanted.vector == 1 ? "name one, as " + quoted(std::string(node.text) + ".x")
                                     : std::to_string(wanted.vector) + " are wanted"));
        note_declaration(decoder, node.text);
        return false;
    }
    append(decoder, OperandKind::vector, wanted.type).count = static_cast<std::uint16_t>(found.symbol->count);
    for (std::uint32_t i = 0; i < found.symbol->count; ++i) {
        if (!append_register(decoder, node, found.index + i, found.symbol->type, wanted)) return false;
    }
    return true;
}

bool decode_constant(Decoder& decoder, Node const& node, Constant value, Wanted const& wanted);

bool decode_name(Decoder& decoder, Node const& node, Wanted const& wanted) {
    if (Found const found = decoder.symbols.find(node.text)) {
        switch (found.symbol->kind) {
            case Symbol::Kind::reg:
            case Symbol::Kind::register_range:
                if (node.minus && !wanted.can_be_minus) return fail(decoder, node, "a register cannot have a sign");
                return append_register(decoder, node, found.index, found.symbol->type, wanted);
            case Symbol::Kind::register_vector: return append_vector_register(decoder, node, found, wanted);
            case Symbol::Kind::module_variable:
            case Symbol::Kind::function_variable:
            case Symbol::Kind::variable_range:
            case Symbol::Kind::function:
                if (node.minus) return fail(decoder, node, "an address cannot have a sign");
                return append_symbol(decoder, node, found, 0, wanted);
            default:
                return fail(decoder, node,
                            quoted(node.text) + " is a label; a register or constant is wanted here");
        }
    }
    if (node.text == "_") {
        if (wanted.is_packed_source) {  // the bits of an element left out are zero here
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

/// Whether registers of these types can be elements of one list; none: not a register.
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
    element.can_be_sink = wanted.is_destination || wanted.can_be_sink;
    Type first = Type::none;
    for (auto rest = children(nodes); !rest.empty(); rest = after(rest)) {
        decoder.last_register = Type::none;
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
    decoder.function().operands[at].count = static_cast<std::uint16_t>(count);
    return true;
}

// ---- addresses -----------------------------------------------------------------------------------------------

/// The offset that the terms after the base add up to.
bool add_offsets(Decoder& decoder, std::span<Node const> terms, std::int64_t& offset) {
    for (; !terms.empty() && terms[0].separator != ','; terms = after(terms)) {
        Node const& term = terms[0];
        if (term.separator == '-') {
            return fail(decoder, term, "an offset is added: write '+-" + std::string(term.text) + "'");
        }
        std::optional<Constant> value;
        if (term.kind == NodeKind::name && term.text == "WARP_SZ")
            value = Constant{Constant::Kind::s64, isa::warp_size};
        else if (term.kind != NodeKind::literal && term.kind != NodeKind::expression) {
            return fail(decoder, term, "an offset in an address must be a constant");
        } else {
            value = constant_of(decoder, term);
        }
        if (!value) return false;
        if (!value->is_integer()) return fail(decoder, term, "an offset in an address must be an integer");
        auto const bits = term.minus ? 0 - value->bits : value->bits;
        offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + bits);
    }
    return true;
}

/// Bytes from one element of an array to the next: an index counts elements.
std::int64_t element_bytes(Found const& variable) {
    bool const is_range = variable.symbol->kind == Symbol::Kind::variable_range;
    return isa::width(variable.symbol->type) / 8 * static_cast<int>(is_range ? 1 : variable.symbol->count);
}

bool same_space(isa::StateSpace wanted, isa::StateSpace actual) {
    using isa::StateSpace;
    switch (wanted) {
        case StateSpace::shared_cluster: return actual == StateSpace::shared;
        case StateSpace::param_entry:
        case StateSpace::param_func: return actual == StateSpace::param;
        default: return wanted == actual;
    }
}

bool check_space(Decoder& decoder, Node const& node, isa::StateSpace space, isa::StateSpace actual) {
    // A name stands for an address in its own space; those of constants and parameters are no generic ones.
    bool const is_generic = actual != isa::StateSpace::constant && actual != isa::StateSpace::param;
    if (space == isa::StateSpace::generic && !is_generic) {
        fail(decoder, node, quoted(node.text) + " is in ." + std::string(isa::name(actual)) +
                                ", the instruction takes a generic address");
        note_declaration(decoder, node.text);
        return false;
    }
    if (space == isa::StateSpace::generic || same_space(space, actual)) return true;
    fail(decoder, node,
         quoted(node.text) + " is in ." + std::string(isa::name(actual)) + ", the instruction accesses ." +
             std::string(isa::name(space)));
    note_declaration(decoder, node.text);
    return false;
}

bool set_base(Decoder& decoder, Node const& node, isa::StateSpace space, ir::Operand& address) {
    using Base = ir::Operand::AddressBase;
    Found found = decoder.symbols.find(node.text);
    if (!found && node.text.size() > 2 && node.text[node.text.size() - 2] == '.') {
        found = decoder.symbols.find(node.text.substr(0, node.text.size() - 2));
        int const element = element_of(node.text.back());
        bool const is_element = found && found.symbol->kind == Symbol::Kind::register_vector && element >= 0 &&
                                static_cast<std::uint32_t>(element) < found.symbol->count;
        if (is_element) found.index += static_cast<std::uint32_t>(element);
        else found = {};
    } else if (found && found.symbol->kind == Symbol::Kind::register_vector) {
        return fail(decoder, node, quoted(node.text) + " is a vector, not an address");
    }
    if (!found) {
        report_unknown(decoder, node.text, "register or variable");
        return false;
    }
    if (is_variable(*found.symbol)) {
        ir::Variable const& variable = variable_of(decoder, found);
        if (!check_space(decoder, node, space, variable.space)) return false;
        address.is_module_variable = is_of_module(*found.symbol);
        address.base = address.is_module_variable ? Base::module_variable : Base::function_variable;
    } else if (found.symbol->kind == Symbol::Kind::reg || found.symbol->kind == Symbol::Kind::register_range ||
               found.symbol->kind == Symbol::Kind::register_vector) {
        if (!is_address_type(found.symbol->type)) {
            fail(decoder, node,
                 quoted(node.text) + " is " + type_text(found.symbol->type) +
                     "; an address is an integer of 16 to 64 bits");
            note_declaration(decoder, node.text);
            return false;
        }
        address.base = Base::reg;
        decoder.address_register = found.symbol->type;
    } else {
        return fail(decoder, node, quoted(node.text) + " is not an address");
    }
    address.index = found.index;
    return true;
}

// ---- a[%r] ---------------------------------------------------------------------------------------------------

ir::Operand made_operand(OperandKind kind, Type type, std::uint32_t index, std::int64_t value = 0) {
    ir::Operand operand;
    operand.kind = kind;
    operand.type = type;
    operand.index = index;
    operand.value = value;
    return operand;
}

void add_pending(Decoder& decoder, std::string_view mnemonic, std::string_view where,
                 std::vector<ir::Operand> operands) {
    auto const shapes = decoder.mnemonics.shapes(mnemonic);
    if (shapes.empty()) return;
    PendingInstruction made;
    made.instruction.form = shapes[0].form;
    made.instruction.span = decoder.diagnostics.source().span(where);
    made.instruction.location = decoder.body->location;
    made.operands = std::move(operands);
    decoder.body->pending.push_back(std::move(made));
}

/// `a[%r+n]` is the address a + n * size, computed into a register of its own, plus the index times the size.
bool decode_indexed(Decoder& decoder, std::span<Node const> nodes, Found const& variable, ir::Operand address) {
    auto const terms = children(nodes);
    Found const index = decoder.symbols.find(terms[0].text);
    bool const is_register =
        index && (index.symbol->kind == Symbol::Kind::reg || index.symbol->kind == Symbol::Kind::register_range);
    if (!is_register || !is_variable(*variable.symbol)) {
        if (!index) report_unknown(decoder, terms[0].text, "register");
        else fail(decoder, nodes[0], "an index is a register or a constant, of an array in memory");
        return false;
    }
    Type const type = index.symbol->type;
    int const width = isa::width(type);
    if ((width != 32 && width != 64) || isa::is_float(type)) {
        return fail(decoder, terms[0],
                    "an index is an integer of 32 or 64 bits; " + quoted(terms[0].text) + " is " +
                        type_text(type));
    }
    std::int64_t offset = 0;
    if (!add_offsets(decoder, after(terms), offset)) return false;
    std::int64_t const scale = element_bytes(variable);
    std::uint32_t const base = add_registers(decoder, nodes[0].text, Type::u64, 1, false);
    std::uint32_t const sum = add_registers(decoder, nodes[0].text, Type::u64, 1, false);
    ir::Operand symbol = made_operand(OperandKind::symbol, Type::u64, address.index, offset * scale);
    symbol.is_module_variable = address.is_module_variable;
    add_pending(decoder, "mov.u64", nodes[0].text, {made_operand(OperandKind::reg, Type::u64, base), symbol});
    Type const factor = width == 64 ? Type::u64 : isa::is_signed(type) ? Type::s32 : Type::u32;
    std::string_view const multiply = width == 64            ? "mad.lo.u64"
                                      : isa::is_signed(type) ? "mad.wide.s32"
                                                             : "mad.wide.u32";
    Type const wide = factor == Type::s32 ? Type::s64 : Type::u64;
    add_pending(decoder, multiply, nodes[0].text,
                {made_operand(OperandKind::reg, wide, sum), made_operand(OperandKind::reg, factor, index.index),
                 made_operand(OperandKind::immediate, factor, ir::none, scale),
                 made_operand(OperandKind::reg, wide, base)});
    address.base = ir::Operand::AddressBase::reg;
    address.is_module_variable = false;
    decoder.address_register = Type::u64;
    address.index = sum;
    address.value = 0;
    decoder.function().operands.push_back(address);
    return true;
}

/// `v+4` is a number wherever one may stand, though `v` alone is not: moved to a register of its own.
bool append_sum(Decoder& decoder, Node const& node, Found const& variable, std::int64_t offset, Wanted const& wanted) {
    Type const type = isa::width(wanted.type) == 64 ? Type::u64 : Type::u32;
    std::uint32_t const sum = add_registers(decoder, node.text, type, 1, false);
    ir::Operand symbol = made_operand(OperandKind::symbol, type, variable.index, offset);
    symbol.is_module_variable = is_of_module(*variable.symbol);
    add_pending(decoder, type == Type::u64 ? "mov.u64" : "mov.u32", node.text,
                {made_operand(OperandKind::reg, type, sum), symbol});
    append(decoder, OperandKind::reg, wanted.type).index = sum;
    return true;
}

}  // namespace

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
    bool const is_number = node.kind == NodeKind::literal || node.kind == NodeKind::expression || node.text == "WARP_SZ";
    if (wanted.must_be_register && is_number)
        return fail(decoder, node, "a register is wanted here");
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
        case NodeKind::address: return fail(decoder, node, "an address cannot stand here");
        case NodeKind::sum:
        case NodeKind::indexed: {
            auto const terms = node.kind == NodeKind::sum ? children(nodes) : nodes;
            Found const found = decoder.symbols.find(terms[0].text);
            if (!found || !is_variable(*found.symbol)) {
                if (!found) report_unknown(decoder, terms[0].text, "variable");
                else fail(decoder, node, "an operand is a register, a constant or the address of a variable");
                return false;
            }
            std::int64_t offset = 0;
            auto const rest = node.kind == NodeKind::sum ? after(terms) : children(nodes);
            if (!add_offsets(decoder, rest, offset)) return false;
            if (node.kind == NodeKind::indexed) offset *= element_bytes(found);
            int const width = isa::width(wanted.type);
            bool const takes_number = (width == 32 || width == 64) && (isa::is_integer(wanted.type) || isa::is_untyped(wanted.type));
            if (!wanted.can_be_symbol && !wanted.is_destination && !wanted.must_be_constant && takes_number)
                return append_sum(decoder, terms[0], found, offset, wanted);
            return append_symbol(decoder, terms[0], found, offset, wanted);
        }
        default: return fail(decoder, node, "this cannot be an operand here");
    }
}

namespace {

/// As the handle of a sampler and the coordinates of a tensor: they follow as operands of their own.
bool decode_parts(Decoder& decoder, Node const& address, std::span<Node const> nodes,
                  std::span<AddressPart const> parts) {
    for (auto const& [length, type, is_optional, can_be_longer, has_index] : parts) {
        if (is_optional && (nodes.empty() || nodes[0].kind == NodeKind::vector)) continue;
        if (nodes.empty()) return fail(decoder, address, "this address needs another part");
        if (is_optional && !decoder.has_samplers) {
            Found const found = decoder.symbols.find(nodes[0].text);
            if (found && is_variable(*found.symbol))
                return fail(decoder, nodes[0], "a sampler of its own needs '.target texmode_independent'");
        }
        if (length > 0 && nodes[0].kind != NodeKind::vector && nodes[0].kind != NodeKind::name) {
            return fail(decoder, nodes[0], "a list of " + std::to_string(length) + " is wanted here");
        }
        if (length == 0 && nodes[0].kind == NodeKind::vector) {
            return fail(decoder, nodes[0], "a list cannot stand here");
        }
        std::size_t const at = decoder.function().operands.size();
        unsigned const wanted = can_be_longer ? 0 : length == 0 ? 1 : length;
        if (!decode_operand(decoder, nodes, {.type = type, .can_be_symbol = length == 0, .vector = wanted, .has_index = has_index}))
            return false;
        unsigned const count = decoder.function().operands[at].count;
        if (can_be_longer && (count < length || count > 4 || count == 3)) {
            return fail(decoder, nodes[0], "a list of " + std::to_string(length) + " is wanted here");
        }
        nodes = after(nodes);
    }
    return nodes.empty() || fail(decoder, nodes[0], "this address has no such part");
}

}  // namespace

bool decode_bare_address(Decoder& decoder, Node const& node, Type type, isa::StateSpace space) {
    ir::Operand address;
    address.kind = OperandKind::address;
    address.type = type;
    Found const found = decoder.symbols.find(node.text);
    bool const is_register =
        found && (found.symbol->kind == Symbol::Kind::reg || found.symbol->kind == Symbol::Kind::register_range);
    if (is_register && isa::is_float(found.symbol->type)) {  // their bits are the address
        address.base = ir::Operand::AddressBase::reg;
        address.index = found.index;
        decoder.address_register = found.symbol->type;
    } else if (!set_base(decoder, node, space, address)) {
        return false;
    }
    decoder.function().operands.push_back(address);
    return true;
}

bool decode_address(Decoder& decoder, std::span<Node const> nodes, Type type, isa::StateSpace space,
                    std::span<AddressPart const> parts) {
    Node const& node = nodes[0];
    ir::Operand address;
    address.kind = OperandKind::address;
    address.type = type;
    auto terms = children(nodes);
    std::int64_t scale = 1;
    if (node.kind == NodeKind::indexed) {
        if (!set_base(decoder, node, space, address)) return false;
        Found const found = decoder.symbols.find(node.text);
        scale = is_variable(*found.symbol) ? element_bytes(found) : 1;
        if (!terms.empty() && terms[0].kind == NodeKind::name && terms[0].text != "WARP_SZ") {
            return decode_indexed(decoder, nodes, found, address);
        }
    } else if (node.kind != NodeKind::address) {
        return fail(decoder, node, "an address in brackets is wanted here, as [%rd1+4]");
    } else if (terms.empty()) {
        return fail(decoder, node, "an empty address");
    } else if (terms[0].kind == NodeKind::name && terms[0].text != "WARP_SZ") {
        if (terms[0].minus || terms[0].negated) return fail(decoder, terms[0], "an address cannot have a sign");
        if (!set_base(decoder, terms[0], space, address)) return false;
        terms = after(terms);
    }
    if (!add_offsets(decoder, terms, address.value)) return false;
    address.value *= scale;
    decoder.function().operands.push_back(address);
    while (!terms.empty() && terms[0].separator != ',') terms = after(terms);
    return decode_parts(decoder, node, terms, parts);
}

}  // namespace warpsim::frontend
