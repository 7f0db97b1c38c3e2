#include "runtime/check/race/dependence.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpsim::check {

using isa::Operation;

namespace {

bool is_of_arguments(isa::StateSpace space) {
    using enum isa::StateSpace;
    return space == param || space == param_entry || space == param_func || space == constant;
}

/// Whether an instruction gets its result from memory or from other threads.
bool brings_values(ir::Form const& form) {
    switch (form.operation) {
        case Operation::ld: return !is_of_arguments(form.space);
        case Operation::ldu:
        case Operation::ldmatrix:
        case Operation::atom:
        case Operation::call:
        case Operation::shfl:
        case Operation::vote:
        case Operation::match:
        case Operation::redux:
        case Operation::tex:
        case Operation::suld_b: return true;
        default: return false;
    }
}

}  // namespace

bool depends_on_memory(ir::Module const& module, ir::Function const& function, ir::Instruction const& store) {
    std::vector<bool> is_needed(function.registers.size(), false);
    for (ir::Operand const& operand : function.operands_of(store))
        if (operand.kind == ir::Operand::Kind::reg) is_needed[operand.index] = true;
    // Until nothing is added: what the needed registers are computed from.
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (ir::Instruction const& instruction : function.instructions) {
            bool is_needed_here = false;
            ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
                is_needed_here |= is_written && reg < is_needed.size() && is_needed[reg];
            });
            if (!is_needed_here) continue;
            if (brings_values(module.forms[instruction.form])) return true;
            ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
                if (is_written || reg >= is_needed.size() || is_needed[reg]) return;
                is_needed[reg] = has_grown = true;
            });
        }
    }
    return false;
}

}  // namespace warpsim::check
