#include "runtime/check/race/tensor_wait.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpsim::check {

std::optional<std::uint32_t> use_before_wait(ir::Module const& module, ir::Function const& function,
                                             std::uint32_t load) {
    std::vector<std::uint32_t> loaded;
    ir::for_each_register(module, function, function.instructions[load], [&](std::uint32_t reg, bool is_written) {
        if (is_written) loaded.push_back(reg);
    });
    std::uint32_t next = load + 1;
    for (std::size_t steps = 0; steps < function.instructions.size() && next < function.instructions.size();
         ++steps) {
        ir::Instruction const& instruction = function.instructions[next];
        bool uses = false;
        ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool) {
            uses |= std::find(loaded.begin(), loaded.end(), reg) != loaded.end();
        });
        if (uses) return next;
        bool const is_guarded = instruction.guard != ir::none;
        switch (module.forms[instruction.form].operation) {
            case isa::Operation::tcgen05_wait_ld:
            case isa::Operation::brx_idx: return std::nullopt;
            case isa::Operation::ret:
            case isa::Operation::exit:
                if (!is_guarded) return std::nullopt;
                break;
            case isa::Operation::bra:
                if (is_guarded) return std::nullopt;
                next = function.operands_of(instruction).front().index;
                continue;
            default: break;
        }
        ++next;
    }
    return std::nullopt;
}

}  // namespace warpsim::check
