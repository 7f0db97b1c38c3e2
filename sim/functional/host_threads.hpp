// A functional launch and the host threads that run it.
#pragma once

#include "sim/exec/fault.hpp"
#include "sim/exec/livelock.hpp"
#include "sim/functional/functional_run.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace warpsim::sim {

class HostThreads {
public:
    HostThreads(LaunchContext const& launch, FunctionalOptions const& options);

    /// Runs until the launch has ended or failed, or the schedule is paused.
    void run();
    /// Adds up the counts of all threads. Throws the fault that has ended the launch.
    void finish(LaunchStatistics& statistics);

    Schedule schedule;
    std::vector<std::unique_ptr<Interpreter>> interpreters;  // one for each thread
    std::vector<Schedule::Worker> workers;

private:
    using Time = std::chrono::steady_clock::time_point;
    /// What ends a launch that somebody has asked to stop; the cluster shows how far it is.
    Fault stopped(Cluster const& cluster) const;
    bool run_turns(std::size_t thread, Time until);

    LaunchContext const& launch_;
    FunctionalOptions const& options_;
    HostWait host_;
};

}  // namespace warpsim::sim
