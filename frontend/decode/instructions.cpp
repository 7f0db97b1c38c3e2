// Decodes one instruction: its form, its guard, and the checks on both.
#include "frontend/decode/decoder.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::Modifier;
using isa::Operation;
using isa::Effect;
using isa::Type;

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
    if (instruction.operand_count > most) {  // there are too many operands
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
        message +=
            " needs target sm_" + std::to_string(since.target) + " or higher; this module is for " + module.target;
    } else {
        message +=
            " is only for the targets " + targets_text(since.only) + "; this module is for " + module.target;
    }
    decoder.diagnostics.error(where, message);
}

/// Warp-wide operations without .sync were removed with sm_70, where lanes no longer run in lockstep.
void check_sync(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form) {
    if (decoder.module.version < 64 || decoder.module.target_sm < 70 || form.has(Modifier::sync)) return;
    decoder.diagnostics.error(instruction.mnemonic, quoted(instruction.mnemonic) +
                                                        " without '.sync' ends with sm_70 and PTX version 6.4");
}

/// The matrix products of floating-point numbers lost .satfinite with PTX 6.5.
void check_saturation(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form) {
    if (!form.has(Modifier::satfinite) || !isa::is_float(form.types[0])) return;
    if (decoder.module.version >= 65) {
        decoder.diagnostics.error(instruction.mnemonic,
                                  "'.satfinite' of floating-point matrices ended with PTX version 6.5");
    } else {
        decoder.diagnostics.warning(instruction.mnemonic, "'.satfinite' of floating-point matrices is deprecated: "
                                                          "hardware from sm_70 on may give unexpected results");
    }
}

void check_address_size(Decoder& decoder, syntax::Instruction const& instruction, ir::Form const& form) {
    decoder.uses_address[isa::width(form.types[0]) == 64 ? 1 : 0] = true;
    if (!decoder.has_address_size || isa::width(form.types[0]) == decoder.module.address_bits) return;
    decoder.diagnostics.error(instruction.mnemonic, "an address of this module has " +
                                                        std::to_string(decoder.module.address_bits) + " bits; " +
                                                        quoted(instruction.mnemonic) + " converts " +
                                                        std::to_string(isa::width(form.types[0])));
}

/// The .param accesses that pass arguments and results of a call must be done by all lanes that make the call.
void check_argument_guard(Decoder& decoder, syntax::Instruction const& instruction,
                          std::span<ir::Operand const> operands) {
    if (instruction.guard.empty()) return;
    for (ir::Operand const& operand : operands) {
        if (operand.kind != ir::Operand::Kind::address ||
            operand.base != ir::Operand::AddressBase::function_variable)
            continue;
        ir::Function const& function = decoder.function();
        ir::Variable const& variable = function.variables[operand.index];
        if (variable.space != isa::StateSpace::param || is_parameter(function, operand.index) ||
            is_return_value(function, operand.index)) {
            continue;
        }
        decoder.diagnostics.error(instruction.guard, "an access of " + quoted(variable.name) +
                                                         ", which is handed to calls, cannot have a guard");
    }
}

/// Appends the instructions that compute operands of the next instruction.
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
    bool const is_register = is_scalar_register(*found.symbol);
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
        shape = choose_shape(decoder, shapes, nodes, instruction.operand_count);
        if (shape == nullptr) {
            report_count(decoder, instruction, shapes);
            return;
        }
        decode_operands(decoder, *shape, nodes, instruction.operand_count);
    }
    check_since(decoder, instruction, *shape);
    if (function.carry == ir::none && isa::carries(*shape->row)) {
        function.carry = add_registers(decoder, "%cc", Type::pred);
    }
    ir::Form const& form = decoder.module.forms[shape->form];
    made.operand_count = static_cast<std::uint16_t>(function.operands.size() - made.first_operand);
    if (form.operation == Operation::wmma_mma) check_saturation(decoder, instruction, form);
    if (instruction.mnemonic.find(".const[") != std::string_view::npos)
        check_constant_bank(decoder, instruction.mnemonic);
    switch (shape->row->effect) {
        case Effect::create_policy: check_policy(decoder, instruction, form, function.operands_of(made)); break;
        case Effect::move:
        case Effect::load:
        case Effect::store:
        case Effect::atomic:
        case Effect::reduction:
            check_argument_guard(decoder, instruction, function.operands_of(made));
            if (!is_told_apart_by_operands(*shape->row)) check_memory(decoder, instruction, form);
            break;
        case Effect::barrier: check_barrier(decoder, instruction, form, function.operands_of(made)); break;
        case Effect::convert_address: check_address_size(decoder, instruction, form); break;
        case Effect::shuffle:
        case Effect::vote: check_sync(decoder, instruction, form); break;
        default: break;
    }
    flush_pending(decoder);
    made.form = shape->form;
    // An invalid instruction keeps its place, so that labels and later errors stay correct; the module is not
    // executed.
    function.instructions.push_back(made);
}

}  // namespace warpsim::frontend
