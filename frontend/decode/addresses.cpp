// Addresses in brackets, and the similar sums and array elements that stand for a number.
#include "frontend/decode/operands.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;
using OperandKind = ir::Operand::Kind;

ir::Variable const& variable_of(Decoder& decoder, Found const& found) {
    return found.symbol->kind == Symbol::Kind::module_variable ? decoder.module.variables[found.index]
                                                               : decoder.function().variables[found.index];
}

/// Adds up the terms after the base to one offset.
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

/// Distance in bytes between neighbouring elements of an array: an index counts elements.
std::int64_t element_bytes(Found const& variable) {
    return isa::width(variable.symbol->type) / 8 * static_cast<int>(variable.symbol->vector);
}

/// Only an array has elements.
bool check_array(Decoder& decoder, Node const& node, Found const& found) {
    if (is_variable(*found.symbol) && variable_of(decoder, found).is_array) return true;
    fail(decoder, node, quoted(node.text) + " is no array");
    note_declaration(decoder, node.text);
    return false;
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
    // A name stands for an address in its own space; addresses of constants and parameters are not generic ones.
    bool const is_generic = actual != isa::StateSpace::constant && actual != isa::StateSpace::param;
    if (space == isa::StateSpace::generic && !is_generic) {
        fail(decoder, node,
             quoted(node.text) + " is in ." + std::string(isa::name(actual)) +
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
        bool const is_element = found && is_vector_register(*found.symbol) && element >= 0 &&
                                static_cast<std::uint32_t>(element) < found.symbol->vector;
        if (is_element) found.index += static_cast<std::uint32_t>(element);
        else found = {};
    } else if (found && is_vector_register(*found.symbol)) {
        return fail(decoder, node, quoted(node.text) + " is a vector, not an address");
    }
    if (!found) {
        report_unknown(decoder, node.text, "register or variable");
        return false;
    }
    if (is_variable(*found.symbol)) {
        ir::Variable const& variable = variable_of(decoder, found);
        if (!check_space(decoder, node, space, variable.space)) return false;
        address.is_module_variable = found.symbol->kind == Symbol::Kind::module_variable;
        address.base = address.is_module_variable ? Base::module_variable : Base::function_variable;
    } else if (found.symbol->kind == Symbol::Kind::reg) {
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

/// `a[%r+n]` is the address a + n * size plus the index times the size, computed into a register of its own.
bool decode_indexed(Decoder& decoder, std::span<Node const> nodes, Found const& variable, ir::Operand address) {
    auto const terms = children(nodes);
    Found const index = decoder.symbols.find(terms[0].text);
    if (!index) {
        report_unknown(decoder, terms[0].text, "register");
        return false;
    }
    if (!is_scalar_register(*index.symbol))
        return fail(decoder, nodes[0], "an index is a register or a constant, of an array in memory");
    Type type = index.symbol->type;
    int width = isa::width(type);
    if ((width != 16 && width != 32 && width != 64) || isa::is_float(type)) {
        return fail(decoder, terms[0],
                    "an index is an integer of 16 to 64 bits; " + quoted(terms[0].text) + " is " +
                        type_text(type));
    }
    std::uint32_t number = index.index;
    if (width == 16) {
        Type const wider = isa::is_signed(type) ? Type::s32 : Type::u32;
        Type const narrow = isa::is_signed(type) ? Type::s16 : Type::u16;
        number = add_registers(decoder, nodes[0].text, wider);
        add_pending(
            decoder, isa::is_signed(type) ? "cvt.s32.s16" : "cvt.u32.u16", nodes[0].text,
            {made_operand(OperandKind::reg, wider, number), made_operand(OperandKind::reg, narrow, index.index)});
        type = wider;
        width = 32;
    }
    std::int64_t offset = 0;
    if (!add_offsets(decoder, after(terms), offset)) return false;
    std::int64_t const scale = element_bytes(variable);
    std::uint32_t const base = add_registers(decoder, nodes[0].text, Type::u64);
    std::uint32_t const sum = add_registers(decoder, nodes[0].text, Type::u64);
    ir::Operand symbol = made_operand(OperandKind::symbol, Type::u64, address.index, offset * scale);
    symbol.is_module_variable = address.is_module_variable;
    add_pending(decoder, "mov.u64", nodes[0].text, {made_operand(OperandKind::reg, Type::u64, base), symbol});
    Type const factor = width == 64 ? Type::u64 : isa::is_signed(type) ? Type::s32 : Type::u32;
    std::string_view const multiply = width == 64            ? "mad.lo.u64"
                                      : isa::is_signed(type) ? "mad.wide.s32"
                                                             : "mad.wide.u32";
    Type const wide = factor == Type::s32 ? Type::s64 : Type::u64;
    add_pending(decoder, multiply, nodes[0].text,
                {made_operand(OperandKind::reg, wide, sum), made_operand(OperandKind::reg, factor, number),
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

/// `v+4` may stand wherever a number may, though `v` alone may not: it is moved to a register of its own.
bool append_sum(Decoder& decoder, Node const& node, Found const& variable, std::int64_t offset,
                Wanted const& wanted) {
    Type const type = isa::width(wanted.type) == 64 ? Type::u64 : Type::u32;
    std::uint32_t const sum = add_registers(decoder, node.text, type);
    ir::Operand symbol = made_operand(OperandKind::symbol, type, variable.index, offset);
    symbol.is_module_variable = variable.symbol->kind == Symbol::Kind::module_variable;
    add_pending(decoder, type == Type::u64 ? "mov.u64" : "mov.u32", node.text,
                {made_operand(OperandKind::reg, type, sum), symbol});
    append(decoder, OperandKind::reg, wanted.type).index = sum;
    return true;
}

/// `r+4` as a source is the register's sum, in its own type, in a register of its own.
bool decode_register_sum(Decoder& decoder, std::span<Node const> nodes, Found const& found, Wanted const& wanted) {
    Node const& node = nodes[0];
    Type const type = found.symbol->type;
    int const width = isa::width(type);
    bool const is_number = width >= 16 && width <= 64 && (isa::is_integer(type) || isa::is_untyped(type));
    if (wanted.is_destination) return fail(decoder, node, "a sum cannot be written");
    if (wanted.is_argument || wanted.is_element) return fail(decoder, node, "a sum cannot stand in a list");
    if (!is_number) return fail(decoder, node, "a number is added to an integer register of 16 to 64 bits");
    auto const terms = children(nodes);
    std::int64_t offset = 0;
    if (!add_offsets(decoder, after(terms), offset)) return false;
    if (width < 64) offset &= (std::int64_t{1} << width) - 1;
    Type const plain = width == 64 ? Type::u64 : width == 32 ? Type::u32 : Type::u16;
    std::string_view const mnemonic = width == 64 ? "add.u64" : width == 32 ? "add.u32" : "add.u16";
    std::uint32_t const sum = add_registers(decoder, node.text, type);
    add_pending(decoder, mnemonic, node.text,
                {made_operand(OperandKind::reg, plain, sum), made_operand(OperandKind::reg, plain, found.index),
                 made_operand(OperandKind::immediate, plain, ir::none, offset)});
    return append_register(decoder, terms[0], sum, type, wanted);
}

/// The further parts of an address, such as a sampler's handle or a tensor's coordinates, become separate
/// operands.
bool decode_parts(Decoder& decoder, Node const& address, std::span<Node const> nodes,
                  std::span<isa::OperandSpec const> parts) {
    for (isa::OperandSpec const& part : parts) {
        unsigned const length = part.length;
        // What stands alone is the coordinate of a line, not a sampler.
        bool const is_coordinate = !nodes.empty() && &part != &parts.back() && after(nodes).empty();
        if (part.is_optional && (nodes.empty() || nodes[0].kind == NodeKind::vector || is_coordinate)) continue;
        if (nodes.empty()) return fail(decoder, address, "this address needs another part");
        if (part.is_optional && !decoder.has_samplers) {
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
        unsigned const wanted = part.can_be_longer ? 0 : length == 0 ? 1 : length;
        if (!decode_operand(
                decoder, nodes,
                {.type = part.type, .can_be_symbol = length == 0, .vector = wanted, .has_index = part.has_index}))
            return false;
        // A register stands for a list of itself.
        unsigned const count = std::max<unsigned>(decoder.function().operands[at].count, 1);
        if (part.can_be_longer && (count < length || count > 4 || count == 3)) {
            return fail(decoder, nodes[0], "a list of " + std::to_string(length) + " is wanted here");
        }
        nodes = after(nodes);
    }
    return nodes.empty() || fail(decoder, nodes[0], "this address has no such part");
}

}  // namespace

bool decode_sum(Decoder& decoder, std::span<Node const> nodes, Wanted const& wanted) {
    Node const& node = nodes[0];
    auto const terms = node.kind == NodeKind::sum ? children(nodes) : nodes;
    Found const found = decoder.symbols.find(terms[0].text);
    if (found && node.kind == NodeKind::sum && is_scalar_register(*found.symbol))
        return decode_register_sum(decoder, nodes, found, wanted);
    if (!found || !is_variable(*found.symbol)) {
        if (!found) report_unknown(decoder, terms[0].text, "variable");
        else fail(decoder, node, "an operand is a register, a constant or the address of a variable");
        return false;
    }
    std::int64_t offset = 0;
    auto const rest = node.kind == NodeKind::sum ? after(terms) : children(nodes);
    if (node.kind == NodeKind::indexed && !check_array(decoder, node, found)) return false;
    if (!add_offsets(decoder, rest, offset)) return false;
    if (node.kind == NodeKind::indexed) offset *= element_bytes(found);
    int const width = isa::width(wanted.type);
    bool const takes_number =
        (width == 32 || width == 64) && (isa::is_integer(wanted.type) || isa::is_untyped(wanted.type));
    if (!wanted.can_be_symbol && !wanted.is_destination && !wanted.must_be_constant && takes_number)
        return append_sum(decoder, terms[0], found, offset, wanted);
    return append_symbol(decoder, terms[0], found, offset, wanted);
}

bool decode_bare_address(Decoder& decoder, Node const& node, Type type, isa::StateSpace space) {
    ir::Operand address;
    address.kind = OperandKind::address;
    address.type = type;
    Found const found = decoder.symbols.find(node.text);
    bool const is_register = found && is_scalar_register(*found.symbol);
    if (is_register && isa::is_float(found.symbol->type)) {  // the register's bits are the address
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
                    std::span<isa::OperandSpec const> parts) {
    Node const& node = nodes[0];
    ir::Operand address;
    address.kind = OperandKind::address;
    address.type = type;
    auto terms = children(nodes);
    std::int64_t scale = 1;
    if (node.kind == NodeKind::indexed) {
        if (!set_base(decoder, node, space, address)) return false;
        Found const found = decoder.symbols.find(node.text);
        if (!check_array(decoder, node, found)) return false;
        scale = element_bytes(found);
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
