#include "runtime/sweep/progress.hpp"

#include <algorithm>

namespace warpsim::sweep {

void Progress::ended(std::string const& plan, double seconds, bool has_failed) {
    --left_[plan];
    for (Mean* const mean : {&means_[plan], &mean_}) {
        mean->seconds += seconds;
        ++mean->count;
    }
    if (has_failed) ++failed_;
}

double Progress::seconds_left(double seconds_of_running) const {
    if (mean_.count == 0) return -1;
    double seconds = -seconds_of_running;
    for (auto const& [plan, count] : left_) {
        auto const own = means_.find(plan);
        Mean const& mean = own == means_.end() ? mean_ : own->second;
        seconds += static_cast<double>(count) * mean.seconds / static_cast<double>(mean.count);
    }
    return std::max(seconds, 0.0) / static_cast<double>(jobs_);
}

std::string Progress::text(std::uint64_t running, double seconds_of_running) const {
    std::uint64_t left = 0;
    for (auto const& [plan, count] : left_) left += count;
    std::string text = std::to_string(all_ - left) + " of " + std::to_string(all_) + " points";
    if (failed_ > 0) text += ", " + std::to_string(failed_) + " failed";
    text += ", " + std::to_string(running) + " running";
    double const seconds = seconds_left(seconds_of_running);
    return seconds < 0 ? text : text + ", " + statistics::clock_text(seconds) + " left";
}

void Progress::show(std::uint64_t running, double seconds) {
    if (line_.is_due()) line_.show(text(running, seconds));
}

}  // namespace warpsim::sweep
