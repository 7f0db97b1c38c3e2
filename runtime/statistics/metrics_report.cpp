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

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

}  // namespace

std::string metrics_page() {
    std::string text = "# Metrics by the names of Nsight Compute\n\n"
                       "Made from the table in [metrics.cpp](metrics.cpp); `WARPSIM_REBASE=1 warpsim-tests \"The "
                       "page of metrics*\"` "
                       "makes it again.\n\n"
                       "`--metrics A,B` prints them for each launch, at the end, on standard output; `--csv` in "
                       "the columns that\n"
                       "`ncu --csv` has. Values are in the units of this table (`ncu --print-units base`), "
                       "without separators between\n"
                       "thousands. What there is nothing to divide by for is `n/a`. [keys.md](keys.md) says what "
                       "the keys are of which\n"
                       "they are made.\n\n"
                       "| metric | unit | mode | made of |\n| --- | --- | --- | --- |\n";
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
    return text;
}

MetricsReport::MetricsReport(std::string_view list, bool is_timing, bool is_csv, Peaks peaks)
    : metrics_(chosen_metrics(list, is_timing)), is_csv_(is_csv), peaks_(std::move(peaks)) {}

void MetricsReport::add(sim::LaunchStatistics const& launch) {
    Launch one{sim::demangled(launch.kernel), extent_text(launch.grid), extent_text(launch.block), {}};
    for (Metric const* const metric : metrics_) one.values.push_back(metric->value(launch, peaks_));
    launches_.push_back(std::move(one));
}

std::string MetricsReport::text() const { return is_csv_ ? csv() : table(); }

std::string MetricsReport::csv() const {
    std::string text =
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
        "Size\","
        "\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    std::string const process =
        csv_field(std::to_string(getpid())) + "," + csv_field(process_name()) + "," + csv_field(host_name());
    for (std::size_t id = 0; id < launches_.size(); ++id) {
        Launch const& launch = launches_[id];
        // Nobody notes streams and contexts of launches here.
        std::string const head = csv_field(std::to_string(id)) + "," + process + "," + csv_field(launch.kernel) +
                                 ",\"\",\"\"," + csv_field(launch.block) + "," + csv_field(launch.grid) +
                                 ",\"\"," + csv_field(peaks_.compute_capability) +
                                 ",\"Command line profiler metrics\",";
        for (std::size_t i = 0; i < metrics_.size(); ++i)
            text += head + csv_field(metrics_[i]->name) + "," + csv_field(metrics_[i]->unit) + "," +
                    csv_field(value_text(launch.values[i])) + "\n";
    }
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
