// Chooses among the syntax lines that a mnemonic can mean; the operands decide.
#include "frontend/decode/decoder.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;

bool can_count(Shape const& shape, unsigned count) {
    return count >= shape.least_operands && count <= shape.most_operands;
}

/// How many parts there are inside the brackets of an address.
unsigned part_count(Node const& address) {
    unsigned count = 1;
    for (std::uint32_t i = 1; i < address.size; i += (&address)[i].size)
        count += (&address)[i].separator == ',' ? 1 : 0;
    return count;
}

/// Whether a single value can be an offset in a texture: an integer.
bool is_offset(Decoder const& decoder, Node const& node) {
    if (node.text == "WARP_SZ") return true;
    if (node.kind == NodeKind::literal)
        return node.text.find_first_of(".fFdD") == std::string_view::npos || node.text.starts_with("0x");
    Found const found = decoder.symbols.find(node.text);
    bool const is_register = found && is_scalar_register(*found.symbol);
    return is_register && isa::width(found.symbol->type) == 32 && isa::is_integer(found.symbol->type);
}

/// For lines that only their operands distinguish.
bool fits_rule(Decoder const& decoder, Shape const& shape, std::size_t slot, Node const& node) {
    OperandRule const& rule = shape.rules[slot];
    bool const is_list = node.kind == NodeKind::vector;
    if (rule.is_sink) return node.text == "_";
    if (rule.length > 0 && is_list && list_length(node) != rule.length && !is_longer_offset(rule, node))
        return false;
    if (rule.or_value && !is_list) return is_offset(decoder, node);
    if (rule.length > 0 && !is_list) {
        Found const found = decoder.symbols.find(node.text);
        if (!found || !is_vector_register(*found.symbol)) return false;
    }
    if (rule.length == 0 && is_list && !shape.is_list[slot]) return false;
    if (!rule.parts.empty() && node.kind == NodeKind::address) {
        auto const optional = std::count_if(rule.parts.begin(), rule.parts.end(),
                                            [](isa::OperandSpec const& part) { return part.is_optional; });
        unsigned const most = static_cast<unsigned>(rule.parts.size()) + 1;
        unsigned const count = part_count(node);
        return count <= most && count + static_cast<unsigned>(optional) >= most;
    }
    if (node.kind != NodeKind::name || shape.types[slot] == Type::none) return true;
    Found const found = decoder.symbols.find(node.text);
    bool const is_register = found && is_scalar_register(*found.symbol);
    return !is_register || (found.symbol->type == Type::pred) == (shape.types[slot] == Type::pred);
}

/// Whether operands of these shapes fit the line; types are not considered.
bool fits(Decoder const& decoder, Shape const& shape, std::span<Node const> nodes, unsigned count) {
    SyntaxLine const& line = *shape.line;
    if (!can_count(shape, count)) return false;
    std::uint32_t const groups = groups_taken(shape, count);
    for (std::size_t i = 0; i < line.operands.size(); ++i) {
        OperandSlot const& slot = line.operands[i];
        if (slot.closes_pair || (groups >> slot.group & 1) == 0) continue;
        if (nodes.empty()) return false;
        bool const in_brackets = nodes[0].kind == NodeKind::address || nodes[0].kind == NodeKind::indexed;
        bool const is_bare = slot.is_address && nodes[0].kind == NodeKind::name && can_lack_brackets(shape, i);
        if (slot.is_address != in_brackets && nodes[0].kind != NodeKind::indexed && !is_bare) return false;
        if (slot.is_vector && nodes[0].kind != NodeKind::vector && nodes[0].kind != NodeKind::name) return false;
        bool const is_pair = nodes[0].kind == NodeKind::pair;
        if (is_told_apart_by_operands(*shape.row) && is_pair != slot.opens_pair && !slot.pair_is_optional)
            return false;
        if (is_told_apart_by_operands(*shape.row) && nodes[0].kind != NodeKind::pair &&
            !fits_rule(decoder, shape, i, nodes[0])) {
            return false;
        }
        nodes = after(nodes);
    }
    return true;
}

}  // namespace

unsigned list_length(Node const& list) {
    unsigned count = 0;
    for (std::uint32_t i = 1; i < list.size; i += (&list)[i].size) ++count;
    return count;
}

bool is_longer_offset(OperandRule const& rule, Node const& list) {
    unsigned const length = list_length(list);
    return rule.or_value && length > rule.length && (length == 2 || length == 4);
}

bool can_lack_brackets(Shape const& shape, std::size_t slot) {
    return shape.rules[slot].space == isa::StateSpace::shared &&
           shape.row->syntax.find(".bulk.tensor") != std::string_view::npos;
}

std::uint32_t groups_taken(Shape const& shape, unsigned written) {
    SyntaxLine const& line = *shape.line;
    unsigned extra = written - std::min(written, shape.least_operands);
    std::uint32_t taken = shape.asked_groups | 1u;
    for (unsigned group = 1; extra > 0 && group <= line.operand_groups; ++group) {
        if (((shape.asked_groups | shape.closed_groups) >> group & 1) != 0) continue;
        auto const members =
            std::count_if(line.operands.begin(), line.operands.end(),
                          [&](OperandSlot const& slot) { return slot.group == group && !slot.closes_pair; });
        extra -= std::min(extra, static_cast<unsigned>(members));
        taken |= 1u << group;
    }
    return taken;
}

bool is_told_apart_by_operands(isa::Row const& row) {
    return isa::facts(row.effect).is(isa::EffectFacts::told_by_operands);
}

Shape const* choose_shape(Decoder const& decoder, std::span<Shape const> shapes, std::span<Node const> nodes,
                          unsigned count) {
    if (shapes.size() == 1) return can_count(shapes[0], count) ? &shapes[0] : nullptr;
    Shape const* best = nullptr;
    Shape const* counted = nullptr;
    for (Shape const& shape : shapes) {
        if (counted == nullptr && can_count(shape, count)) counted = &shape;
        if (!fits(decoder, shape, nodes, count)) continue;
        if (!shape.unmet) return &shape;
        if (best == nullptr) best = &shape;
    }
    return best != nullptr ? best : counted;  // errors about the operands say more
}

}  // namespace warpsim::frontend
