#include "sim/timing/plan/machine_kernel.hpp"

#include "frontend/ir/analysis/columns.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/exec/registers.hpp"
#include "sim/timing/plan/balance.hpp"
#include "sim/timing/plan/cleanup.hpp"
#include "sim/timing/plan/convergence.hpp"
#include "sim/timing/plan/copied_numbers.hpp"
#include "sim/timing/plan/expansion.hpp"
#include "sim/timing/plan/fragment_addresses.hpp"
#include "sim/timing/plan/gathered_atomics.hpp"
#include "sim/timing/plan/inverted_branches.hpp"
#include "sim/timing/plan/issue_order.hpp"
#include "sim/timing/plan/lane_checks.hpp"
#include "sim/timing/plan/late_constants.hpp"
#include "sim/timing/plan/merged_accesses.hpp"
#include "sim/timing/plan/parameters.hpp"
#include "sim/timing/plan/predicates.hpp"
#include "sim/timing/plan/prologue.hpp"
#include "sim/timing/plan/routines.hpp"
#include "sim/timing/plan/schedule.hpp"
#include "sim/timing/plan/single_values.hpp"
#include "sim/timing/plan/spill.hpp"
#include "sim/timing/plan/spread.hpp"
#include "sim/timing/plan/uniform.hpp"
#include "sim/timing/plan/uniform_places.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

// From its issue to that of an instruction that uses the result (HUE).
constexpr std::uint16_t constant_load_latency = 26;

constexpr int most_attempts = 24;

// ptxas 13.0 stops asking for more where only so many of the registers are left that every thread of a full SM can have: of loads that
// are added up one after the other, 20 are under way for 8.0, with six other values.
constexpr std::uint32_t kept_free = 6;
// Where so many values pass a block that hardly any would be left: what passes it here may be more than with ptxas.
constexpr std::uint32_t least_under_way = 12;

/// What every thread of a full SM can have, which the scheduler tries not to exceed: by the threads of the GPUs that the compiler
/// knows of this compute capability, whatever the configuration has.
std::uint32_t register_target(int capability) {
    constexpr std::uint32_t registers = 65536;
    switch (capability) {
        case 75: return registers / 1024;
        case 86:
        case 87:
        case 88:
        case 89:
        case 110:
        case 120:
        case 121: return registers / 1536 / register_unit * register_unit;
        default: return registers / 2048;
    }
}

void make_uniform(MachineFunction& m, std::uint32_t first) {
    for (std::size_t k = first; k < m.micros.size(); ++k) {
        MicroOp& op = m.micros[k];
        if (op.unit == MicroUnit::alu || op.unit == MicroUnit::fma) op.unit = MicroUnit::uniform;
    }
}

bool writes_pair(MachineFunction const& m, std::uint32_t i) {
    auto const writes = m.machine_writes[i];
    return writes.size() == 1 && m.units(writes[0]) == 2;
}

/// From 9.0 on the constant bank is read for all lanes at once (ULDC) before a pointer is moved to registers that a loop advances.
bool copies_pointer(MachineFunction const& m, std::uint32_t i) {
    MachineInstruction const& instruction = m.instructions[i];
    isa::Effect const effect = ir::effect(*m.module, m.ir(i));
    bool const copies = effect == isa::Effect::load || effect == isa::Effect::move;
    if (!copies || instruction.fate != Fate::issued || instruction.is_constant || !m.machine_reads[i].empty() ||
        !writes_pair(m, i) || m.only_definition[m.machine_writes[i][0]] != ir::none)
        return false;
    ir::Operand const& source = m.operands(i).back();
    if (effect == isa::Effect::load)
        return m.form(i).space == isa::StateSpace::param_entry || m.form(i).space == isa::StateSpace::param;
    if (source.kind != ir::Operand::Kind::reg) return false;
    std::uint32_t const maker = m.only_definition[m.root[source.index]];
    return maker != ir::none && ir::effect(*m.module, m.ir(maker)) == isa::Effect::load;
}

