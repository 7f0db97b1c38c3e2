// Metrics as pages, tables and the lines that scripts read.
#include "runtime/statistics/metrics.hpp"

#include "sim/demangled.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace warpsim::statistics {

namespace {

std::string extent_text(std::array<std::uint32_t, 3> const& e) {
    return "(" + std::to_string(e[0]) + ", " + std::to_string(e[1]) + ", " + std::to_string(e[2]) + ")";
}

std::string value_text(std::optional<double> value) {
    if (!value) return "n/a";
    char text[64];
    bool const is_whole = std::abs(*value) < 1e15 && *value == std::floor(*value);
    std::snprintf(text, sizeof text, is_whole ? "%.0f" : std::abs(*value) >= 1 ? "%.2f" : "%.4f", *value);
    return text;
}

std::string csv_field(std::string_view value) {
    std::string text = "\"";
    for (char const c : value) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

std::string process_name() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).filename().string();
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

constexpr std::string_view head_columns =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\","
    "\"Grid Size\",\"Device\",\"CC\",";

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

}  // namespace

std::string metrics_page() {
    std::string text =
        "# Metrics by the names of Nsight Compute\n\n"
        "Made from the table in [metrics.cpp](metrics.cpp); `WARPSIM_REBASE=1 warpsim-tests \"The page of "
        "metrics*\"` makes it again.\n\n"
        "`--metrics A,B` prints them for each launch, at the end, on standard output. What there is nothing to "
        "divide by for is\n"
        "`n/a`. [keys.md](keys.md) says what the keys are of which they are made.\n\n"
        "With `--csv` it prints what `ncu --csv` does, so that scripts which read that read this: the same "
        "columns in "
        "the same\n"
        "order, each value in quotes, a line for each metric of each launch; with `--page raw` a line for each "
        "launch, "
        "below one with\n"
        "the units. Four things are not as there:\n\n"
        "- Values are in the units of this table, as with `ncu --print-units base`, and without separators "
        "between "
        "thousands.\n"
        "- The program's output comes first, and nothing between: there are no lines `==PROF==`, as if ncu wrote "
        "its "
        "table to a file\n"
        "  (`--log-file`).\n"
        "- The context is 1 plus the number of the device; the default stream is 7, as in ncu, and others count "
        "on "
        "from 8. The process\n"
        "  of `warpsim run` is `warpsim` itself.\n"
        "- `--page raw` has the metrics that were asked for, and not the attributes of the device "
        "(`device__...`).\n\n"
        "| groups | |\n| --- | --- |\n";
    for (MetricSet const& set : metric_sets())
        text += "| `" + std::string(set.name) + "` | " + std::string(set.what) + " |\n";
    text += "\n| metric | unit | mode | made of |\n| --- | --- | --- | --- |\n";
    for (Metric const& metric : metrics())
        text += "| `" + metric.name + "` | " + std::string(metric.unit) + " | " +
                (metric.is_timed ? "timing" : "any") + " | " + std::string(metric.source) + " |\n";
    return text;
}

std::string metrics_list() {
    std::size_t width = 0;
    for (Metric const& metric : metrics()) width = std::max(width, metric.name.size());
    std::string text;
    for (Metric const& metric : metrics())
        text += padded(metric.name, width + 2) + padded(std::string(metric.unit), 17) +
                padded(metric.is_timed ? "timing" : "any", 8) + std::string(metric.source) + "\n";
    for (MetricSet const& set : metric_sets())
        text += padded(std::string(set.name), width + 27) + std::string(set.what) + "\n";
    return text;
}

MetricsReport::MetricsReport(std::string_view list, bool is_timing, MetricsLayout layout, Peaks peaks)
    : metrics_(chosen_metrics(list, is_timing)), layout_(layout), peaks_(std::move(peaks)) {}

void MetricsReport::add(sim::LaunchStatistics const& launch, LaunchPlace const& place) {
    Launch one{sim::demangled(launch.kernel), extent_text(launch.grid), extent_text(launch.block), place, {}};
    for (Metric const* const metric : metrics_) one.values.push_back(metric->value(launch, peaks_));
    launches_.push_back(std::move(one));
}

std::string MetricsReport::text() const {
    if (layout_ == MetricsLayout::details) return details();
    return layout_ == MetricsLayout::raw ? raw() : table();
}

std::string MetricsReport::head(std::size_t id) const {
    Launch const& launch = launches_[id];
    std::string text;
    // A process has one context for each device here.
    for (std::string const& field :
         {std::to_string(id), std::to_string(getpid()), process_name(), host_name(), launch.kernel,
          std::to_string(1 + launch.place.device), std::to_string(launch.place.stream), launch.block, launch.grid,
          std::to_string(launch.place.device), peaks_.compute_capability})
        text += csv_field(field) + ",";
    return text;
}

std::string MetricsReport::details() const {
    std::string text =
        std::string(head_columns) + "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    for (std::size_t id = 0; id < launches_.size(); ++id) {
        std::string const before = head(id) + "\"Command line profiler metrics\",";
        for (std::size_t i = 0; i < metrics_.size(); ++i)
            text += before + csv_field(metrics_[i]->name) + "," + csv_field(metrics_[i]->unit) + "," +
                    csv_field(value_text(launches_[id].values[i])) + "\n";
    }
    return text;
}

std::string MetricsReport::raw() const {
    std::string names(head_columns), units;
    for (auto i = std::count(names.begin(), names.end(), ','); i > 0; --i) units += "\"\",";
    std::vector<std::string> rows;
    for (std::size_t id = 0; id < launches_.size(); ++id) rows.push_back(head(id));
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
        std::string const end = i + 1 == metrics_.size() ? "\n" : ",";
        names += csv_field(metrics_[i]->name) + end;
        units += csv_field(metrics_[i]->unit) + end;
        for (std::size_t id = 0; id < launches_.size(); ++id)
            rows[id] += csv_field(value_text(launches_[id].values[i])) + end;
    }
    std::string text = names + units;
    for (std::string const& row : rows) text += row;
    return text;
}

std::string MetricsReport::table() const {
    std::size_t name = 0, unit = 0;
    for (Metric const* const metric : metrics_) {
        name = std::max(name, metric->name.size());
        unit = std::max(unit, metric->unit.size());
    }
    std::string text;
    for (Launch const& launch : launches_) {
        text += launch.kernel + ": grid " + launch.grid + ", block " + launch.block + "\n";
        for (std::size_t i = 0; i < metrics_.size(); ++i) {
            std::string const value = value_text(launch.values[i]);
            text += "  " + padded(metrics_[i]->name, name + 2) + padded(std::string(metrics_[i]->unit), unit + 2) +
                    std::string(value.size() < 16 ? 16 - value.size() : 0, ' ') + value + "\n";
        }
    }
    return text;
}

}  // namespace warpsim::statistics
