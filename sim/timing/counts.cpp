// The counts of a launch, added up over the components in their order.
#include "frontend/isa/effect.hpp"
#include "sim/timing/energy.hpp"
#include "sim/timing/gpu.hpp"

#include "frontend/ir/module.hpp"
#include "frontend/isa/table.hpp"
#include "sim/exec/counted_ops.hpp"
#include "sim/timing/plan/expansion.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace warpsim::timing {

namespace {

using sim::CountedOp;

Executed executed(TimingPlan const& timing, CountedOp const& counted, ResidentGrid const& here) {
    return executed(timing.functions[counted.function.plan_index], counted.op.instruction, counted.warps,
                    counted.threads, counted.guarded_off, here.branches);
}

void add_functional(ResidentGrid const& here, sim::Config const& config, sim::LaunchStatistics& statistics,
                    sim::TimingCounts& t) {
    sim::KernelPlan const& plan = here.launch.plan;
    TimingPlan const& timing = here.plan;
    sim::OpCounters const& counters = here.interpreter.counters();
    sim::InstructionCounts& total = statistics.instructions;
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    auto const add = [&](CountedOp const& counted) {
        TimedInstruction const& instruction =
            timing.functions[counted.function.plan_index].instructions[counted.op.instruction];
        Executed const e = executed(timing, counted, here);
        if (counted.op.kind == sim::OpKind::branch && instruction.branch == 0)
            statistics.branches.total += e.warps - counted.warps;  // may be fewer
        if (instruction.branch != 0) statistics.branches.total += e.warps;
        ir::Form const& form =
            plan.module->forms[counted.function.function->instructions[counted.op.instruction].form];
        isa::Row const& row = rows[form.row];
        auto const c = static_cast<std::size_t>(is_idle_branch(form)
                                                    ? isa::InstructionClass::control
                                                    : isa::instruction_class(row, row.variants[form.variant]));
        total.warp += e.warps;
        total.thread += e.threads;
        total.thread_guarded += e.threads_guarded;
        total.by_class[c] += e.warps;
        t.tensor_work += e.warps * tensor_work(config, form);
    };
    for (sim::FunctionPlan const& function : plan.functions) for_each_op(function, counters, add);
    statistics.branches.total += counters.branch_total;
    statistics.branches.divergent += counters.branch_divergent;
    for (BranchLanes const& branch : here.branches) statistics.branches.divergent += branch.divergent;
}

/// The loads and stores of spilled values, which are not instructions of the PTX.
void add_spills(ResidentGrid const& here, sim::TimingCounts& t) {
    sim::KernelPlan const& plan = here.launch.plan;
    TimingPlan const& timing = here.plan;
    auto const add = [&](CountedOp const& counted) {
        if (timing.functions[counted.function.plan_index].original[counted.op.instruction] != ir::none) return;
        ir::Form const& form =
            plan.module->forms[counted.function.function->instructions[counted.op.instruction].form];
        std::uint64_t const bytes =
            (counted.threads - counted.guarded_off) * static_cast<std::uint64_t>(isa::width(form.types[0])) / 8;
        bool const is_load = isa::rows(isa::HostIsa::baseline)[form.row].effect == isa::Effect::load;
        (is_load ? t.spills.loads : t.spills.stores) += counted.warps;
        (is_load ? t.spills.load_bytes : t.spills.store_bytes) += bytes;
    };
    for (sim::FunctionPlan const& function : plan.functions)
        for_each_op(function, here.interpreter.counters(), add);
}

}  // namespace

/// What SMs observed for each instruction, and how often the interpreters executed it.
void Gpu::add_profile(Grid const& grid, sim::TimingCounts& t) const {
    ir::Module const& module = *grid.launch.plan.module;
    for (sim::FunctionPlan const& function : grid.launch.plan.functions) {
        std::vector<sim::LineProfile> lines(function.function->instructions.size());
        for (auto const& sm : sms_) {
            ResidentGrid const* const here = sm->grid(grid.number);
            if (here == nullptr) continue;
            for_each_op(function, here->interpreter.counters(), [&](CountedOp const& counted) {
                sim::LineProfile& line = lines[counted.op.instruction];
                Executed const e = executed(grid.plan, counted, *here);
                line.executed += e.warps;
                line.threads += e.threads;
                line.threads_guarded += e.threads_guarded;
            });
            for (std::uint32_t i = 0; i < lines.size(); ++i) {
                InstructionProfile::Counts const& counts = here->profile->at({function.plan_index, i});
                lines[i].micro_ops += counts.micro_ops;
                for (std::size_t r = 0; r < counts.stalls.size(); ++r) lines[i].stalls[r] += counts.stalls[r];
            }
        }
        // In the order of the PTX, not of issue.
        std::vector<std::uint32_t> const& original = grid.plan.functions[function.plan_index].original;
        std::vector<std::uint32_t> order(lines.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return original[a] < original[b]; });
        for (std::size_t k = 0; k < order.size(); ++k) {
            std::uint32_t const i = order[k];
            sim::LineProfile& line = lines[i];
            // The same instruction in another iteration of an unrolled loop.
            for (; original[i] != ir::none && k + 1 < order.size() && original[order[k + 1]] == original[i]; ++k)
                sim::add(line, lines[order[k + 1]]);
            bool const waited =
                std::any_of(line.stalls.begin(), line.stalls.end(), [](std::uint64_t n) { return n != 0; });
            if (line.executed == 0 && !waited) continue;
            ir::Instruction const& instruction = function.function->instructions[i];
            line.function = function.function->name;
            line.place = module.place(instruction);
            line.text = original[i] == ir::none ? "(spilled value of) " + module.written(instruction)
                                                : module.written(instruction);
            line.source = module.source_place(instruction);
            t.profile.push_back(std::move(line));
        }
    }
}

