#include "sim/functional/host_threads.hpp"

#include "frontend/isa/table.hpp"
#include "sim/exec/code_runner.hpp"
#include "sim/exec/counted_ops.hpp"
#include "sim/exec/waiting.hpp"
#include "sim/functional/work_report.hpp"
#include "sim/host_arena.hpp"
#include "sim/host_thread.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace warpsim::sim {

namespace {

// A grid with so few threads, each of which executes every op once, is most often finished before another host thread has
// woken up.
constexpr std::uint64_t small_grid = 4096;
constexpr std::chrono::microseconds alone_at_first{20};

bool has_loops(FunctionPlan const& function) {
    for (std::size_t i = 0; i < function.ops.size(); ++i) {
        OpKind const kind = function.ops[i].kind;
        if (kind == OpKind::branch_indexed || kind == OpKind::call) return true;  // may lead anywhere
        if (kind == OpKind::branch && function.ops[i].target <= i) return true;
    }
    return false;
}

void add_counts(KernelPlan const& plan, OpCounters const& counters, LaunchStatistics& statistics) {
    InstructionCounts& total = statistics.instructions;
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    for (FunctionPlan const& function : plan.functions) {
        for_each_op(function, counters, [&](CountedOp const& counted) {
            ir::Form const& form =
                plan.module->forms[function.function->instructions[counted.op.instruction].form];
            isa::Row const& row = rows[form.row];
            auto const c = isa::instruction_class(row, row.variants[form.variant]);
            total.warp += counted.warps;
            total.thread += counted.threads;
            total.thread_guarded += counted.threads - counted.guarded_off;
            total.by_class[static_cast<std::size_t>(c)] += counted.warps;
        });
    }
    statistics.branches.total += counters.branch_total;
    statistics.branches.divergent += counters.branch_divergent;
}

/// The counts of all threads, instruction by instruction.
std::vector<ExecutionCount> execution_counts(KernelPlan const& plan,
                                             std::vector<std::unique_ptr<Interpreter>> const& interpreters) {
    OpCounters all(plan.op_count);
    for (auto const& interpreter : interpreters) all.add(interpreter->counters());
    std::vector<ExecutionCount> counts;
    for (FunctionPlan const& function : plan.functions) {
        for_each_op(function, all, [&](CountedOp const& counted) {
            counts.push_back({{function.plan_index, counted.op.instruction},
                              counted.warps,
                              counted.threads,
                              counted.threads - counted.guarded_off,
                              counted.divergent});
        });
    }
    return counts;
}

Schedule::Limits limits_of(LaunchContext const& launch, FunctionalOptions const& options) {
    int const wanted = options.threads > 0 ? options.threads : static_cast<int>(hardware_threads());
    std::uint64_t const threads =
        std::min({static_cast<std::uint64_t>(wanted), launch.clusters() - options.first, options.most});
    std::uint64_t const resident = std::max<std::uint64_t>(options.resident_ctas / launch.ctas_per_cluster(), 1);
    return {launch.clusters(),
            resident,
            options.max_instructions,
            threads,
            options.cooperative,
            options.turn_instructions,
            options.first,
            options.most};
}

/// Counts of clusters as what is known of the launch.
std::function<void(std::uint64_t)> progress_of(LaunchContext const& launch, FunctionalOptions const& options) {
    if (!options.progress) return nullptr;
    return [&launch, hook = options.progress, first = options.first](std::uint64_t finished) {
        LaunchProgress progress;
        progress.kernel = launch.plan.functions.front().function->name;
        progress.ctas = launch.ctas();
        progress.ended = (first + finished) * launch.ctas_per_cluster();
        hook(progress);
    };
}

}  // namespace

HostThreads::HostThreads(LaunchContext const& launch, FunctionalOptions const& options)
    : schedule(limits_of(launch, options), progress_of(launch, options)),
      workers(schedule.limits().workers),
      launch_(launch),
      options_(options),
      host_(options.host_wait_seconds) {
    for (std::size_t i = 0; i < workers.size(); ++i) {
        interpreters.push_back(std::make_unique<Interpreter>(launch));
        if (options.sinks) interpreters.back()->listen(options.sinks(static_cast<int>(i)));
    }
    if (options.spare != nullptr) workers.front().spare = options.spare->take(launch);
}

