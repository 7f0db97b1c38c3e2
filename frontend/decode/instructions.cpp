// One instruction: its form, guard and operands.
#include "frontend/decode/decoder.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Effect;
using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;
using OperandKind = ir::Operand::Kind;

std::span<Node const> after(std::span<Node const> nodes) { return nodes.subspan(nodes[0].size); }

// ---- which row -----------------------------------------------------------------------------------------------

/// Which `{, x}` are written, bit g for group g: those that modifiers ask for, then the first ones.
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

bool can_count(Shape const& shape, unsigned count) {
    return count >= shape.least_operands && count <= shape.most_operands;
}

unsigned list_length(Node const& list) {
    unsigned count = 0;
    for (std::uint32_t i = 1; i < list.size; i += (&list)[i].size) ++count;
    return count;
}

/// How many parts the brackets of an address hold.
unsigned part_count(Node const& address) {
    unsigned count = 1;
    for (std::uint32_t i = 1; i < address.size; i += (&address)[i].size) count += (&address)[i].separator == ',' ? 1 : 0;
    return count;
}

/// An offset in a texture may have more parts than the texture has dimensions.
bool is_longer_offset(OperandRule const& rule, Node const& list) {
    unsigned const length = list_length(list);
    return rule.or_value && length > rule.length && (length == 2 || length == 4);
}

/// Whether one value can be an offset in a texture: an integer.
bool is_offset(Decoder const& decoder, Node const& node) {
    if (node.text == "WARP_SZ") return true;
    if (node.kind == NodeKind::literal) return node.text.find_first_of(".fFdD") == std::string_view::npos || node.text.starts_with("0x");
    Found const found = decoder.symbols.find(node.text);
    bool const is_register =
        found && (found.symbol->kind == Symbol::Kind::reg || found.symbol->kind == Symbol::Kind::register_range);
    return is_register && isa::width(found.symbol->type) == 32 && isa::is_integer(found.symbol->type);
}

/// Of lines that are told apart by their operands only.
bool fits_rule(Decoder const& decoder, Shape const& shape, std::size_t slot, Node const& node) {
    OperandRule const& rule = shape.rules[slot];
    bool const is_list = node.kind == NodeKind::vector;
    if (rule.is_any) return true;
    if (rule.is_sink) return node.text == "_";
    if (rule.length > 0 && is_list && list_length(node) != rule.length && !is_longer_offset(rule, node)) return false;
    if (rule.or_value && !is_list) return is_offset(decoder, node);
    if (rule.length > 0 && !is_list) {
        Found const found = decoder.symbols.find(node.text);
        if (!found || found.symbol->kind != Symbol::Kind::register_vector) return false;
    }
    if (rule.length == 0 && is_list && !shape.is_list[slot]) return false;
    if (!rule.parts.empty() && node.kind == NodeKind::address) {
        auto const optional = std::count_if(rule.parts.begin(), rule.parts.end(),
                                            [](AddressPart const& part) { return part.is_optional; });
        unsigned const most = static_cast<unsigned>(rule.parts.size()) + 1;
        unsigned const count = part_count(node);
        return count <= most && count + static_cast<unsigned>(optional) >= most;
    }
    if (node.kind != NodeKind::name || shape.types[slot] == Type::none) return true;
    Found const found = decoder.symbols.find(node.text);
    bool const is_register =
        found && (found.symbol->kind == Symbol::Kind::reg || found.symbol->kind == Symbol::Kind::register_range);
    return !is_register || (found.symbol->type == Type::pred) == (shape.types[slot] == Type::pred);
}

/// Lines of one mnemonic that differ in kinds of operands only.
bool is_told_apart_by_operands(isa::Row const& row) {
    return row.effect == Effect::not_executed || row.syntax.starts_with("cp.") || row.syntax.starts_with("mbarrier.") ||
           row.syntax.starts_with("clusterlaunchcontrol.") || row.syntax.starts_with("st.async") ||
           row.syntax.starts_with("red.async");
}

/// ptxas takes the addresses of a tensor copy in shared memory without their brackets, too.
bool can_lack_brackets(Shape const& shape, std::size_t slot) {
    return shape.rules[slot].space == isa::StateSpace::shared && shape.row->syntax.find(".bulk.tensor") != std::string_view::npos;
}

