// Metrics by the names of Nsight Compute, for scripts that ask for them.
#pragma once

#include "runtime/statistics/light.hpp"
#include "sim/statistics.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::statistics {

struct Metric {
    std::string name;
    std::string_view unit;
    bool is_timed;            // only timing mode counts it
    std::string_view source;  // what it is made of, by the keys of the statistics
    /// None: there was nothing to divide by.
    std::function<std::optional<double>(sim::LaunchStatistics const&, Peaks const&)> value;
};
/// All that there are.
std::vector<Metric> const& metrics();

/// Those of a list of items, separated by commas: names; names up to their first point, for all that begin so; and
/// `regex:` before a regular expression that occurs in the names. Each comes once. Throws Error(usage) for an item that means
/// none, with the nearest name, and for one that means only metrics which the mode does not count.
std::vector<Metric const*> chosen_metrics(std::string_view list, bool is_timing);

/// The table as a page: metrics.md is this text, and a test holds it to it.
std::string metrics_page();
/// ... as lines for a terminal.
std::string metrics_list();

/// What was asked for, of each launch.
class MetricsReport {
public:
    MetricsReport(std::string_view list, bool is_timing, bool is_csv, Peaks peaks);
    void add(sim::LaunchStatistics const& launch);
    /// Of all launches; with a newline at the end.
    std::string text() const;

private:
    struct Launch {
        std::string kernel, grid, block;
        std::vector<std::optional<double>> values;
    };
    std::string csv() const;
    std::string table() const;

    std::vector<Metric const*> metrics_;
    bool is_csv_;
    Peaks peaks_;
    std::vector<Launch> launches_;
};

}  // namespace warpsim::statistics
