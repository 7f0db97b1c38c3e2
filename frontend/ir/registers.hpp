// Which registers an instruction reads and which it writes; this is the only place that decides it.
#pragma once

#include "frontend/ir/module.hpp"
#include "frontend/isa/effect.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::ir {

/// The effect stated by the row of the instruction's form.
isa::Effect effect(Module const& module, Instruction const& instruction);

/// How many of the first operands the instruction writes; a vector or list counts as one, elements included.
int written_operands(Module const& module, Function const& function, Instruction const& instruction);

/// Whether the destination is a source too (the accumulator of wgmma).
bool accumulates(Module const& module, Instruction const& instruction);

/// The selector of a register operand of a video instruction, as `b0` in `%r1.b0`, is kept in Operand::value.
std::int64_t selector_value(std::string_view selector);
std::string selector_of(Operand const& operand);

/// What an instruction does to the carry (CC). A call overwrites it: the carry does not survive one.
struct CarryUse {
    bool is_read = false;
    bool is_written = false;
};
CarryUse carry_use(Module const& module, Instruction const& instruction);

/// Calls callback(register, is_written) for the guard and every register operand, in the order of the operands. A
/// register that is read and written is reported twice; `ret` reads the return registers of its function. The
/// carry comes last.
template <class Callback>
void for_each_register(Module const& module, Function const& function, Instruction const& instruction,
                       Callback&& callback) {
    if (instruction.guard != none) {
        callback(instruction.guard, false);
    }
    auto const operands = function.operands_of(instruction);
    std::size_t end_of_written = 0;
    int written = written_operands(module, function, instruction);
    for (; written > 0 && end_of_written < operands.size(); --written) {
        Operand const& operand = operands[end_of_written];
        bool const has_elements = operand.kind == Operand::Kind::vector || operand.kind == Operand::Kind::list;
        end_of_written += 1 + (has_elements ? std::size_t{operand.count} : 0);
    }
    bool const reads_destination = end_of_written > 0 && accumulates(module, instruction);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        Operand const& operand = operands[i];
        if (operand.kind == Operand::Kind::reg) {
            bool const is_written = i < end_of_written;
            if (!is_written || reads_destination) {
                callback(operand.index, false);
            }
            if (is_written) {
                callback(operand.index, true);
            }
        } else if (operand.kind == Operand::Kind::address && operand.base == Operand::AddressBase::reg) {
            callback(operand.index, false);
        }
    }
    if (effect(module, instruction) == isa::Effect::ret) {
        for (std::size_t i = 0; i < function.returns.size(); ++i) {
            if (i < function.return_in_register.size() && function.return_in_register[i]) {
                callback(function.returns[i], false);
            }
        }
    }
    if (function.carry != none) {
        CarryUse const use = carry_use(module, instruction);
        if (use.is_read) {
            callback(function.carry, false);
        }
        if (use.is_written) {
            callback(function.carry, true);
        }
    }
}

}  // namespace warpsim::ir
