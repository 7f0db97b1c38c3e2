// Decodes the operands of one instruction, each as its position in the syntax line requires.
#include "frontend/decode/decoder.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Modifier;
using isa::Operation;
using isa::Effect;
using isa::Type;
using Node = syntax::Node;
using NodeKind = syntax::Node::Kind;
using OperandKind = ir::Operand::Kind;

Type type_of_part(int width) {
    switch (width) {
        case 8: return Type::b8;
        case 16: return Type::b16;
        case 32: return Type::b32;
        case 64: return Type::b64;
        default: return Type::none;
    }
}

/// A mov without .v2 or .v4 packs or unpacks a value when one side is a list or a vector.
bool packed_wanted(Decoder& decoder, ir::Form const& form, Node const& node, unsigned count, Wanted& wanted) {
    Type const element =
        count == 2 || count == 4 ? type_of_part(isa::width(form.types[0]) / static_cast<int>(count)) : Type::none;
    if (!isa::is_untyped(form.types[0]) || element == Type::none) {
        std::string const what = node.kind == NodeKind::vector ? "a list" : "a vector";
        decoder.diagnostics.error(node.text, what + " of " + std::to_string(count) + " cannot be a " +
                                                 std::string(form.text.substr(form.text.find('.'))));
        return false;
    }
    wanted.type = element;
    wanted.vector = count;
    return true;
}

bool can_be_symbol(Effect effect) {
    return effect == Effect::move || effect == Effect::convert_address || effect == Effect::is_space ||
           effect == Effect::map_address || effect == Effect::cta_rank;
}

bool decode_label(Decoder& decoder, Node const& node) {
    if (node.kind != NodeKind::name) {
        decoder.diagnostics.error(node.text, "a label is wanted here");
        return false;
    }
    LabelUse use;
    use.index = static_cast<std::uint32_t>(decoder.function().operands.size());
    use.name = node.text;
    use.where = node.text;
    append(decoder, OperandKind::label, Type::none);
    decoder.body->label_uses.push_back(use);
    return true;
}

/// The list of targets of a brx.idx, which must be declared before it.
bool decode_label_table(Decoder& decoder, Node const& node) {
    Found const found = node.kind == NodeKind::name ? decoder.symbols.find(node.text) : Found{};
    if (found && found.symbol->kind == Symbol::Kind::branch_targets) {
        append(decoder, OperandKind::branch_targets, Type::none).index = found.index;
        return true;
    }
    decoder.diagnostics.error(node.text,
                              quoted(node.text) + " is not the label of a .branchtargets before this instruction");
    note_declaration(decoder, node.text);
    return false;
}

