// A functional launch and the host threads that run it.
#pragma once

#include "sim/functional/functional_run.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace warpsim::sim {

/// How long all CTAs that are left of the grid have been spinning.
class HostWait {
public:
    explicit HostWait(double seconds) : most_(seconds) {}
    /// Something has changed.
    void end() { since_.store(0, std::memory_order_relaxed); }
    /// Waits a little, unless it has waited for too long.
    bool wait();

private:
    double const most_;
    std::atomic<double> since_{0};
};

class HostThreads {
public:
    HostThreads(LaunchContext const& launch, FunctionalOptions const& options);

    /// Runs until the launch has ended or failed, or the schedule is paused.
    void run();
    /// Adds up the counts of all threads. Throws the fault that has ended the launch.
    void finish(LaunchStatistics& statistics) const;

    Schedule schedule;
    std::vector<std::unique_ptr<Interpreter>> interpreters;  // one for each thread
    std::vector<Schedule::Worker> workers;

private:
    using Time = std::chrono::steady_clock::time_point;
    bool run_turns(std::size_t thread, Time until);

    LaunchContext const& launch_;
    FunctionalOptions const& options_;
    HostWait host_;
};

}  // namespace warpsim::sim
