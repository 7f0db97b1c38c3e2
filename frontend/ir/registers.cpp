#include "frontend/ir/registers.hpp"

#include "frontend/isa/table.hpp"

#include <algorithm>

namespace warpsim::ir {
namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;

isa::Row const& row_of(Form const& form) { return isa::rows(isa::HostIsa::baseline)[form.row]; }

/// The first operand of a syntax line: `p[|q]` of `setp.CmpOp{.ftz}.type p[|q], a, b`. Optional modifiers may hold
/// commas and blanks, so braces are counted.
std::string_view first_operand(std::string_view syntax) {
    int depth = 0;
    std::size_t i = 0;
    for (; i < syntax.size() && (depth > 0 || syntax[i] != ' '); ++i) {
        depth += (syntax[i] == '{') - (syntax[i] == '}');
    }
    std::string_view const operands = syntax.substr(i);
    return operands.substr(0, operands.find(','));
}

bool reads_carry(Operation operation) {
    return operation == Operation::addc || operation == Operation::subc || operation == Operation::madc_lo ||
           operation == Operation::madc_hi;
}

/// The operands that the line says are written, which stand first.
int results_of(isa::Row const& row) {
    int count = 0;
    for (isa::OperandSpec const& spec : row.operands) {
        if (!spec.is_written()) break;
        count += spec.has_predicate ? 2 : 1;
    }
    return count;
}

bool writes_pair(isa::Row const& row) { return first_operand(row.syntax).find('|') != std::string_view::npos; }

}  // namespace

Effect effect(Module const& module, Instruction const& instruction) {
    return row_of(module.forms[instruction.form]).effect;
}

int written_operands(Module const& module, Function const& function, Instruction const& instruction) {
    Form const& form = module.forms[instruction.form];
    isa::Row const& row = row_of(form);
    switch (isa::facts(row.effect).written) {
        case isa::Written::nothing: return 0;
        case isa::Written::first: return writes_pair(row) ? 2 : 1;
        case isa::Written::first_with_red: return form.has(Modifier::red) ? 1 : 0;
        case isa::Written::first_and_reduced: return form.operation == Operation::tcgen05_ld_red ? 2 : 1;
        case isa::Written::first_always: return std::max(1, results_of(row));
        case isa::Written::result_list: {
            // The list of results stands before the target, the list of arguments after it.
            auto const operands = function.operands_of(instruction);
            return !operands.empty() && operands.front().kind == Operand::Kind::list ? 1 : 0;
        }
    }
    return 0;
}

std::int64_t selector_value(std::string_view selector) {
    std::int64_t value = 0;
    for (std::size_t i = selector.size(); i-- > 0;) value = value << 8 | selector[i];
    return value;
}
std::string selector_of(Operand const& operand) {
    std::string text;
    for (std::int64_t rest = operand.value; rest != 0; rest >>= 8) text += static_cast<char>(rest & 0xff);
    return text;
}

CarryUse carry_use(Module const& module, Instruction const& instruction) {
    Form const& form = module.forms[instruction.form];
    isa::Row const& row = row_of(form);
    if (row.effect == Effect::call) return {false, true};
    if (!isa::carries(row)) return {};
    return {reads_carry(form.operation), form.has(Modifier::cc)};
}

bool accumulates(Module const& module, Instruction const& instruction) {
    return module.forms[instruction.form].operation == Operation::wgmma_mma_async;
}

}  // namespace warpsim::ir
