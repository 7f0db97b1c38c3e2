#include "sim/functional/functional_run.hpp"

#include "frontend/isa/table.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <thread>
#include <xmmintrin.h>

namespace warpsim::sim {

namespace {

// Long enough that handing a CTA on costs nothing beside it, short enough that a CTA that waits for another one's
// store does not keep a host thread for long.
constexpr std::uint64_t turn_instructions = 1 << 16;

/// Lane functions rely on the default floating-point environment; the host program may have set another.
class DefaultFloatingPoint {
public:
    DefaultFloatingPoint() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
    ~DefaultFloatingPoint() { _mm_setcsr(saved_); }
    DefaultFloatingPoint(DefaultFloatingPoint const&) = delete;
    DefaultFloatingPoint& operator=(DefaultFloatingPoint const&) = delete;

private:
    unsigned saved_;
};

/// The CTAs of a launch: which are to start, which wait for another turn, and whether any of them can still move.
class Schedule {
public:
    Schedule(LaunchContext const& launch, FunctionalOptions const& options)
        : total_(launch.ctas()), resident_(std::max<std::uint64_t>(options.resident_ctas, 1)), limit_(options.max_instructions), progress_(options.progress) {}

    struct Turn {
        std::unique_ptr<Cta> cta;
        bool is_new = false;
        std::uint64_t linear = 0;
    };

    /// The next CTA to run; none when all are done or the launch has failed. Waits while others run all there is.
    std::optional<Turn> take() {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (failed_ || finished_ == total_) return std::nullopt;
            bool const can_start = next_ < total_ && started_ - finished_ < resident_;
            // CTAs that only spin may wait for one that has not begun.
            bool const spins = !waiting_.empty() && waiting_.front()->stuck_epoch == epoch_;
            if (!waiting_.empty() && !(spins && can_start)) {
                Turn turn{std::move(waiting_.front()), false, 0};
                waiting_.pop_front();
                return turn;
            }
            if (can_start) {
                ++started_;
                Turn turn;
                turn.is_new = true;
                turn.linear = next_++;
                if (!idle_.empty()) {
                    turn.cta = std::move(idle_.back());
                    idle_.pop_back();
                } else {
                    turn.cta = std::make_unique<Cta>();
                }
                return turn;
            }
            changed_.wait(lock);
        }
    }

    void finish(std::unique_ptr<Cta> cta) {
        std::lock_guard const lock(mutex_);
        ++finished_;
        ++epoch_;
        stuck_ = 0;
        idle_.push_back(std::move(cta));
        changed_.notify_all();
        report_progress();
    }

    /// A CTA whose turn ended. Returns true when every started CTA has gone a turn without changing anything since any
    /// of them last did, and no other can be started: nothing will ever change again.
    bool put_back(std::unique_ptr<Cta> cta, bool spinning) {
        std::lock_guard const lock(mutex_);
        if (!spinning) {
            ++epoch_;
            stuck_ = 0;
        } else if (cta->stuck_epoch != epoch_) {
            cta->stuck_epoch = epoch_;
            ++stuck_;
        }
        bool const can_start = next_ < total_ && started_ - finished_ < resident_;
        bool const dead = spinning && stuck_ == started_ - finished_ && !can_start;
        waiting_.push_back(std::move(cta));
        changed_.notify_all();
        return dead;
    }

    void fail(std::uint64_t cta, std::exception_ptr error) {
        std::lock_guard const lock(mutex_);
        if (!failed_ || cta < failed_cta_) {
            failed_cta_ = cta;
            error_ = error;
        }
        failed_ = true;
        changed_.notify_all();
    }

    /// Counts executed instructions; false when the limit is passed.
    bool count(std::uint64_t instructions) {
        return executed_.fetch_add(instructions, std::memory_order_relaxed) + instructions <= limit_ || limit_ == 0;
    }
    /// Instructions that a warp may run in its next turn.
    std::uint64_t budget() const {
        if (limit_ == 0) return turn_instructions;
        std::uint64_t const used = executed_.load(std::memory_order_relaxed);
        return std::clamp<std::uint64_t>(used < limit_ ? limit_ - used + 1 : 1, 1, turn_instructions);
    }