/// The micro-ops of every instruction that is issued.
void add_micros(MachineFunction& m, Divergence const& divergence, sim::Config const& config) {
    int const capability = config.compute_capability.number();
    FragmentAddresses fragments(m);
    std::vector<std::uint8_t> const copied_numbers = find_copied_numbers(m, divergence);
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        MachineInstruction& instruction = m.instructions[i];
        instruction.first_micro = static_cast<std::uint32_t>(m.micros.size());
        isa::Effect const effect = ir::effect(*m.module, m.ir(i));
        // A memory operation uses its first micro-op to access memory.
        bool const moves_first =
            effect == isa::Effect::lanes || effect == isa::Effect::move || instruction.is_constant;
        std::uint32_t const moves = instruction.extra_moves + std::uint32_t{instruction.prologue};
        auto const add_moves = [&] {
            bool const is_loaded =
                instruction.loads_constant && instruction.extra_moves != 0 && !instruction.is_uniform;
            bool const is_pair = is_loaded && capability < 90;
            m.micros.insert(m.micros.end(), moves + (is_pair ? 1 : 0), MicroOp{MicroUnit::alu});
            if (is_loaded && !is_pair) {
                MicroOp& last = m.micros.back();
                last.unit = MicroUnit::special;
                last.interval = 1;
                last.latency = constant_load_latency;
            }
            for (std::uint8_t r = 0; r < instruction.reciprocals; ++r) append(reciprocal, m.micros);
        };
        m.micros.insert(m.micros.end(), instruction.convergence, MicroOp{MicroUnit::branch});
        if (moves_first) add_moves();
        instruction.micros_in_front = static_cast<std::uint8_t>(m.micros.size() - instruction.first_micro);
        append(lane_check(instruction.lane_check).before, m.micros);
        append(gathering(instruction.gathering).before, m.micros);
        fragments.add(i, m.micros);
        if (instruction.fate == Fate::issued && !instruction.is_constant) {
            if (capability >= 90 && copies_pointer(m, i)) m.micros.push_back({MicroUnit::uniform});
            expand_machine(m, i, config, m.micros);
            Routine const* const routine = instruction.is_uniform ? nullptr : routine_of(m.form(i));
            if (routine != nullptr) instruction.routine = number_of(*routine);
        }
        append(gathering(instruction.gathering).behind, m.micros);
        // Of pairs all lanes compute, and the old value is selected where the guard does not hold.
        if (effect == isa::Effect::lanes && instruction.fate == Fate::issued && !instruction.is_uniform &&
            m.keeps_old(i) && writes_pair(m, i))
            append("aa", m.micros);
        std::size_t const own = m.micros.size();
        if (!moves_first) add_moves();
        instruction.micros_behind = static_cast<std::uint8_t>(m.micros.size() - own);
        m.micros.insert(m.micros.end(), copied_numbers[i], {MicroUnit::alu});
        if (instruction.is_uniform && !reads_clock_of_32_bits(m, i)) make_uniform(m, instruction.first_micro);
        instruction.micros = static_cast<std::uint16_t>(m.micros.size() - instruction.first_micro);
    }
}

bool has_barriers(MachineFunction const& m) {
    return std::any_of(m.function->instructions.begin(), m.function->instructions.end(),
                       [&](ir::Instruction const& i) { return ir::effect(*m.module, i) == isa::Effect::barrier; });
}

/// How many registers have values that are live in front of the block and behind it.
std::uint32_t passing(MachineFunction const& m, ir::BlockLiveness const& live, std::size_t block) {
    std::uint32_t units = 0;
    for (std::uint32_t const reg : live.in[block]) {
        bool const is_vector = m.function->registers[reg].type != ir::Type::pred && !m.in_uniform_file(reg);
        if (is_vector && std::binary_search(live.out[block].begin(), live.out[block].end(), reg))
            units += m.units(reg);
    }
    return units;
}

/// One value fewer in the blocks that have too many, if any block can do with fewer.
bool keep_fewer(std::vector<RegisterTargets>& targets, std::vector<bool> const& beyond, std::uint32_t wanted) {
    constexpr std::uint32_t most_fewer = 16;
    bool const is_somewhere = std::find(beyond.begin(), beyond.end(), true) != beyond.end();
    bool any = false;
    for (std::size_t b = 0; b < targets.size(); ++b) {
        std::uint32_t& usual = targets[b].usual;
        bool const may = usual > 1 && usual + most_fewer > wanted;
        if (!may || (is_somewhere && !beyond[b])) continue;
        targets[b].before_barriers = --usual;
        any = true;
    }
    return any;
}