Fault HostThreads::stopped(Cluster const& cluster) const {
    Fault fault;
    fault.kind = options_.stop->kind;
    fault.what = options_.stop->what + ": the kernel was stopped " + options_.stop->why + ", when " +
                 std::to_string((options_.first + schedule.finished()) * launch_.ctas_per_cluster()) + " of its " +
                 std::to_string(launch_.ctas()) + " CTAs had ended";
    fault.details = describe_waiting(launch_, cluster);
    return fault;
}

/// Runs everything, or until a point in time; false when something is left.
bool HostThreads::run_turns(std::size_t thread, Time until) {
    Interpreter& interpreter = *interpreters[thread];
    Schedule::Worker& worker = workers[thread];
    DefaultFloatingPoint const floating_point;
    interpreter.asynchronous().on_cancel([this] { return schedule.cancel_next(); });
    WorkReport work(launch_, interpreter, schedule);
    work.begin_stretch();
    while (until == Time::max() || std::chrono::steady_clock::now() < until) {
        bool const has_claims = worker.next < worker.end;
        if (!has_claims) work.end_stretch();
        auto turn = schedule.take(worker);
        if (!turn) return true;
        if (!has_claims) work.begin_stretch();
        std::unique_ptr<Cluster> cluster = std::move(turn->cluster);
        std::uint64_t linear = turn->is_new ? turn->linear : cluster->linear;
        try {
            std::uint64_t const before = turn->is_new ? 0 : cluster->executed;
            auto const outcome = turn->is_new ? interpreter.run_new(*cluster, linear, schedule.budget())
                                              : interpreter.run(*cluster, schedule.budget());
            work.add(cluster->executed - before);
            if (!schedule.count(cluster->executed - before)) {
                Fault fault;
                fault.kind = FaultKind::instruction_limit;
                fault.what = "instruction limit: the kernel was stopped after " +
                             std::to_string(schedule.limits().max_instructions) +
                             " warp instructions (--max-instructions)";
                if (outcome != Interpreter::Outcome::finished) fault.details = describe_waiting(launch_, *cluster);
                throw fault;
            }
            if (options_.stop != nullptr && options_.stop->is_on()) throw stopped(*cluster);
            if (outcome == Interpreter::Outcome::finished) {
                schedule.finish(worker, std::move(cluster));
            } else if (outcome == Interpreter::Outcome::blocked) {
                throw blocked(launch_, describe_waiting(launch_, *cluster));
            } else {
                auto const progress = interpreter.progress(*cluster, turn->epoch);
                if (progress == Interpreter::Progress::changed) host_.end();
                else if (progress == Interpreter::Progress::spinning || outcome == Interpreter::Outcome::waiting)
                    work.drop_stretch();
                if (!schedule.put_back(worker, std::move(cluster), progress, turn->epoch)) continue;
                if (options_.waits_for_host) options_.waits_for_host();
                if (host_.is_over()) {
                    throw livelock(launch_, schedule.describe_waiting(
                                                [&](Cluster const& c) { return describe_waiting(launch_, c); }));
                }
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        } catch (...) {
            schedule.fail(linear, std::current_exception());
            return true;
        }
    }
    return false;
}

void HostThreads::run() {
    std::size_t const threads = workers.size();
    // Short turns are requested to make host threads interact.
    bool const is_small = threads > 1 && launch_.ctas() * launch_.threads() <= small_grid &&
                          options_.turn_instructions == 0 && !has_loops(launch_.plan.functions.front());
    Time const alone = threads == 1 ? Time::max()
                       : is_small   ? std::chrono::steady_clock::now() + alone_at_first
                                    : Time::min();
    if (run_turns(0, alone)) return;
    HostArena(threads).run(threads, [&](std::size_t i) { run_turns(i, Time::max()); });
}

void HostThreads::finish(LaunchStatistics& statistics) {
    for (auto const& interpreter : interpreters) {
        interpreter->complete_counters();
        add_counts(launch_.plan, interpreter->counters(), statistics);
        CodeRunner const* const compiled = interpreter->compiled();
        if (compiled == nullptr) continue;
        statistics.compiled += compiled->executed();
        add(statistics.memory, compiled->accesses());
    }
    if (options_.counted) options_.counted(execution_counts(launch_.plan, interpreters));
    if (schedule.error()) std::rethrow_exception(schedule.error());
    if (options_.spare != nullptr) options_.spare->give(launch_, std::move(workers.front().spare));
}

}  // namespace warpsim::sim