/// A function reads its parameters and writes its return values, never the reverse.
bool check_parameter_access(Decoder& decoder, Node const& node, std::uint32_t at, Effect effect) {
    ir::Function const& function = decoder.function();
    ir::Operand const& address = function.operands[at];
    if (address.kind != OperandKind::address || address.base != ir::Operand::AddressBase::function_variable)
        return true;
    bool const is_written = effect == Effect::store && is_parameter(function, address.index);
    bool const is_read = effect == Effect::load && is_return_value(function, address.index);
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
    bool converts_integers() const {
        return std::all_of(shape_.types.begin(), shape_.types.end(),
                           [](Type type) { return isa::is_integer(type); });
    }

    Wanted wanted(std::size_t slot) const {
        OperandSlot const& s = shape_.line->operands[slot];
        Wanted w;
        w.type = shape_.types[slot];
        w.is_relaxed = shape_.is_relaxed;
        w.is_destination = s.is_destination;
        w.can_be_symbol = can_be_symbol(effect_) && !rule_of(slot).is_pointer && !s.is_destination &&
                          !(effect_ == Effect::convert_address && form_.has(Modifier::to));
        w.can_be_special = effect_ == Effect::move ||
                           (form_.operation == Operation::cvt && converts_integers() && !s.is_destination);
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
        w.selectable = s.can_be_selected ? shape_.row->video_elements : 0;
        w.vector = rule.length > 0 ? rule.length : s.is_vector ? 0 : shape_.is_list[slot] ? form_.vector : 1;
        return w;
    }

    /// Where a list is required, neither `_` nor a single register will do; a vector register counts as a list.
    bool check_list(std::size_t slot, Node const& node, unsigned length) {
        OperandRule const& rule = shape_.rules[slot];
        bool const is_tuple = rule.is_list || (shape_.is_list[slot] && length > 1 &&
                                               isa::facts(effect_).is(isa::EffectFacts::lists));
        if (!is_tuple || node.kind == NodeKind::vector || (rule.or_value && node.kind != NodeKind::address))
            return true;
        Found const found = decoder_.symbols.find(node.text);
        if (found && is_vector_register(*found.symbol)) return true;
        decoder_.diagnostics.error(node.text, "a list of " + std::to_string(length) + " in braces is wanted here");
        return false;
    }

    bool pair(std::size_t slot, std::span<Node const> nodes) {
        Node const& value = nodes[0].kind == NodeKind::pair ? nodes[1] : nodes[0];
        if (!check_list(slot, value, wanted(slot).vector)) return false;
        if (nodes[0].kind == NodeKind::pair) {
            auto const first = nodes.subspan(1);
            if (first[0].text == "_" && after(first)[0].text == "_") {
                decoder_.diagnostics.error(nodes[0].text, "one of the two must be a register");
                return false;
            }
            if (form_.operation == Operation::tex || form_.operation == Operation::tld4)
                require(decoder_, nodes[0].text, "a predicate beside the texture's values", 71, 60);
            return decode_operand(decoder_, first, wanted(slot)) &&
                   decode_operand(decoder_, after(first), wanted(slot + 1));
        }
        if (!decode_operand(decoder_, nodes, wanted(slot))) return false;
        append(decoder_, OperandKind::sink, shape_.types[slot + 1]);
        return true;
    }

    bool one(std::size_t slot, std::span<Node const> nodes) {
        if (shape_.line->operands[slot].is_address) return address(slot, nodes);
        if (effect_ == Effect::branch) return decode_label(decoder_, nodes[0]);
        if (effect_ == Effect::branch_indexed && slot == 1) return decode_label_table(decoder_, nodes[0]);
        if (shape_.rules[slot].is_data) return data(slot, nodes);
        Wanted w = wanted(slot);
        if (!check_list(slot, nodes[0], w.vector)) return false;
        if (shape_.rules[slot].or_value) set_offset(shape_.rules[slot], nodes[0], w);
        if (shape_.rules[slot].is_pointer) w.type = pointer_type(nodes[0]);
        if (shape_.rules[slot].is_sink && nodes[0].text != "_") {
            decoder_.diagnostics.error(nodes[0].text, "only '_' can stand here");
            return false;
        }
        bool const can_be_packed = effect_ == Effect::move && form_.vector == 1;
        if (can_be_packed) {
            unsigned const elements = elements_of(nodes[0]);
            if (elements > 0 && has_list_) {
                decoder_.diagnostics.error(nodes[0].text,
                                           "mov takes a list apart or puts one together, not both at once");
                return false;
            }
            has_list_ = elements > 0;
            if (elements > 0 && !packed_wanted(decoder_, form_, nodes[0], elements, w)) return false;
        }
        if (nodes[0].kind == NodeKind::vector) {
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
        bool const can_be_negative = isa::width(shape_.types[slot]) == 32 && shape_.rules[slot].values.first < 0;
        if (std::int64_t const value = can_be_negative ? static_cast<std::int32_t>(bits) : bits;
            is_constant && !shape_.rules[slot].values.allow(value)) {
            decoder_.diagnostics.error(nodes[0].text, std::to_string(value) + " cannot stand here; legal: " +
                                                          isa::text(shape_.rules[slot].values));
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

    /// The length of a list, or of a vector register as wide as the value; 0 for anything else.
    unsigned elements_of(Node const& node) const {
        if (node.kind == NodeKind::vector) return list_length(node);
        Found const found = node.kind == NodeKind::name ? decoder_.symbols.find(node.text) : Found{};
        if (!found || !is_vector_register(*found.symbol)) return 0;
        unsigned const wide = found.symbol->vector * static_cast<unsigned>(isa::width(found.symbol->type));
        return wide == static_cast<unsigned>(isa::width(form_.types[0])) ? found.symbol->vector : 0;
    }

    /// An offset in a texture is a single value, or a list that may be longer than needed.
    void set_offset(OperandRule const& rule, Node const& node, Wanted& w) const {
        bool const is_list = node.kind == NodeKind::vector;
        if (!is_list) w.vector = 1;
        else if (is_longer_offset(rule, node)) w.vector = list_length(node);
    }

    /// The type of the address that isspacep tests: an integer of 32 or 64 bits.
    Type pointer_type(Node const& node) const {
        Found const found = decoder_.symbols.find(node.text);
        bool const is_register = found && is_scalar_register(*found.symbol);
        return is_register && isa::width(found.symbol->type) == 32 ? Type::u32 : Type::u64;
    }

    /// The variable of a cvta must be in the space that it names; a texture is identified by its whole 64-bit
    /// handle.
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
                                 !is_parameter(function, operand.index) &&
                                 !is_return_value(function, operand.index);
        if (is_argument) {
            decoder_.diagnostics.error(node.text, quoted(node.text) + " is handed to calls; it has no address");
            return false;
        }
        if (!operand.is_module_variable && is_return_value(function, operand.index))
            require(decoder_, node.text, "the address of a return parameter", 60);
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
        if (is_list)
            fits = (count == 1 || count == 2 || count == 4) && (form_.vector == 1 || count == form_.vector);
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
        // Queries of samplers name these, too.
        bool const can_be_sampler = effect_ == Effect::texture_query;
        auto const is_handle = [&](ir::Variable const& v) {
            return v.type == handle || (can_be_sampler && v.type == Type::samplerref);
        };
        if (operand.base == Base::module_variable) fits = is_handle(decoder_.module.variables[operand.index]);
        if (operand.base == Base::function_variable)
            fits = is_handle(decoder_.function().variables[operand.index]);
        if (fits) return true;
        decoder_.diagnostics.error(node.text,
                                   "a " + type_text(handle) + " or a register of 64 bits is wanted here");
        return false;
    }

    /// Textures, samplers and surfaces may be parameters; their handles are then named like those in .global.
    bool names_opaque_parameter(Node const& address) const {
        bool const has_terms = address.kind == NodeKind::address && address.size > 1;
        auto const terms = has_terms ? syntax::children({&address, address.size}) : std::span<Node const>{};
        Found const found =
            !terms.empty() && terms[0].kind == NodeKind::name ? decoder_.symbols.find(terms[0].text) : Found{};
        if (!found || found.symbol->kind != Symbol::Kind::function_variable) return false;
        ir::Variable const& v = decoder_.function().variables[found.index];
        return v.space == isa::StateSpace::param && is_opaque(v.type);
    }

    /// From sm_90 on, programs with 32-bit addresses do not exist.
    bool check_address_width(ir::Operand const& operand, Node const& node) {
        bool const is_far = form_.space == isa::StateSpace::generic || form_.space == isa::StateSpace::global;
        if (!is_far || operand.base != ir::Operand::AddressBase::reg || !has_far_addresses()) return true;
        int const width = isa::width(decoder_.address_register);
        if (width >= 32) decoder_.uses_address[width == 64 ? 1 : 0] = true;
        if (decoder_.module.target_sm < 90 || decoder_.module.address_bits != 64 || width != 32) return true;
        decoder_.diagnostics.error(node.text,
                                   "a generic or global address has 64 bits from sm_90 on; this register has " +
                                       std::to_string(isa::width(decoder_.address_register)));
        return false;
    }
    bool has_far_addresses() const {
        return !form_.has(Modifier::tensormap) && isa::facts(effect_).is(isa::EffectFacts::far_addresses);
    }

    bool check_tensor_address(ir::Operand const& operand, OperandRule::Tensor tensor, Node const& node) {
        if (tensor == OperandRule::Tensor::no) return true;
        Type const type = decoder_.address_register;
        bool const is_untyped = tensor == OperandRule::Tensor::untyped_address;
        if (operand.base == ir::Operand::AddressBase::reg && isa::width(type) == 32 &&
            (!is_untyped || isa::is_untyped(type)))
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
        isa::StateSpace space = rule.space.value_or(form_.space);
        if (rule.handle != Type::none && names_opaque_parameter(nodes[0])) space = isa::StateSpace::param;
        if (space == isa::StateSpace::generic && rule.handle == Type::none)
            require(decoder_, nodes[0].text, "generic addressing", 20, 20);
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
    ir::Form const form_;  // a copy: instructions that lowering an index adds bring new forms
    Effect effect_;
    bool has_list_ = false;  // for a mov that packs: the destination is a list
};

}  // namespace

bool decode_operands(Decoder& decoder, Shape const& shape, std::span<Node const> nodes, unsigned count) {
    return OperandDecoder(decoder, shape).decode(nodes, count);
}

}  // namespace warpsim::frontend