/// Whether operands of these shapes can be those of the line; types are not looked at.
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
        if (is_told_apart_by_operands(*shape.row) && nodes[0].kind != NodeKind::pair &&
            !fits_rule(decoder, shape, i, nodes[0])) {
            return false;
        }
        nodes = after(nodes);
    }
    return true;
}

Shape const* choose(Decoder const& decoder, std::span<Shape const> shapes, std::span<Node const> nodes,
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
    return best != nullptr ? best : counted;  // the operands' own errors are more to the point
}

void report_count(Decoder& decoder, syntax::Instruction const& instruction, std::span<Shape const> shapes) {
    std::vector<std::uint32_t> rows;
    unsigned least = UINT32_MAX;
    unsigned most = 0;
    for (Shape const& shape : shapes) {
        rows.push_back(decoder.module.forms[shape.form].row);
        least = std::min(least, shape.least_operands);
        most = std::max(most, shape.most_operands);
    }
    std::string wanted = std::to_string(least);
    if (most != least) wanted += " to " + std::to_string(most);
    std::string_view where = instruction.mnemonic;
    if (instruction.operand_count > most) {  // those that are too many
        auto nodes = decoder.tree.node_range(instruction.operands);
        for (unsigned i = 0; i < most; ++i) nodes = after(nodes);
        where = nodes[0].text;
        for (; !nodes.empty(); nodes = after(nodes)) where = covering(where, nodes[0].text);
    }
    decoder.diagnostics.error(where, quoted(instruction.mnemonic) + " takes " + wanted + " operand" +
                                         (most == 1 ? "" : "s") + ", not " +
                                         std::to_string(instruction.operand_count));
    decoder.diagnostics.advice(legal_lines(rows));
}

