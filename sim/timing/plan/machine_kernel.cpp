#include "sim/timing/plan/machine_kernel.hpp"

#include "sim/timing/plan/cleanup.hpp"
#include "sim/timing/plan/columns.hpp"
#include "sim/timing/plan/expansion.hpp"
#include "sim/timing/plan/schedule.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

// Values that a block's schedule tries not to exceed: what every thread of a full SM has.
constexpr std::uint32_t register_target = 32;

/// What the hardware issues for each instruction that is issued.
void add_micros(MachineFunction& m, sim::Config const& config) {
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        MachineInstruction& instruction = m.instructions[i];
        instruction.first_micro = static_cast<std::uint32_t>(m.micros.size());
        for (std::uint32_t k = 0; k < instruction.extra_moves; ++k) m.micros.push_back({MicroUnit::alu, false, 0});
        bool const is_move = instruction.extra_moves != 0 && m.form(i).opcode == "ld";   // of a parameter
        if (instruction.fate == Fate::issued && !is_move) expand_machine(m, i, config, m.micros);
        instruction.micros = static_cast<std::uint16_t>(m.micros.size() - instruction.first_micro);
    }
}

CompiledFunction compile(ir::Module const& module, ir::Function& function, sim::Config const& config) {
    CompiledFunction f;
    MachineFunction& m = f.machine;
    m = machine_function(module, function);
    clean_up(m);
    add_micros(m, config);
    BlockLiveness live = find_block_liveness(function, m.machine_reads, m.machine_writes);
    f.original = schedule(m, live, expected_latencies(config), register_target);
    reorder(m, function, f.original);
    f.allocation = allocate(m, live);
    return f;
}

}  // namespace

std::unique_ptr<MachineKernel> make_machine_kernel(sim::KernelPlan const& plan, sim::SymbolAddresses const& symbols,
                                                   sim::PlanOptions const& options, sim::Config const& config) {
    auto kernel = std::make_unique<MachineKernel>();
    kernel->module = *plan.module;
    for (sim::FunctionPlan const& f : plan.functions) {
        ir::Function& function = kernel->module.functions[f.index];
        kernel->functions.push_back(compile(kernel->module, function, config));
        CompiledFunction const& compiled = kernel->functions.back();
        function.layout = lay_out_columns(function, compiled.machine.reads, compiled.machine.writes);
        kernel->registers = std::max(kernel->registers, compiled.allocation.registers);
    }
    kernel->kernel = sim::make_plan(kernel->module, plan.functions.front().index, symbols, options);
    return kernel;
}

std::uint32_t count_registers(sim::KernelPlan const& plan, sim::Config const& config) {
    std::uint32_t registers = 0;
    for (sim::FunctionPlan const& f : plan.functions) {
        ir::Function function = *f.function;
        registers = std::max(registers, compile(*plan.module, function, config).allocation.registers);
    }
    return registers;
}

}  // namespace warpsim::timing
