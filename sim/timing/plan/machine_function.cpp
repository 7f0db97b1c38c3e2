#include "sim/timing/plan/machine_function.hpp"

#include "sim/timing/plan/operations.hpp"

#include <utility>

namespace warpsim::timing {

namespace {

ir::RegisterUses uses_of(MachineFunction const& m, Lists const& reads, Lists const& writes) {
    ir::RegisterUses uses{*m.function, reads, writes, std::vector<bool>(m.instructions.size())};
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) uses.keeps_old[i] = m.keeps_old(i);
    return uses;
}

}  // namespace

bool is_advance(MachineFunction const& m, std::uint32_t i) {
    using Kind = ir::Operand::Kind;
    auto const o = m.operands(i);
    return is_plain_add(m.form(i)) && o.size() == 3 && o[0].kind == Kind::reg && o[1].kind == Kind::reg &&
           o[0].index == o[1].index && o[2].kind == Kind::immediate;
}

ir::RegisterUses program_uses(MachineFunction const& m) { return uses_of(m, m.reads, m.writes); }
ir::RegisterUses machine_uses(MachineFunction const& m) { return uses_of(m, m.machine_reads, m.machine_writes); }

ir::Liveness find_machine_liveness(MachineFunction const& m) {
    std::vector<std::uint8_t> units;
    units.reserve(m.function->registers.size());
    for (std::uint32_t reg = 0; reg < m.function->registers.size(); ++reg)
        units.push_back(static_cast<std::uint8_t>(m.units(reg)));
    return ir::find_liveness(machine_uses(m), units);
}

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
    ir::RegisterLists lists = ir::list_registers(module, function);
    m.reads = std::move(lists.reads);
    m.writes = std::move(lists.writes);
    return m;
}

void move_labels(ir::Function& function, std::vector<std::uint32_t> const& new_first) {
    for (ir::Operand& o : function.operands) {
        if (o.kind == ir::Operand::Kind::label) o.index = new_first[o.index];
    }
    for (auto& targets : function.branch_targets) {
        for (std::uint32_t& target : targets) target = new_first[target];
    }
    for (auto& label : function.labels) label.second = new_first[label.second];
    for (std::uint32_t& loop : function.not_unrolled) loop = new_first[loop];
}

void number_blocks(ir::Function& function) {
    function.block_of.assign(function.instructions.size(), 0);
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
        for (std::uint32_t i = function.blocks[b].first; i <= function.blocks[b].last; ++i)
            function.block_of[i] = b;
    }
}

void move_places(ir::Function& function, std::vector<std::uint32_t> const& new_first) {
    for (ir::Block& block : function.blocks) {
        block.first = new_first[block.first];
        block.last = new_first[block.last + 1] - 1;
    }
    number_blocks(function);
    move_labels(function, new_first);
}

}  // namespace warpsim::timing
