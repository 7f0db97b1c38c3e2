// What the progress line says of the launch that is under way.
#pragma once

#include "runtime/statistics/progress_line.hpp"

#include "sim/launch_progress.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace warpsim::runtime {

/// "saxpy: 34 %, 412 of 1204 CTAs done, 132 resident, cycle 120344, IPC 1.82, 0:12, 0:23 left", without what is in the
/// middle where `width` has no room for it. `seconds`: since the launch began.
std::string text_of(sim::LaunchProgress const& progress, double seconds, std::size_t width);

/// Shown from two seconds after the first launch on, until the run ends.
class LaunchProgressLine {
public:
    explicit LaunchProgressLine(bool is_shown) : line_(is_shown, std::chrono::milliseconds(200)) {}

    void show(sim::LaunchProgress const& progress);
    void launch_ended();

private:
    using Clock = std::chrono::steady_clock;

    statistics::ProgressLine line_;
    Clock::time_point const start_ = Clock::now();
    Clock::time_point launch_start_ = start_;
};

}  // namespace warpsim::runtime
