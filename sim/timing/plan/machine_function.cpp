#include "sim/timing/plan/machine_function.hpp"

#include "frontend/ir/registers.hpp"

namespace warpsim::timing {

MachineFunction machine_function(ir::Module const& module, ir::Function const& function,
                                 GuardedPaths const& paths) {
    MachineFunction m;
    m.module = &module;
    m.function = &function;
    m.program_registers = static_cast<std::uint32_t>(function.registers.size());
    m.instructions.resize(function.instructions.size());
    for (std::size_t i = 0; i < paths.places.size(); ++i) {
        m.instructions[i].guarded = paths.places[i];
        if (paths.places[i].part == Part::branch) m.instructions[i].fate = Fate::folded;
    }
    for (ir::Instruction const& instruction : function.instructions) {
        ir::for_each_register(module, function, instruction, [&](std::uint32_t reg, bool is_written) {
            (is_written ? m.writes : m.reads).items.push_back(reg);
        });
        m.reads.end_list();
        m.writes.end_list();
    }
    return m;
}

void move_places(ir::Function& function, std::vector<std::uint32_t> const& new_first) {
    for (ir::Block& block : function.blocks) {
        block.first = new_first[block.first];
        block.last = new_first[block.last + 1] - 1;
    }
    function.block_of.assign(function.instructions.size(), 0);
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        for (std::uint32_t i = function.blocks[b].first; i <= function.blocks[b].last; ++i)
            function.block_of[i] = b;
    }
    for (ir::Operand& o : function.operands) {
        if (o.kind == ir::Operand::Kind::label) o.index = new_first[o.index];
    }
    for (auto& targets : function.branch_targets) {
        for (std::uint32_t& target : targets) target = new_first[target];
    }
    for (auto& label : function.labels) label.second = new_first[label.second];
}

}  // namespace warpsim::timing