std::string version_text(int version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

/// "90a 100f" -> sm_90a, sm_100f
std::string targets_text(std::string_view only) {
    std::string text;
    for (std::size_t at = 0; at < only.size();) {
        std::size_t const end = std::min(only.find(' ', at), only.size());
        text += text.empty() ? "sm_" : ", sm_";
        text += only.substr(at, end - at);
        at = end + 1;
    }
    return text;
}

void check_since(Decoder& decoder, syntax::Instruction const& instruction, Shape const& shape) {
    if (!shape.unmet) return;
    auto const& [modifier, since] = *shape.unmet;
    std::string_view const where = modifier.empty() ? instruction.mnemonic : modifier;
    ir::Module const& module = decoder.module;
    std::string message = quoted(where);
    if (since.version > module.version) {
        message += " needs PTX version " + version_text(since.version) + "; this module is of version " +
                   version_text(module.version);
    } else if (since.target > module.target_sm) {
        message += " needs target sm_" + std::to_string(since.target) + " or higher; this module is for " + module.target;
    } else {
        message += " is only for the targets " + targets_text(since.only) + "; this module is for " + module.target;
    }
    decoder.diagnostics.error(where, message);
}

/// Warp-wide operations without .sync went away with sm_70, whose lanes need not move together.
void check_sync(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form) {
    if (decoder.module.version < 64 || decoder.module.target_sm < 70 || form.has(".sync")) return;
    decoder.diagnostics.error(instruction.mnemonic, quoted(instruction.mnemonic) +
                                                        " without '.sync' ends with sm_70 and PTX version 6.4");
}

void check_address_size(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form) {
    if (isa::width(form.types[0]) == decoder.module.address_bits) return;
    decoder.diagnostics.error(instruction.mnemonic, "an address of this module has " +
                                                        std::to_string(decoder.module.address_bits) + " bits; " +
                                                        quoted(instruction.mnemonic) + " converts " +
                                                        std::to_string(isa::width(form.types[0])));
}

// ---- operands by kind of instruction -------------------------------------------------------------------------

Type bits_of(int width) {
    switch (width) {
        case 8: return Type::b8;
        case 16: return Type::b16;
        case 32: return Type::b32;
        case 64: return Type::b64;
        default: return Type::none;
    }
}

/// mov takes a value apart or puts one together when one side is a list and there is no .v2 or .v4.
bool packed_wanted(Decoder& decoder, ir::Form const& form, Node const& node, Wanted& wanted) {
    unsigned count = 0;
    for (std::uint32_t i = 1; i < node.size; i += (&node)[i].size) ++count;
    Type const element =
        count == 2 || count == 4 ? bits_of(isa::width(form.types[0]) / static_cast<int>(count)) : Type::none;
    if (!isa::is_untyped(form.types[0]) || element == Type::none) {
        decoder.diagnostics.error(node.text, "a list of " + std::to_string(count) + " cannot be a " +
                                                 std::string(form.text.substr(form.opcode.size())));
        return false;
    }
    wanted.type = element;
    wanted.vector = count;
    return true;
}

bool can_be_symbol(Effect effect) {
    return effect == Effect::move || effect == Effect::convert_address || effect == Effect::is_space;
}

bool decode_label(Decoder& decoder, Node const& node, LabelUse::Kind kind) {
    if (node.kind != NodeKind::name) {
        decoder.diagnostics.error(node.text, "a label is wanted here");
        return false;
    }
    LabelUse use;
    use.kind = kind;
    use.index = static_cast<std::uint32_t>(decoder.function().operands.size());
    use.name = node.text;
    use.where = node.text;
    append(decoder, kind == LabelUse::Kind::table ? OperandKind::branch_targets : OperandKind::label, Type::none);
    decoder.body->label_uses.push_back(use);
    return true;
}

/// Whether a variable is one of these formal parameters.
bool is_formal(std::uint32_t variable, std::vector<std::uint32_t> const& formals, std::vector<bool> const& in_register) {
    for (std::size_t i = 0; i < formals.size(); ++i) {
        if (formals[i] == variable && !in_register[i]) return true;
    }
    return false;
}

/// A function reads its parameters and writes its return values, and not the other way round.
bool check_parameter_access(Decoder& decoder, Node const& node, std::uint32_t at, Effect effect) {
    ir::Function const& function = decoder.function();
    ir::Operand const& address = function.operands[at];
    if (address.kind != OperandKind::address || address.base != ir::Operand::AddressBase::function_variable)
        return true;
    bool const is_written = effect == Effect::store && is_formal(address.index, function.parameters, function.parameter_in_register);
    bool const is_read = effect == Effect::load && is_formal(address.index, function.returns, function.return_in_register);
    if (!is_written && !is_read) return true;
    decoder.diagnostics.error(node.text, (is_written ? "the parameter " : "the return value ") +
                                             quoted(function.variables[address.index].name) +
                                             (is_written ? " cannot be written" : " cannot be read"));
    return false;
}

class OperandDecoder {
public:
    OperandDecoder(Decoder& decoder, Shape const& shape)
        : decoder_(decoder), shape_(shape), form_(decoder.module.forms[shape.form]), effect_(shape.row->effect) {}

    bool decode(std::span<Node const> nodes, unsigned count) {
        std::uint32_t const groups = groups_taken(shape_, count);
        auto const& slots = shape_.line->operands;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if ((groups >> slots[i].group & 1) == 0) continue;
            auto const rest = after(nodes);
            if (slots[i].opens_pair) {
                if (!pair(i, nodes)) return false;
                ++i;
            } else if (!one(i, nodes)) {
                return false;
            }
            nodes = rest;
        }
        return true;
    }

private:
    OperandRule const& rule_of(std::size_t slot) const { return shape_.rules[slot]; }

    Wanted wanted(std::size_t slot) const {
        OperandSlot const& s = shape_.line->operands[slot];
        Wanted w;
        w.type = shape_.types[slot];
        w.is_relaxed = shape_.is_relaxed;
        w.is_destination = s.is_destination;
        w.can_be_symbol = ((can_be_symbol(effect_) && !rule_of(slot).is_pointer) || form_.opcode == "mapa" || form_.opcode == "getctarank") && !s.is_destination &&
                          !(effect_ == Effect::convert_address && form_.has(".to"));
        w.can_be_special = effect_ == Effect::move;
        w.can_be_sink = (s.opens_pair && effect_ != Effect::shuffle) || s.closes_pair ||
                        (s.is_destination && effect_ == Effect::atomic);
        OperandRule const& rule = shape_.rules[slot];
        w.is_destination = w.is_destination || rule.is_written;
        w.can_be_sink = w.can_be_sink || rule.can_be_sink;
        w.must_be_constant = rule.is_constant;
        w.must_be_register = rule.must_be_register;
        w.must_be_untyped = rule.must_be_untyped;
        w.is_implied = rule.is_implied;
        w.can_be_minus = s.can_be_minus;
        w.selectable = s.can_be_selected ? isa::video_elements(form_.opcode) : 0;
        w.vector = rule.length > 0                  ? rule.length
                   : s.is_vector || rule.is_any     ? 0
                   : shape_.is_list[slot]           ? form_.vector
                                                    : 1;
        return w;
    }

    /// Where a list is wanted, neither `_` nor one register will do; a vector register is a list.
    bool check_list(std::size_t slot, Node const& node, unsigned length) {
        OperandRule const& rule = shape_.rules[slot];
        bool const is_tuple = rule.is_list || (shape_.is_list[slot] && length > 1 && effect_ == Effect::not_executed);
        if (!is_tuple || node.kind == NodeKind::vector || (rule.or_value && node.kind != NodeKind::address)) return true;
        Found const found = decoder_.symbols.find(node.text);
        if (found && found.symbol->kind == Symbol::Kind::register_vector) return true;
        decoder_.diagnostics.error(node.text, "a list of " + std::to_string(length) + " in braces is wanted here");
        return false;
    }

    bool pair(std::size_t slot, std::span<Node const> nodes) {
        Node const& value = nodes[0].kind == NodeKind::pair ? nodes[1] : nodes[0];
        if (!check_list(slot, value, wanted(slot).vector)) return false;
        if (nodes[0].kind == NodeKind::pair) {
            auto const first = nodes.subspan(1);
            return decode_operand(decoder_, first, wanted(slot)) &&
                   decode_operand(decoder_, after(first), wanted(slot + 1));
        }
        if (!decode_operand(decoder_, nodes, wanted(slot))) return false;
        append(decoder_, OperandKind::sink, shape_.types[slot + 1]);
        return true;
    }

    bool one(std::size_t slot, std::span<Node const> nodes) {
        if (shape_.line->operands[slot].is_address) return address(slot, nodes);
        if (effect_ == Effect::branch) return decode_label(decoder_, nodes[0], LabelUse::Kind::operand);
        if (effect_ == Effect::branch_indexed && slot == 1)
            return decode_label(decoder_, nodes[0], LabelUse::Kind::table);
        if (shape_.rules[slot].is_data) return data(slot, nodes);
        Wanted w = wanted(slot);
        if (!check_list(slot, nodes[0], w.vector)) return false;
        if (shape_.rules[slot].or_value) set_offset(shape_.rules[slot], nodes[0], w);
        if (shape_.rules[slot].is_pointer) w.type = pointer_type(nodes[0]);
        if (shape_.rules[slot].is_sink && nodes[0].text != "_") {
            decoder_.diagnostics.error(nodes[0].text, "only '_' can stand here");
            return false;
        }
        if (nodes[0].kind == NodeKind::vector) {
            if (effect_ == Effect::move && form_.vector == 1 && !packed_wanted(decoder_, form_, nodes[0], w))
                return false;
            w.is_packed_source = effect_ == Effect::move && form_.types[0] == Type::b32 && slot == 1;
            bool const is_single = w.vector == 1 && nodes[0].size == 2;
            if (is_single) return decode_operand(decoder_, nodes.subspan(1), w);
            if (w.vector == 1) {
                decoder_.diagnostics.error(nodes[0].text, "a list cannot stand here without .v2 or .v4");
                return false;
            }
        } else if (w.vector > 1 && nodes[0].kind != NodeKind::name) {
            decoder_.diagnostics.error(nodes[0].text,
                                       "a list of " + std::to_string(w.vector) + " in braces is wanted here");
            return false;
        }
        std::size_t const at = decoder_.function().operands.size();
        if (!decode_operand(decoder_, nodes, w)) return false;
        bool const is_constant = decoder_.function().operands[at].kind == OperandKind::immediate;
        std::int64_t const bits = decoder_.function().operands[at].value;
        bool const can_be_negative = isa::width(shape_.types[slot]) == 32 && shape_.rules[slot].values.starts_with('-');
        if (std::int64_t const value = can_be_negative ? static_cast<std::int32_t>(bits) : bits;
            is_constant && !shape_.rules[slot].allows(value)) {
            decoder_.diagnostics.error(nodes[0].text, std::to_string(value) + " cannot stand here; legal: " +
                                                          std::string(shape_.rules[slot].values));
            return false;
        }
        if (!check_symbol(decoder_.function().operands[at], nodes[0])) return false;
        if (w.vector > 1 && decoder_.function().operands[at].kind != OperandKind::vector) {
            decoder_.diagnostics.error(nodes[0].text,
                                       "a list of " + std::to_string(w.vector) + " in braces is wanted here");
            return false;
        }
        return true;
    }

    /// An offset in a texture is a list that may be longer than needed, or one value.
    void set_offset(OperandRule const& rule, Node const& node, Wanted& w) const {
        bool const is_list = node.kind == NodeKind::vector;
        if (!is_list) w.vector = 1;
        else if (is_longer_offset(rule, node)) w.vector = list_length(node);
    }

    /// The address that isspacep asks about: an integer of 32 or 64 bits.
    Type pointer_type(Node const& node) const {
        Found const found = decoder_.symbols.find(node.text);
        bool const is_register =
            found && (found.symbol->kind == Symbol::Kind::reg || found.symbol->kind == Symbol::Kind::register_range);
        return is_register && isa::width(found.symbol->type) == 32 ? Type::u32 : Type::u64;
    }

    /// The variable of a cvta is in the space it names; a texture is known by its whole 64-bit handle.
    bool check_symbol(ir::Operand const& operand, Node const& node) {
        if (operand.kind != OperandKind::symbol) return true;
        ir::Variable const& variable = operand.is_module_variable ? decoder_.module.variables[operand.index]
                                                                  : decoder_.function().variables[operand.index];
        if (effect_ == Effect::move && isa::width(variable.type) == 0 && form_.types[0] != Type::u64) {
            decoder_.diagnostics.error(node.text, "the handle of a texture, sampler or surface is a .u64");
            return false;
        }
        using isa::StateSpace;
        ir::Function const& function = decoder_.function();
        bool const is_argument = !operand.is_module_variable && variable.space == StateSpace::param &&
                                 !is_formal(operand.index, function.parameters, function.parameter_in_register) &&
                                 !is_formal(operand.index, function.returns, function.return_in_register);
        if (is_argument) {
            decoder_.diagnostics.error(node.text, quoted(node.text) + " is handed to calls; it has no address");
            return false;
        }
        StateSpace const space = form_.space == StateSpace::shared_cluster ? StateSpace::shared
                                 : form_.space == StateSpace::param_entry || form_.space == StateSpace::param_func
                                     ? StateSpace::param
                                     : form_.space;
        if (effect_ != Effect::convert_address || space == variable.space) return true;
        decoder_.diagnostics.error(
            node.text, quoted(node.text) + " is in ." + std::string(isa::name(variable.space)) +
                           ", the instruction converts an address in ." + std::string(isa::name(form_.space)));
        return false;
    }

    /// What a surface instruction loads or stores: registers of any kind that together are wide enough.
    bool data(std::size_t slot, std::span<Node const> nodes) {
        Wanted w = wanted(slot);
        w.type = Type::none;
        bool const is_list = nodes[0].kind == NodeKind::vector;
        w.vector = is_list ? 0 : 1;
        std::size_t const at = decoder_.function().operands.size();
        decoder_.last_register = Type::none;
        if (!decode_operand(decoder_, nodes, w)) return false;
        Type const type = decoder_.last_register;
        unsigned const have = static_cast<unsigned>(isa::width(type));
        unsigned const wide = static_cast<unsigned>(isa::width(form_.types[0]));
        unsigned const count = decoder_.function().operands[at].count;
        bool fits = type == Type::none && !is_list;
        if (is_list) fits = (count == 1 || count == 2 || count == 4) && (form_.vector == 1 || count == form_.vector);
        unsigned const together = is_list && form_.vector == 1 ? have * count : have;
        bool const is_one_of_many = !is_list && form_.vector > 1;
        fits = fits || (!is_list && (form_.vector == 1 || !w.is_destination));
        if (type == Type::none && !is_list) return true;
        if (fits && type != Type::pred && together >= (is_one_of_many ? 2 * wide : wide)) return true;
        decoder_.diagnostics.error(nodes[0].text, "this cannot hold " + std::to_string(form_.vector) + " of " +
                                                      type_text(form_.types[0]));
        return false;
    }

    bool check_handle(ir::Operand const& operand, Type handle, Node const& node) {
        if (handle == Type::none) return true;
        using Base = ir::Operand::AddressBase;
        bool fits = operand.base == Base::reg && isa::width(decoder_.address_register) == 64 && operand.value == 0;
        if (operand.base == Base::module_variable) fits = decoder_.module.variables[operand.index].type == handle;
        if (operand.base == Base::function_variable) fits = decoder_.function().variables[operand.index].type == handle;
        if (fits) return true;
        decoder_.diagnostics.error(node.text, "a " + type_text(handle) + " or a register of 64 bits is wanted here");
        return false;
    }

    /// From sm_90 on there are no programs with 32-bit addresses.
    bool check_address_width(ir::Operand const& operand, Node const& node) {
        bool const is_far = form_.space == isa::StateSpace::generic || form_.space == isa::StateSpace::global;
        if (!is_far || operand.base != ir::Operand::AddressBase::reg || decoder_.module.target_sm < 90 ||
            decoder_.module.address_bits != 64 || isa::width(decoder_.address_register) != 32 || !has_far_addresses()) {
            return true;
        }
        decoder_.diagnostics.error(node.text, "a generic or global address has 64 bits from sm_90 on; this register has " +
                                                  std::to_string(isa::width(decoder_.address_register)));
        return false;
    }
    bool has_far_addresses() const {
        if (form_.has(".tensormap") || form_.has(".async") || form_.has(".bulk")) return false;
        for (std::string_view const opcode : {"ld", "ldu", "st", "atom", "red", "prefetch", "prefetchu", "discard",
                                              "applypriority", "multimem", "mbarrier"}) {
            if (form_.opcode == opcode) return true;
        }
        return false;
    }

    bool check_tensor_address(ir::Operand const& operand, OperandRule::Tensor tensor, Node const& node) {
        if (tensor == OperandRule::Tensor::no) return true;
        Type const type = decoder_.address_register;
        bool const is_untyped = tensor == OperandRule::Tensor::untyped_address;
        if (operand.base == ir::Operand::AddressBase::reg && isa::width(type) == 32 && (!is_untyped || isa::is_untyped(type)))
            return true;
        decoder_.diagnostics.error(node.text, std::string("an address in tensor memory is a register ") +
                                                  (is_untyped ? "of type .b32" : "of 32 bits"));
        return false;
    }

    bool address(std::size_t slot, std::span<Node const> nodes) {
        Type const type = shape_.types[slot] != Type::none ? shape_.types[slot] : form_.types[0];
        std::size_t const at = decoder_.function().operands.size();
        OperandRule const& rule = shape_.rules[slot];
        bool const is_bare = nodes[0].kind == NodeKind::name && can_lack_brackets(shape_, slot);
        if (is_bare) decoder_.diagnostics.warning(nodes[0].text, "an address is written in brackets");
        isa::StateSpace const space = rule.space.value_or(form_.space);
        if (!(is_bare ? decode_bare_address(decoder_, nodes[0], type, space)
                      : decode_address(decoder_, nodes, type, space, rule.parts))) {
            return false;
        }
        ir::Operand& operand = decoder_.function().operands[at];
        if (!check_handle(operand, rule.handle, nodes[0]) || !check_address_width(operand, nodes[0]) ||
            !check_tensor_address(operand, rule.tensor, nodes[0])) {
            return false;
        }
        operand.generic =
            form_.space == isa::StateSpace::generic && operand.base >= ir::Operand::AddressBase::module_variable;
        return check_parameter_access(decoder_, nodes[0], static_cast<std::uint32_t>(at), effect_);
    }

    Decoder& decoder_;
    Shape const& shape_;
    ir::Form const form_;   // a copy: lowering an index to instructions of its own adds forms to the module
    Effect effect_;
};

