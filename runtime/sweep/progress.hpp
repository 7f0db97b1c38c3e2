// How far a sweep is, and how long it will take.
#pragma once

#include "runtime/statistics/progress_line.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace warpsim::sweep {

class Progress {
public:
    Progress(std::uint64_t points, std::uint64_t jobs, bool is_shown)
        : all_(points), jobs_(jobs), line_(is_shown, std::chrono::milliseconds(500)) {}

    /// A point of this plan is still to be run.
    void expect(std::string const& plan) { ++left_[plan]; }
    void ended(std::string const& plan, double seconds, bool has_failed);
    /// Of the points that are running: for how long they have been.
    void show(std::uint64_t running, double seconds);

    /// From the mean of points of the same plan, or of all where none has ended; negative: nothing is known.
    double seconds_left(double seconds_of_running) const;
    std::string text(std::uint64_t running, double seconds_of_running) const;

private:
    struct Mean {
        double seconds = 0;
        std::uint64_t count = 0;
    };
    std::uint64_t const all_, jobs_;
    std::uint64_t failed_ = 0;
    std::map<std::string, std::uint64_t> left_;
    std::map<std::string, Mean> means_;
    Mean mean_;
    statistics::ProgressLine line_;
};

}  // namespace warpsim::sweep
