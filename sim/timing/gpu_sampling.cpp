// Grids of which only some CTAs are timed (sampler.hpp): the others are executed at once, between two epochs.
#include "sim/exec/fault.hpp"
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <cmath>

namespace warpsim::timing {

/// At the end of an epoch.
void Gpu::sample() {
    for (Grid* const grid : launched_) {
        if (!grid->sampler || grid->all_ended()) continue;
        Sampler::Standing standing;
        standing.now = done_ - std::min(done_, grid->launched);
        standing.next = grid->next_cta;
        standing.ended = grid->ended;
        for (std::uint32_t const ctas : grid->ctas_on) standing.resident += ctas;
        // CTAs that are cancelled leave their work to others: what a CTA does then is not the same for all.
        standing.is_alone = launched_.size() == 1 && copies_.is_idle() && grid->cancelled == 0;
        if (grid->sampler->wants_work(standing)) standing.work = micro_ops(grid->number);
        switch (grid->sampler->follow(standing)) {
            case Sampler::Action::nothing: break;
            case Sampler::Action::begin_counting: sim::subtract(grid->steady, counted(*grid)); break;
            case Sampler::Action::stop_counting: sim::add(grid->steady, counted(*grid)); break;
            case Sampler::Action::skip: return skip(*grid, standing);
            case Sampler::Action::go_on: return dispatch(done_ + config_.launch->cta_launch_latency_cycles);
        }
    }
}

/// All effects of the CTAs that have begun are in memory.
void Gpu::skip(Grid& grid, Sampler::Standing const& standing) {
    std::uint64_t const until = grid.sampler->skip_until();
    try {
        SkippedCtas const skipped =
            grid.options.sampling.run(grid.next_cta, until - grid.next_cta, instructions(grid.number));
        grid.sampler->skipped(standing, skipped.past, expected_micro_ops(grid, skipped.executed));
        grid.next_cta = skipped.past;
    } catch (sim::Fault const&) {
        failed_ = grid.number;
        throw;
    }
    ++begun_and_ended_;
    if (grid.all_ended()) leave();
    dispatch(done_ + config_.launch->cta_launch_latency_cycles);
}

/// Whether CTAs may begin that did not because of it.
bool Gpu::stop_sampling() {
    bool any = false;
    for (Grid* const grid : launched_)
        any |= grid->sampler && grid->sampler->give_up(done_ - std::min(done_, grid->launched));
    if (any) dispatch(done_ + config_.launch->cta_launch_latency_cycles);
    return any;
}

/// What all components have counted for the grid so far.
sim::IntervalSample Gpu::counted(Grid const& grid) const {
    sim::IntervalSample all;
    for (auto const& sm : sms_) {
        if (sm->grid(grid.number) != nullptr) sim::add<sim::SmCounts>(all, sm->statistics(grid.number, done_));
    }
    for (auto const& partition : partitions_) {
        sim::add(all.l2, partition->l2(grid.number));
        sim::add(all.dram, partition->dram(grid.number));
    }
    return all;
}

std::uint64_t Gpu::expected_micro_ops(Grid const& grid, std::span<sim::ExecutionCount const> executed) const {
    double sum = 0;
    for (sim::ExecutionCount const& count : executed)
        sum += static_cast<double>(count.warps) *
               grid.micro_ops_of.at(count.place.function).at(count.place.instruction);
    return static_cast<std::uint64_t>(std::llround(sum));
}

Sampler::Projection Gpu::project(Grid const& grid, Cycle cycles) const {
    std::uint64_t const issued = micro_ops(grid.number);
    std::vector<sim::ExecutionCount> executed = execution_counts(grid.number);
    for (sim::ExecutionCount& count : executed) {
        FunctionTiming const& timing = grid.plan.functions[count.place.function];
        count.place.instruction = timing.original[count.place.instruction];
    }
    auto const expected = static_cast<double>(std::max<std::uint64_t>(expected_micro_ops(grid, executed), 1));
    return grid.sampler->project(cycles, issued, static_cast<double>(issued) / expected);
}

Cycle Gpu::skipped_cycles(Grid const& grid) const {
    if (!grid.sampler || !grid.sampler->has_skipped()) return 0;
    Cycle const timed = *grid.end - grid.launched;
    double const all = project(grid, timed).cycles;
    return static_cast<Cycle>(std::llround(std::max(all - static_cast<double>(timed), 0.0)));
}

/// To the counts of what was timed, those of what was not.
void Gpu::add_skipped(Grid const& grid, sim::TimingCounts& t) const {
    Sampler::Projection const p = project(grid, t.cycles);
    t.sampling = {true, grid.sampler->has_skipped(), grid.ended, 0, p.relative_error, grid.sampler->note()};
    if (!grid.sampler->has_skipped() || !grid.end) return;
    t.cycles += skipped_cycles(grid);
    sim::IntervalSample steady = grid.steady;
    if (grid.sampler->is_counting()) sim::add(steady, counted(grid));
    sim::IntervalSample const rest = sim::times(steady, p.steady_factor);
    sim::add<sim::SmCounts>(t, rest);
    sim::add(t.l2, rest.l2);
    sim::add(t.dram, rest.dram);
    for (sim::TimingCounts::Unit& unit : t.units) {
        unit = sim::times(unit, 1 / p.timed_share);
    }
    t.spills = sim::times(t.spills, 1 / p.timed_share);
    t.tensor_work = static_cast<std::uint64_t>(static_cast<double>(t.tensor_work) / p.timed_share);
}

}  // namespace warpsim::timing