std::vector<sim::ExecutionCount> Gpu::execution_counts(GridNumber number) const {
    Grid const& grid = *grids_[number];
    std::vector<sim::ExecutionCount> counts;
    for (sim::FunctionPlan const& function : grid.launch.plan.functions) {
        FunctionTiming const& timing = grid.plan.functions[function.plan_index];
        std::vector<sim::ExecutionCount> here(function.function->instructions.size());
        for (std::uint32_t i = 0; i < here.size(); ++i) here[i].place = {function.plan_index, i};
        for (auto const& sm : sms_) {
            ResidentGrid const* const resident = sm->grid(number);
            if (resident == nullptr) continue;
            for_each_op(function, resident->interpreter.counters(), [&](CountedOp const& counted) {
                sim::ExecutionCount& count = here[counted.op.instruction];
                Executed const e = executed(grid.plan, counted, *resident);
                count.warps += e.warps;
                count.threads += e.threads;
                count.threads_guarded += e.threads_guarded;
                count.divergent += counted.divergent;
                std::uint32_t const branch = timing.instructions[counted.op.instruction].branch;
                if (branch != 0) count.divergent += resident->branches[branch - 1].divergent;
            });
        }
        for (sim::ExecutionCount const& count : here) {
            if (timing.original[count.place.instruction] != ir::none) counts.push_back(count);
        }
    }
    return counts;
}

void Gpu::add_counts(Grid const& grid, sim::LaunchStatistics& statistics, sim::TimingCounts& t) const {
    if (grid.options.profile) add_profile(grid, t);
    t.interval_cycles = grid.options.interval_cycles;
    t.intervals = grid.samples;
    t.cycles = grid.end.value_or(std::max(done_, grid.launched)) - grid.launched;
    t.clock_mhz = config_.clock_mhz;
    t.sms = config_.sm.count;
    t.sub_cores = config_.sm.sub_cores;
    t.code_size = grid.plan.code_size;
    t.spills.bytes_per_thread = grid.plan.spilled_bytes;
    t.theoretical_occupancy = grid.occupancy.theoretical(config_.sm);
    t.max_warps = config_.sm.max_warps;
    t.limited_by = name(grid.occupancy.limiter);
    std::array<sim::TimingCounts::Unit, micro_units> units;
    for (auto const& sm : sms_) {
        ResidentGrid const* const here = sm->grid(grid.number);
        if (here == nullptr) continue;
        SmStatistics const s = sm->statistics(grid.number);
        sim::add<sim::SmCounts>(t, s);
        for (std::size_t u = 0; u < micro_units; ++u) {
            units[u].micro_ops += s.by_unit[u];
            units[u].busy_cycles += s.unit_cycles[u];
            units[u].cycles +=
                s.active_cycles * (sm->is_per_sm(static_cast<MicroUnit>(u)) ? 1 : config_.sm.sub_cores);
        }
        add_functional(*here, config_, statistics, t);
        if (grid.plan.spilled_bytes != 0) add_spills(*here, t);
    }
    for (std::size_t u = 0; u < micro_units; ++u) {
        units[u].name = name(static_cast<MicroUnit>(u));
        t.units.push_back(units[u]);
    }
    for (auto const& partition : partitions_) {
        sim::add(t.l2, partition->l2(grid.number));
        sim::add(t.dram, partition->dram(grid.number));
    }
    t.dram_channels = config_.dram.channels->count;
    t.dram_clock_mhz = config_.dram.clock_mhz;
    if (grid.sampler) add_skipped(grid, t);
    t.energy = estimate_energy(config_, t);
    sim::MemoryCounts& m = statistics.memory;
    m.counted = true;
    m.global_requests += t.l1.load_requests + t.l1.store_requests + t.l1.atomic_requests;
    m.global_sectors += t.l1.load_sectors + t.l1.store_sectors + t.l1.atomic_sectors;
    m.shared_requests += t.l1.shared_requests;
    m.shared_bank_conflicts += t.l1.shared_conflicts;
}

void Gpu::count_so_far(GridNumber number, sim::LaunchStatistics& statistics, sim::TimingCounts& counts) {
    if (grids_[number]->options.interval_cycles != 0) take_samples(*grids_[number]);
    add_counts(*grids_[number], statistics, counts);
}

void Gpu::retire(GridNumber number, sim::LaunchStatistics& statistics, sim::TimingCounts& counts) {
    count_so_far(number, statistics, counts);
    for (auto const& sm : sms_) {
        if (sm->grid(number) != nullptr) sm->end_grid(number);
    }
    for (auto const& partition : partitions_) partition->end_grid(number);
    grids_[number].reset();
}

}  // namespace warpsim::timing
