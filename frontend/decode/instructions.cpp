// One instruction: its form, guard and operands.
#include "frontend/decode/decoder.hpp"

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

bool is_new(ir::Module const& module, isa::Row const& row) {
    return row.since.version > module.version || (module.target_sm != 0 && row.since.target > module.target_sm);
}

/// How many optional operands are written, taken from the first `{, x}` on.
unsigned groups_taken(SyntaxLine const& line, unsigned written) {
    unsigned extra = written - line.least_operands;
    unsigned group = 0;
    while (extra > 0 && group < line.operand_groups) {
        ++group;
        auto const members =
            std::count_if(line.operands.begin(), line.operands.end(),
                          [&](OperandSlot const& slot) { return slot.group == group && !slot.closes_pair; });
        extra -= std::min(extra, static_cast<unsigned>(members));
    }
    return group;
}

/// Whether operands of these shapes can be those of the line; types are not looked at.
bool fits(Shape const& shape, std::span<Node const> nodes, unsigned count) {
    SyntaxLine const& line = *shape.line;
    if (count < line.least_operands || count > line.most_operands) return false;
    unsigned const groups = groups_taken(line, count);
    for (OperandSlot const& slot : line.operands) {
        if (slot.closes_pair || slot.group > groups) continue;
        if (nodes.empty()) return false;
        bool const in_brackets = nodes[0].kind == NodeKind::address || nodes[0].kind == NodeKind::indexed;
        if (slot.is_address != in_brackets && nodes[0].kind != NodeKind::indexed) return false;
        if (slot.is_vector && nodes[0].kind != NodeKind::vector && nodes[0].kind != NodeKind::name) return false;
        nodes = after(nodes);
    }
    return true;
}

Shape const* choose(ir::Module const& module, std::span<Shape const> shapes, std::span<Node const> nodes,
                    unsigned count) {
    if (shapes.size() == 1) {
        SyntaxLine const& line = *shapes[0].line;
        return count >= line.least_operands && count <= line.most_operands ? &shapes[0] : nullptr;
    }
    Shape const* best = nullptr;
    Shape const* counted = nullptr;
    for (Shape const& shape : shapes) {
        if (counted == nullptr && count >= shape.line->least_operands && count <= shape.line->most_operands)
            counted = &shape;
        if (!fits(shape, nodes, count)) continue;
        if (!is_new(module, *shape.row)) return &shape;
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
        least = std::min(least, shape.line->least_operands);
        most = std::max(most, shape.line->most_operands);
    }
    std::string wanted = std::to_string(least);
    if (most != least) wanted += " to " + std::to_string(most);
    decoder.diagnostics.error(instruction.text, quoted(instruction.mnemonic) + " takes " + wanted + " operand" +
                                                    (most == 1 ? "" : "s") + ", not " +
                                                    std::to_string(instruction.operand_count));
    decoder.diagnostics.note(instruction.mnemonic, legal_lines(rows));
}

std::string version_text(int version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

void check_since(Decoder& decoder, syntax::Instruction const& instruction, isa::Row const& row) {
    ir::Module const& module = decoder.module;
    if (row.since.version > module.version) {
        decoder.diagnostics.error(instruction.mnemonic, quoted(instruction.mnemonic) + " needs PTX version " +
                                                            version_text(row.since.version) +
                                                            "; this module is of version " +
                                                            version_text(module.version));
    } else if (module.target_sm != 0 && row.since.target > module.target_sm) {
        decoder.diagnostics.error(instruction.mnemonic, quoted(instruction.mnemonic) + " needs target sm_" +
                                                            std::to_string(row.since.target) +
                                                            " or higher; this module is for " + module.target);
    }
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
    return effect == Effect::move || effect == Effect::convert_address || effect == Effect::is_space ||
           effect == Effect::not_executed;
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
    append(decoder, kind == LabelUse::Kind::table ? OperandKind::branch_targets : OperandKind::label, Type::none);
    decoder.body->label_uses.push_back(use);
    return true;
}

bool check_parameter_store(Decoder& decoder, Node const& node) {
    ir::Function const& function = decoder.function();
    ir::Operand const& address = function.operands.back();
    if (address.kind != OperandKind::address || address.base != ir::Operand::AddressBase::function_variable)
        return true;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (function.parameters[i] != address.index || function.parameter_in_register[i]) continue;
        decoder.diagnostics.error(node.text, "the parameter " + quoted(function.variables[address.index].name) +
                                                 " cannot be written");
        return false;
    }
    return true;
}

class OperandDecoder {
public:
    OperandDecoder(Decoder& decoder, Shape const& shape)
        : decoder_(decoder), shape_(shape), form_(decoder.module.forms[shape.form]), effect_(shape.row->effect) {}

    bool decode(std::span<Node const> nodes, unsigned count) {
        unsigned const groups = groups_taken(*shape_.line, count);
        auto const& slots = shape_.line->operands;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (slots[i].group > groups) continue;
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
    Wanted wanted(std::size_t slot) const {
        OperandSlot const& s = shape_.line->operands[slot];
        Wanted w;
        w.type = shape_.types[slot];
        w.is_relaxed = shape_.is_relaxed;
        w.is_destination = s.is_destination;
        w.can_be_symbol = can_be_symbol(effect_) && !s.is_destination &&
                          !(effect_ == Effect::convert_address && form_.has(".to"));
        w.can_be_special = effect_ == Effect::move;
        w.can_be_sink = (s.opens_pair && effect_ != Effect::shuffle) || s.closes_pair ||
                        (s.is_destination && effect_ == Effect::atomic);
        w.vector = s.is_vector || effect_ == Effect::not_executed ? 0 : shape_.is_list[slot] ? form_.vector : 1;
        return w;
    }

    bool pair(std::size_t slot, std::span<Node const> nodes) {
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
        Wanted w = wanted(slot);
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
        if (!check_symbol(decoder_.function().operands[at], nodes[0])) return false;
        if (w.vector > 1 && decoder_.function().operands[at].kind != OperandKind::vector) {
            decoder_.diagnostics.error(nodes[0].text,
                                       "a list of " + std::to_string(w.vector) + " in braces is wanted here");
            return false;
        }
        return true;
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

    bool address(std::size_t slot, std::span<Node const> nodes) {
        Type const type = shape_.types[slot] != Type::none ? shape_.types[slot] : form_.types[0];
        std::size_t const at = decoder_.function().operands.size();
        if (!decode_address(decoder_, nodes, type, form_.space)) return false;
        ir::Operand& operand = decoder_.function().operands[at];
        operand.generic =
            form_.space == isa::StateSpace::generic && operand.base >= ir::Operand::AddressBase::module_variable;
        return effect_ != Effect::store || check_parameter_store(decoder_, nodes[0]);
    }

    Decoder& decoder_;
    Shape const& shape_;
    ir::Form const& form_;
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
        decoder.diagnostics.note(found.symbol->declared_at, "declared here");
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
        shape = choose(decoder.module, shapes, nodes, instruction.operand_count);
        if (shape == nullptr) {
            report_count(decoder, instruction, shapes);
            return;
        }
        OperandDecoder(decoder, *shape).decode(nodes, instruction.operand_count);
    }
    check_since(decoder, instruction, *shape->row);
    ir::Form const& form = decoder.module.forms[shape->form];
    made.operand_count = static_cast<std::uint16_t>(function.operands.size() - made.first_operand);
    switch (shape->row->effect) {
        case Effect::load:
        case Effect::store: check_memory(decoder, instruction, form); break;
        case Effect::barrier: check_barrier(decoder, instruction, form, function.operands_of(made)); break;
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