/// Puts the instructions of `f` in the order of issue, which is returned, and allocates their registers. Tries others that
/// keep fewer values where the first takes more registers than it may, or than a full SM has for every thread, or than machine
/// code is `known` to take.
std::vector<std::uint32_t> order_and_allocate(CompiledFunction& f, ir::Function& function, std::uint32_t limit,
                                              std::uint32_t known, sim::Config const& config) {
    struct Attempt {
        std::vector<std::uint32_t> order;
        ir::Function function;
        MachineFunction machine;
        Allocation allocation;
    };
    ir::BlockLiveness const live = ir::find_block_liveness(machine_uses(f.machine));
    CompilerModel const model(config);
    Scheduler scheduler(f.machine, live, model);
    std::size_t const blocks = function.blocks.size();
    auto const attempt = [&](std::vector<RegisterTargets> const& targets) {
        auto a = std::make_shared<Attempt>(Attempt{scheduler.order(targets), function, f.machine, {}});
        reorder(a->machine, a->function, a->order);
        a->allocation = allocate(a->machine, live);
        // Predicates beyond those that there are take a vector register, and one more while they are moved.
        if (a->allocation.predicates > predicates_of_thread) a->allocation.registers += 2;
        return a;
    };
    std::uint32_t const target = known != 0 ? known : register_target(config.compute_capability.number());
    std::uint32_t const wanted = std::min(target, limit);
    std::vector<RegisterTargets> targets;
    for (std::size_t b = 0; b < blocks; ++b) {
        std::uint32_t const few = target - std::min(target, kept_free),
                            first = std::min(
                                {std::max(few, passing(f.machine, live, b) + least_under_way), target, limit - 4});
        targets.push_back({first, first});
    }
    std::shared_ptr<Attempt> best = attempt(targets), last = best;
    f.is_squeezed = best->allocation.registers > wanted;
    // No order takes fewer than are live between blocks.
    bool const may_fit = least_registers(f.machine, live) <= wanted;
    auto const is_worth_trying = [&] {
        std::uint32_t const registers = best->allocation.registers;
        return registers > limit || (registers > wanted && may_fit);
    };
    for (int round = 0; round < most_attempts && is_worth_trying(); ++round) {
        if (!keep_fewer(targets, blocks_beyond(last->machine, last->allocation, wanted), wanted)) break;
        last = attempt(targets);
        std::uint32_t const registers = last->allocation.registers;
        bool const takes_less = best->allocation.registers > limit && registers < best->allocation.registers;
        if (registers <= wanted || takes_less) best = last;
    }
    // What some part of the kernel needs anyway, others may use for loads that are under way; before a barrier, as ptxas
    // 13.0 does, even more.
    std::uint32_t const needed = best->allocation.registers;
    if (needed > wanted && needed <= limit) {
        std::uint32_t const usual = std::min((needed + register_unit - 1) / register_unit * register_unit, limit);
        std::uint32_t const before_barriers = has_barriers(f.machine) ? std::min(usual + 16, limit) : usual;
        for (std::uint32_t const reserve : {3u, 6u, 9u, 12u, 15u}) {
            std::shared_ptr<Attempt> other =
                attempt(std::vector<RegisterTargets>(blocks, {usual - reserve, before_barriers - reserve}));
            if (other->allocation.registers > before_barriers) continue;
            best = std::move(other);
            break;
        }
    }
    function = std::move(best->function);
    f.machine = std::move(best->machine);
    f.machine.function = &function;
    f.allocation = std::move(best->allocation);
    return std::move(best->order);
}

/// Where too few registers are left, each instruction has its constants moved for itself.
void move_constants_again(MachineFunction& m) {
    for (MachineInstruction& instruction : m.instructions) instruction.moved = {};
}

/// Puts the instructions, whose values have registers, in the order of issue.
void issue(CompiledFunction& f, ir::Function& function, sim::Config const& config) {
    std::vector<std::uint32_t> const order = find_issue_order(f.machine, f.allocation, CompilerModel(config));
    std::vector<std::uint32_t> original;
    original.reserve(order.size());
    for (std::uint32_t const i : order) original.push_back(f.original[i]);
    f.original = std::move(original);
    reorder(f.machine, function, order);
    reorder(f.allocation, order);
}