/// Appends what computes the operands of the instruction that comes next.
void flush_pending(Decoder& decoder) {
    ir::Function& function = decoder.function();
    for (PendingInstruction& pending : decoder.body->pending) {
        pending.instruction.first_operand = static_cast<std::uint32_t>(function.operands.size());
        pending.instruction.operand_count = static_cast<std::uint16_t>(pending.operands.size());
        function.operands.insert(function.operands.end(), pending.operands.begin(), pending.operands.end());
        function.instructions.push_back(pending.instruction);
    }
    decoder.body->pending.clear();
}

std::string_view guard_name(std::string_view guard) {
    std::size_t const first = guard.find_first_not_of("@! \t\r\n");
    if (first == std::string_view::npos) return guard;
    return guard.substr(first, guard.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

bool decode_guard(Decoder& decoder, std::string_view guard, ir::Instruction& instruction) {
    std::string_view const name = guard_name(guard);
    Found const found = decoder.symbols.find(name);
    if (!found) {
        report_unknown(decoder, name, "predicate");
        return false;
    }
    bool const is_register =
        found.symbol->kind == Symbol::Kind::reg || found.symbol->kind == Symbol::Kind::register_range;
    if (!is_register || found.symbol->type != Type::pred) {
        decoder.diagnostics.error(name, "a guard must be a predicate; " + quoted(name) + " is not");
        note_declaration(decoder, name);
        return false;
    }
    instruction.guard = found.index;
    return true;
}

void append_implied(Decoder& decoder, std::string_view mnemonic, std::string_view where, std::string_view guard) {
    auto const shapes = decoder.mnemonics.shapes(mnemonic);
    if (shapes.empty()) return;
    ir::Instruction made;
    made.form = shapes[0].form;
    made.first_operand = static_cast<std::uint32_t>(decoder.function().operands.size());
    made.span = decoder.diagnostics.source().span(where);
    made.location = decoder.body->location;
    if (!guard.empty()) {
        decode_guard(decoder, guard, made);
        made.guard_negated = guard.find('!') != std::string_view::npos;
    }
    decoder.function().instructions.push_back(made);
}

void decode_instruction(Decoder& decoder, syntax::Instruction const& instruction) {
    auto const shapes = decoder.mnemonics.shapes(instruction.mnemonic);
    if (shapes.empty()) {
        Mnemonics::explain(instruction.mnemonic, decoder.diagnostics);
        return;
    }
    ir::Function& function = decoder.function();
    ir::Instruction made;
    made.first_operand = static_cast<std::uint32_t>(function.operands.size());
    made.span = decoder.diagnostics.source().span(instruction.text);
    made.location = decoder.body->location;
    made.guard_negated = instruction.guard_negated;
    if (!instruction.guard.empty()) decode_guard(decoder, instruction.guard, made);
    Shape const* shape = nullptr;
    if (shapes[0].row->effect == Effect::call) {
        shape = &shapes[0];
        decode_call(decoder, instruction);
    } else {
        auto const nodes = decoder.tree.node_range(instruction.operands);
        shape = choose(decoder, shapes, nodes, instruction.operand_count);
        if (shape == nullptr) {
            report_count(decoder, instruction, shapes);
            return;
        }
        OperandDecoder(decoder, *shape).decode(nodes, instruction.operand_count);
    }
    check_since(decoder, instruction, *shape);
    if (function.carry == ir::none && isa::carries(*shape->row)) {
        function.carry = add_registers(decoder, "%cc", Type::pred, 1, false);
    }
    ir::Form const& form = decoder.module.forms[shape->form];
    made.operand_count = static_cast<std::uint16_t>(function.operands.size() - made.first_operand);
    switch (shape->row->effect) {
        case Effect::create_policy: check_policy(decoder, instruction, form, function.operands_of(made)); break;
        case Effect::move:
        case Effect::load:
        case Effect::store:
        case Effect::atomic:
        case Effect::reduction:
            if (!is_told_apart_by_operands(*shape->row)) check_memory(decoder, instruction, form);
            break;
        case Effect::barrier:
            if (form.opcode.starts_with("bar")) check_barrier(decoder, instruction, form, function.operands_of(made));
            break;
        case Effect::convert_address: check_address_size(decoder, instruction, form); break;
        case Effect::shuffle:
        case Effect::vote: check_sync(decoder, instruction, form); break;
        default: break;
    }
    flush_pending(decoder);
    made.form = shape->form;
    // A broken instruction keeps its place, so that labels and later errors are right; the module is not executed.
    function.instructions.push_back(made);
}

}  // namespace warpsim::frontend