    std::exception_ptr error() const { return error_; }
    std::uint64_t limit() const { return limit_; }

private:
    void report_progress() {
        if (!progress_) return;
        auto const now = std::chrono::steady_clock::now();
        if (now - reported_ < std::chrono::milliseconds(100)) return;
        reported_ = now;
        progress_(static_cast<double>(finished_) / static_cast<double>(total_));
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t const total_, resident_, limit_;
    std::uint64_t next_ = 0, started_ = 0, finished_ = 0;
    std::deque<std::unique_ptr<Cta>> waiting_;          // served before new ones are started
    std::vector<std::unique_ptr<Cta>> idle_;            // storage to use again
    std::uint64_t epoch_ = 1, stuck_ = 0;
    bool failed_ = false;
    std::uint64_t failed_cta_ = 0;
    std::exception_ptr error_;
    std::atomic<std::uint64_t> executed_ = 0;
    std::function<void(double)> const& progress_;
    std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
};

std::size_t hardware_threads() { return std::max<std::size_t>(std::thread::hardware_concurrency(), 1); }

Fault deadlock(std::string const& why, std::string details) {
    Fault fault;
    fault.what = "deadlock: " + why;
    fault.details = std::move(details);
    return fault;
}

void run_turns(LaunchContext const& launch, Schedule& schedule, Interpreter& interpreter) {
    DefaultFloatingPoint const floating_point;
    while (auto turn = schedule.take()) {
        std::unique_ptr<Cta> cta = std::move(turn->cta);
        std::uint64_t linear = turn->is_new ? turn->linear : cta->linear;
        try {
            if (turn->is_new) interpreter.start(*cta, linear);
            std::uint64_t const before = cta->executed;
            auto const outcome = interpreter.run(*cta, schedule.budget());
            if (!schedule.count(cta->executed - before)) {
                Fault fault;
                fault.what = "instruction limit: the kernel was stopped after " + std::to_string(schedule.limit()) +
                             " warp instructions (--max-instructions)";
                fault.details = interpreter.describe_waiting(*cta);
                throw fault;
            }
            if (outcome == Interpreter::Outcome::finished) {
                schedule.finish(std::move(cta));
            } else if (outcome == Interpreter::Outcome::blocked) {
                throw deadlock("no thread of the block can go on", interpreter.describe_waiting(*cta));
            } else {
                bool const spinning = interpreter.is_spinning(*cta);
                std::string where = spinning ? interpreter.describe_waiting(*cta) : std::string();
                if (schedule.put_back(std::move(cta), spinning)) {
                    std::string const why =
                        launch.control_flow == ControlFlow::stack
                            ? "threads run in circles and wait for others that cannot go on (with the reconvergence stack, lanes "
                              "of a warp cannot wait for each other)"
                            : "all threads run in circles and nothing changes any more";
                    throw deadlock(why, std::move(where));
                }
            }
        } catch (...) {
            schedule.fail(linear, std::current_exception());
            return;
        }
    }
}

void add_counts(KernelPlan const& plan, OpCounters const& counters, LaunchStatistics& statistics) {
    InstructionCounts& total = statistics.instructions;
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    for (std::size_t f = 0; f < plan.functions.size(); ++f) {
        FunctionPlan const& function = plan.functions[f];
        std::uint32_t const base = plan.counter_base[f];
        std::int64_t warps = 0, threads = 0;
        for (std::size_t i = 0; i < function.ops.size(); ++i) {
            warps += counters.deltas[base + i].warp;
            threads += counters.deltas[base + i].thread;
            Op const& op = function.ops[i];
            if (!op.is_primary) continue;
            ir::Form const& form = plan.module->forms[function.function->instructions[op.instruction].form];
            isa::Row const& row = rows[form.row];
            auto const c = isa::instruction_class(row, row.variants[form.variant]);
            total.warp += static_cast<std::uint64_t>(warps);
            total.thread += static_cast<std::uint64_t>(threads);
            total.thread_guarded += static_cast<std::uint64_t>(threads) - counters.guarded_off[base + i];
            total.by_class[static_cast<std::size_t>(c)] += static_cast<std::uint64_t>(warps);
        }
    }
    statistics.branches.total += counters.branch_total;
    statistics.branches.divergent += counters.branch_divergent;
}

}  // namespace

void run_functional(LaunchContext const& launch, FunctionalOptions const& options, LaunchStatistics& statistics) {
    int threads = options.threads > 0 ? options.threads : static_cast<int>(hardware_threads());
    if (!options.observers.empty()) threads = static_cast<int>(options.observers.size());
    threads = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), launch.ctas()));
    Schedule schedule(launch, options);
    std::vector<std::unique_ptr<Interpreter>> interpreters;
    for (std::size_t i = 0; i < static_cast<std::size_t>(threads); ++i) {
        Observer* const observer = options.observers.empty() ? nullptr : options.observers[i];
        interpreters.push_back(std::make_unique<Interpreter>(launch, observer));
    }
    if (threads == 1) {
        run_turns(launch, schedule, *interpreters.front());
    } else {
        // More threads than cores are granted too; the calling thread is one of them.
        tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism,
                                          std::max(static_cast<std::size_t>(threads), hardware_threads()));
        tbb::task_arena arena(threads, 1);
        arena.execute([&] {
            tbb::task_group group;
            for (auto& interpreter : interpreters) group.run([&] { run_turns(launch, schedule, *interpreter); });
            group.wait();
        });
    }
    for (auto const& interpreter : interpreters) add_counts(launch.plan, interpreter->counters(), statistics);
    if (schedule.error()) std::rethrow_exception(schedule.error());
}

}  // namespace warpsim::sim
