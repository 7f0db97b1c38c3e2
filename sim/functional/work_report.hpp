// What a host thread executes of a launch, and how long that takes it, for the kernel's code to know.
#pragma once

#include "sim/functional/schedule.hpp"

#include <cstdint>

namespace warpsim::sim {

/// Reads the clock when the thread takes and gives back turns in the schedule, not for every CTA.
class WorkReport {
public:
    WorkReport(LaunchContext const& launch, Interpreter const& interpreter, Schedule const& schedule);
    WorkReport(WorkReport const&) = delete;
    WorkReport& operator=(WorkReport const&) = delete;
    ~WorkReport();

    void begin_stretch();
    /// What follows is not work, such as waiting for a turn.
    void end_stretch();
    void add(std::uint64_t warp_instructions) { stretch_ += warp_instructions; }
    /// The stretch was spent in waiting for others.
    void drop_stretch();

private:
    void tell();

    LaunchContext const& launch_;
    Interpreter const& interpreter_;
    Schedule const& schedule_;
    std::uint64_t begin_ = 0, stretch_ = 0;  // clock and instructions of what has not ended
    std::uint64_t ticks_ = 0, told_ticks_ = 0;
    KernelWork work_;
};

}  // namespace warpsim::sim
