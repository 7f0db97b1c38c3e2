// A functional launch on the host threads that run it.
#pragma once

#include "sim/functional/functional_run.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace warpsim::sim {

/// For how long all that is left of the grid has gone in circles.
class HostWait {
public:
    explicit HostWait(double seconds) : most_(seconds) {}
    /// Something happened.
    void end() { since_.store(0, std::memory_order_relaxed); }
    /// Waits a little, unless it has for too long.
    bool wait();

private:
    double const most_;
    std::atomic<double> since_{0};
};

class HostThreads {
public:
    HostThreads(LaunchContext const& launch, FunctionalOptions const& options);

    /// Until the launch has ended or failed, or the schedule is paused.
    void run();
    /// What all threads counted. Throws the fault that has ended the launch.
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
