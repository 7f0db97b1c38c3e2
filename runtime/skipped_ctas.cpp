#include "runtime/skipped_ctas.hpp"

#include "sim/functional/functional_run.hpp"

#include <algorithm>

namespace warpsim::runtime {

timing::SkippedCtas SkippedCtas::run(std::uint64_t first, std::uint64_t most, std::uint64_t timed) {
    sim::LaunchContext& context = grid_.functional_context(state_, options_);
    sim::FunctionalOptions run;
    run.threads = options_.threads;
    run.first = first;
    run.most = most;
    run.resident_ctas =
        resident_ctas(state_.config, context.plan, grid_.result().registers_per_thread, grid_.shape());
    run.host_wait_seconds = options_.host_wait_seconds;
    run.progress = options_.progress;
    run.stop = options_.stop.get();
    std::uint64_t const before = timed + counted_.instructions.warp;
    if (options_.max_instructions != 0)
        run.max_instructions =
            std::max<std::uint64_t>(options_.max_instructions - std::min(options_.max_instructions, before), 1);
    if (options_.engine != Engine::interpreted) {
        // Code of a device is all of one kind: whether it counts accesses must be as for launches that are not timed.
        LaunchSinks const sinks(options_, state_.config, context, grid_.result().kernel, false, false);
        sim::TieredCode& code = grid_.loaded().code(grid_.kernel(), sinks.counted_banks());
        if (options_.engine == Engine::compiled) code.make_soon(options_.longest_compile_wait);
        context.code = &code;
        context.banks = sinks.counted_banks().value_or(sim::Banks{});
    }
    timing::SkippedCtas skipped;
    run.counted = [&](std::span<sim::ExecutionCount const> counts) {
        skipped.executed.assign(counts.begin(), counts.end());
    };
    grid_.set_functional(true);
    skipped.past = sim::run_functional(context, run, counted_);
    grid_.set_functional(false);
    return skipped;
}

void SkippedCtas::add_to(LaunchResult& result) const {
    sim::add(result.instructions, counted_.instructions);
    sim::add(result.branches, counted_.branches);
    result.compiled += counted_.compiled;
}

}  // namespace warpsim::runtime
