#include "sim/functional/functional_run.hpp"

#include "frontend/isa/table.hpp"
#include "sim/error.hpp"
#include "sim/exec/counted_ops.hpp"
#include "sim/exec/waiting.hpp"
#include "sim/functional/schedule.hpp"
#include "sim/host_thread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <thread>

namespace warpsim::sim {

namespace {

// A grid of so few threads is most often done before another host thread has woken.
constexpr std::uint64_t small_grid = 4096;
constexpr std::chrono::microseconds alone_at_first{20};

using Time = std::chrono::steady_clock::time_point;

/// For how long all that is left of the grid has gone in circles.
class HostWait {
public:
    explicit HostWait(double seconds) : most_(seconds) {}
    /// Something happened.
    void end() { since_.store(0, std::memory_order_relaxed); }
    /// Waits a little, unless it has for too long.
    bool wait() {
        if (most_ <= 0) return false;
        auto const now =
            std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        double since = 0;
        if (since_.compare_exchange_strong(since, now)) since = now;
        if (now - since > most_) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        return true;
    }

private:
    double const most_;
    std::atomic<double> since_{0};
};

/// A thread runs all there is to run, or until a point in time, or some turns; false: not all.
bool run_turns(LaunchContext const& launch, Schedule& schedule, Interpreter& interpreter, Schedule::Worker& worker,
               HostWait& host, Time until = Time::max(), std::uint64_t turns = UINT64_MAX) {
    DefaultFloatingPoint const floating_point;
    interpreter.asynchronous().on_cancel([&schedule] { return schedule.cancel_next(); });
    while (until == Time::max() || std::chrono::steady_clock::now() < until) {
        if (turns-- == 0) return false;
        auto turn = schedule.take(worker);
        if (!turn) return true;
        std::unique_ptr<Cluster> cluster = std::move(turn->cluster);
        std::uint64_t linear = turn->is_new ? turn->linear : cluster->linear;
        try {
            if (turn->is_new) interpreter.start(*cluster, linear);
            std::uint64_t const before = cluster->executed;
            auto const outcome = interpreter.run(*cluster, schedule.budget());
            if (!schedule.count(cluster->executed - before)) {
                Fault fault;
                fault.kind = FaultKind::instruction_limit;
                fault.what = "instruction limit: the kernel was stopped after " +
                             std::to_string(schedule.limits().max_instructions) +
                             " warp instructions (--max-instructions)";
                fault.details = describe_waiting(launch, *cluster);
                throw fault;
            }
            if (outcome == Interpreter::Outcome::finished) {
                schedule.finish(worker, std::move(cluster));
            } else if (outcome == Interpreter::Outcome::blocked) {
                throw blocked(launch, describe_waiting(launch, *cluster));
            } else {
                auto const progress = interpreter.progress(*cluster, turn->epoch);
                if (progress == Interpreter::Progress::changed) host.end();
                if (schedule.put_back(worker, std::move(cluster), progress, turn->epoch) && !host.wait()) {
                    throw goes_in_circles(launch, schedule.describe_waiting([&](Cluster const& c) {
                        return describe_waiting(launch, c);
                    }));
                }
            }
        } catch (...) {
            schedule.fail(linear, std::current_exception());
            return true;
        }
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

Schedule::Limits limits_of(LaunchContext const& launch, FunctionalOptions const& options, int threads) {
    std::uint64_t const resident = std::max<std::uint64_t>(options.resident_ctas / launch.ctas_per_cluster(), 1);
    return {launch.clusters(),        resident,
            options.max_instructions, static_cast<std::uint64_t>(threads),
            options.cooperative,      options.turn_instructions};
}

}  // namespace

void run_functional(LaunchContext const& launch, FunctionalOptions const& options, LaunchStatistics& statistics) {
    int threads = options.threads > 0 ? options.threads : static_cast<int>(hardware_threads());
    threads = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), launch.clusters()));
    Schedule schedule(limits_of(launch, options, threads), options.progress);
    std::vector<std::unique_ptr<Interpreter>> interpreters;
    for (int i = 0; i < threads; ++i) {
        interpreters.push_back(std::make_unique<Interpreter>(launch));
        if (options.sinks) interpreters.back()->listen(options.sinks(i));
    }
    HostWait host(options.host_wait_seconds);
    std::vector<Schedule::Worker> workers(static_cast<std::size_t>(threads));
    // Short turns are asked for to see host threads meet.
    bool const is_small = launch.ctas() * launch.threads() <= small_grid && options.turn_instructions == 0;
    Time const alone = threads == 1 ? Time::max()
                       : is_small   ? std::chrono::steady_clock::now() + alone_at_first
                                    : Time::min();
    if (!run_turns(launch, schedule, *interpreters.front(), workers.front(), host, alone)) {
        // More threads than cores are granted too; the calling thread is one of them.
        tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism,
                                          std::max(static_cast<std::size_t>(threads), hardware_threads()));
        tbb::task_arena arena(threads, 1);
        arena.execute([&] {
            tbb::task_group group;
            Handover handover;
            auto const take_part = [&](std::size_t i) {
                run_turns(launch, schedule, *interpreters[i], workers[i], host);
            };
            handover.give();
            for (std::size_t i = 0; i < interpreters.size(); ++i) group.run(WARPSIM_TASK(handover, take_part, i));
            group.wait();
            handover.take();
        });
    }
    for (auto const& interpreter : interpreters) add_counts(launch.plan, interpreter->counters(), statistics);
    if (schedule.error()) std::rethrow_exception(schedule.error());
}

