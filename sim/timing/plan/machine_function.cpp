#include "sim/timing/plan/machine_function.hpp"

#include "frontend/ir/registers.hpp"

namespace warpsim::timing {

MachineFunction machine_function(ir::Module const& module, ir::Function const& function) {
    MachineFunction m;
    m.module = &module;
    m.function = &function;
    m.program_registers = static_cast<std::uint32_t>(function.registers.size());
    m.instructions.resize(function.instructions.size());
    for (ir::Instruction const& instruction : function.instructions) {
        ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
            (is_written ? m.writes : m.reads).items.push_back(reg);
        });
        m.reads.end_list();
        m.writes.end_list();
    }
    return m;
}

}  // namespace warpsim::timing
