// Parameters of functions whose address is taken. Such an address is one of local memory, so the parameter lies in
// the function's frame there: its loads and stores become those of .local.
#include "frontend/decode/decoder.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using isa::StateSpace;
using OperandKind = ir::Operand::Kind;
using AddressBase = ir::Operand::AddressBase;

bool is_in_param(ir::Form const& form) {
    return form.space == StateSpace::param || form.space == StateSpace::param_func;
}

/// The same form in .local.
std::uint32_t form_in_local(ir::Module& module, std::uint32_t form) {
    ir::Form made = module.forms[form];
    made.space = StateSpace::local;
    for (std::uint32_t f = form + 1; f < module.forms.size(); ++f) {
        ir::Form const& known = module.forms[f];
        if (known.space == StateSpace::local && known.text.data() == made.text.data() && known.row == made.row &&
            known.variant == made.variant) {
            return f;
        }
    }
    module.forms.push_back(std::move(made));
    return static_cast<std::uint32_t>(module.forms.size() - 1);
}

}  // namespace

void move_addressed_parameters(Decoder& decoder) {
    ir::Function& function = decoder.function();
    auto const names_own = [&](ir::Operand const& operand) {
        bool const names_variable =
            operand.kind == OperandKind::symbol ||
            (operand.kind == OperandKind::address && operand.base == AddressBase::function_variable);
        return names_variable && !operand.is_module_variable;
    };
    for (ir::Operand const& operand : function.operands) {
        if (operand.kind != OperandKind::symbol || !names_own(operand)) continue;
        ir::Variable& variable = function.variables[operand.index];
        if (variable.space != StateSpace::param) continue;
        variable.space = StateSpace::local;
        variable.offset = align_up(function.local_bytes, variable.align);
        function.local_bytes = variable.offset + variable.size;
    }
    for (ir::Instruction& instruction : function.instructions) {
        if (!is_in_param(decoder.module.forms[instruction.form])) continue;
        auto const operands = function.operands_of(instruction);
        // No other parameter has an address that a register could hold.
        bool const is_local = std::any_of(operands.begin(), operands.end(), [&](ir::Operand const& operand) {
            if (operand.kind == OperandKind::address && operand.base == AddressBase::reg) return true;
            return names_own(operand) && function.variables[operand.index].space == StateSpace::local;
        });
        if (is_local) instruction.form = form_in_local(decoder.module, instruction.form);
    }
}

}  // namespace warpsim::frontend