namespace {

/// One host thread and what it runs; what a snapshot is of.
struct Alone {
    Alone(LaunchContext const& launch, FunctionalOptions const& options)
        : schedule(limits_of(launch, options, 1), options.progress),
          interpreter(launch),
          host(options.host_wait_seconds) {
        if (options.sinks) interpreter.listen(options.sinks(0));
    }
    /// False: not to the end.
    bool run(LaunchContext const& launch, std::uint64_t turns, LaunchStatistics& statistics) {
        if (!run_turns(launch, schedule, interpreter, worker, host, Time::max(), turns)) return false;
        add_counts(launch.plan, interpreter.counters(), statistics);
        if (schedule.error()) std::rethrow_exception(schedule.error());
        return true;
    }

    Schedule schedule;
    Interpreter interpreter;
    HostWait host;
    Schedule::Worker worker;
};

}  // namespace

std::optional<Snapshot> run_for(LaunchContext const& launch, FunctionalOptions const& options, std::uint64_t turns,
                                LaunchStatistics& statistics) {
    if (launch.plan.uses_heap || launch.plan.uses_runtime)
        throw Error(ErrorKind::launch, "a launch that uses the device's heap or runtime cannot be saved");
    Alone alone(launch, options);
    if (alone.run(launch, turns, statistics)) return std::nullopt;
    Snapshot snapshot{alone.schedule.standing(alone.worker), {}, alone.interpreter.counters(), {}, {}};
    for (auto const& cluster : alone.schedule.waiting())
        snapshot.clusters.push_back(std::make_unique<Cluster const>(*cluster));
    for (std::uint32_t i = 0; launch.sm_clocks != nullptr && i < launch.sms; ++i)
        snapshot.sm_clocks.push_back(launch.sm_clocks[i].load());
    for (Allocation const& a : launch.allocations.all()) {
        auto const* const bytes = reinterpret_cast<std::byte const*>(a.begin);
        snapshot.memory.push_back({a.begin, {bytes, bytes + (a.end - a.begin)}});
    }
    return snapshot;
}

void run_from(Snapshot const& snapshot, LaunchContext const& launch, FunctionalOptions const& options,
              LaunchStatistics& statistics) {
    for (Snapshot::Range const& range : snapshot.memory)
        std::memcpy(reinterpret_cast<void*>(range.begin), range.bytes.data(), range.bytes.size());
    for (std::size_t i = 0; i < snapshot.sm_clocks.size(); ++i) launch.sm_clocks[i] = snapshot.sm_clocks[i];
    Alone alone(launch, options);
    std::deque<std::unique_ptr<Cluster>> clusters;
    for (auto const& cluster : snapshot.clusters) clusters.push_back(std::make_unique<Cluster>(*cluster));
    alone.schedule.resume(alone.worker, snapshot.standing, std::move(clusters));
    alone.interpreter.resume(snapshot.counters);
    alone.run(launch, UINT64_MAX, statistics);
}

}  // namespace warpsim::sim