CompiledFunction compile(ir::Module& module, ir::Function& function, std::uint32_t limit, std::uint32_t known,
                         sim::Config const& config, Rereading rereading) {
    CompiledFunction f;
    MachineFunction& m = f.machine;
    int const capability = config.compute_capability.number();
    name_single_values(module, function);
    name_numbers_of_atomics(module, function);
    GuardedPaths paths = convert_branches(module, function, config);
    Unrolled unrolled = unroll(module, function, paths, capability);
    std::vector<std::uint32_t> same_value = reread_parameters(module, function, paths, unrolled, rereading);
    m = machine_function(module, function, paths);
    m.same_value = std::move(same_value);
    f.branches = paths.branches;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) m.instructions[i].weight = unrolled.weight[i];
    ir::DominatorTree const dominators(function);
    clean_up(m, unrolled.loops, dominators, capability);
    if (config.sm.units && config.sm.units->uniform) find_uniform(m, capability);
    invert_branches(m);
    std::vector<std::uint32_t> const merged = merge_accesses(m, function);
    std::vector<std::uint32_t> const late = move_constants_down(m, function);
    Divergence const divergence(m);
    add_convergence(m, dominators, divergence, capability);
    gather_atomics(m, divergence, dominators, capability);
    add_prologue(m, dominators, capability);
    add_micros(m, divergence, config);
    balance_pipes(m, config);
    std::vector<std::uint32_t> const order = order_and_allocate(f, function, limit, known, config);
    for (std::uint32_t const i : order) f.original.push_back(unrolled.original[merged[late[i]]]);
    if (f.allocation.registers > limit) {
        move_constants_again(m);
        f.allocation = allocate(m);
    }
    keep_predicates(m, f.allocation);
    f.spilled_bytes = spill(m, module, function, f.original, f.allocation, limit);
    f.allocation.registers = std::min(f.allocation.registers, limit);
    if (f.spilled_bytes == 0)
        spread(m, f.allocation, order, known != 0 ? known : register_target(capability), limit, capability);
    issue(f, function, config);
    return f;
}

/// Where many values are live, parameters are read inside of loops as well.
CompiledFunction compile(ir::Module& module, ir::Function& function, std::uint32_t limit, std::uint32_t known,
                         sim::Config const& config) {
    ir::Function other = function;
    CompiledFunction f = compile(module, function, limit, known, config, Rereading::before_loops);
    if (!f.is_squeezed) return f;
    CompiledFunction g = compile(module, other, limit, known, config, Rereading::in_loops);
    if (g.spilled_bytes > f.spilled_bytes || g.allocation.registers > f.allocation.registers) return f;
    function = std::move(other);
    g.machine.function = &function;
    return g;
}

/// Warps that take more registers from the pool of their CTA may use these; the kernel is launched with what it begins with.
struct RegisterBudget {
    std::uint32_t at_entry;  // 0: whatever the kernel needs
    std::uint32_t limit;
    std::uint32_t known = 0;  // that machine code takes; 0: there is none

    RegisterBudget(sim::KernelPlan const& plan, sim::Config const& config)
        : at_entry(sim::registers_at_entry(plan, config)),
          limit(sim::register_limit(*plan.functions.front().function, config)) {
        if (at_entry == 0) known = plan.functions.front().function->bounds.registers;
        if (at_entry == 0) return;
        limit = std::max(limit, std::min(plan.most_registers, config.limits.max_registers_per_thread));
    }
};

}  // namespace

std::unique_ptr<MachineKernel> make_machine_kernel(sim::KernelPlan const& plan,
                                                   sim::SymbolAddresses const& symbols,
                                                   sim::PlanOptions const& options, sim::Config const& config) {
    auto kernel = std::make_unique<MachineKernel>();
    kernel->module = *plan.module;
    RegisterBudget const budget(plan, config);
    for (sim::FunctionPlan const& f : plan.functions) {
        ir::Function& function = kernel->module.functions[f.index];
        kernel->functions.push_back(compile(kernel->module, function, budget.limit, budget.known, config));
        CompiledFunction const& compiled = kernel->functions.back();
        function.layout = ir::share_columns(function, ir::find_liveness(program_uses(compiled.machine)));
        kernel->registers = std::max(kernel->registers, compiled.allocation.registers);
        kernel->spilled_bytes += compiled.spilled_bytes;
    }
    if (budget.at_entry != 0) kernel->registers = budget.at_entry;
    if (budget.known != 0) kernel->registers = budget.known;
    sim::PlanOptions shared = options;
    shared.share_fixed = true;
    kernel->kernel = sim::make_plan(kernel->module, plan.functions.front().index, symbols, shared);
    return kernel;
}

std::uint32_t count_registers(sim::KernelPlan const& plan, sim::Config const& config) {
    RegisterBudget const budget(plan, config);
    if (budget.at_entry != 0) return budget.at_entry;
    if (budget.known != 0) return budget.known;
    std::uint32_t registers = 0;
    ir::Module forms;  // the passes look up forms and variables in it, and add forms
    forms.forms = plan.module->forms;
    for (ir::Variable const& v : plan.module->variables) {
        ir::Variable& known = forms.variables.emplace_back();
        known.space = v.space;
        known.size = v.size;
    }
    for (sim::FunctionPlan const& f : plan.functions) {
        ir::Function function = *f.function;
        registers =
            std::max(registers, compile(forms, function, budget.limit, budget.known, config).allocation.registers);
    }
    return registers;
}

}  // namespace warpsim::timing
