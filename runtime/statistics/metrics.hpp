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

/// Those of a list of items, separated by commas: names; names up to their first point, for all that begin so; `regex:`
/// before a regular expression that occurs in the names; `group:` before the name of a group; and `breakdown:` before a metric
/// that is the most of others, for these. Each comes once. Throws Error(usage) for an item that means none, with the nearest
/// name, and for one that means only metrics which the mode does not count.
std::vector<Metric const*> chosen_metrics(std::string_view list, bool is_timing);
/// What `group:` and `breakdown:` may name, as lines of two columns.
struct MetricSet {
    std::string_view name;                     // with its prefix
    std::string_view what;                     // for people
    std::vector<std::string_view> beginnings;  // of the names of its metrics
};
std::vector<MetricSet> const& metric_sets();

/// The table as a page: metrics.md is this text, and a test holds it to it.
std::string metrics_page();
/// ... as lines for a terminal.
std::string metrics_list();

/// A table for people, or the columns of ncu --csv: a line for each metric of each launch, or with --page raw one for each
/// launch.
enum class MetricsLayout : std::uint8_t { table, details, raw };

/// Where a launch took place: streams by the numbers that ncu has for them, where the default one is 7.
struct LaunchPlace {
    int device = 0;
    std::uint64_t stream = 7;
};

/// What was asked for, of each launch.
class MetricsReport {
public:
    MetricsReport(std::string_view list, bool is_timing, MetricsLayout layout, Peaks peaks);
    void add(sim::LaunchStatistics const& launch, LaunchPlace const& place);
    /// Of all launches; with a newline at the end.
    std::string text() const;

private:
    struct Launch {
        std::string kernel, grid, block;
        LaunchPlace place;
        std::vector<std::optional<double>> values;
    };
    std::string details() const;
    std::string raw() const;
    std::string table() const;
    /// The fields that say which launch it is, with a comma behind each.
    std::string head(std::size_t id) const;

    std::vector<Metric const*> metrics_;
    MetricsLayout layout_;
    Peaks peaks_;
    std::vector<Launch> launches_;
};

}  // namespace warpsim::statistics
