#include "runtime/statistics/summary.hpp"

#include "sim/demangled.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

namespace warpsim::statistics {

namespace {

using SummedKernel = Summary::Kernel;

std::string short_time(double seconds) {
    char text[32];
    if (seconds >= 1) std::snprintf(text, sizeof text, "%.2f s", seconds);
    else if (seconds >= 1e-3) std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
    else std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
    return text;
}

std::string percent_text(std::optional<double> share) {
    if (!share) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * *share);
    return text;
}

std::optional<double> part_of(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return std::nullopt;
    return static_cast<double>(part) / static_cast<double>(whole);
}

struct SummaryColumn {
    std::string head;
    std::size_t width;
    int rank;  // 0 stays; of the others the highest go first
    std::function<std::string(SummedKernel const&)> value;
};

std::vector<SummaryColumn> columns_of(bool is_timed, bool has_energy, Peaks const& peaks) {
    std::vector<SummaryColumn> columns;
    columns.push_back({"launches", 10, 0, [](SummedKernel const& k) { return std::to_string(k.launches); }});
    if (!is_timed) {
        columns.push_back({"warp instructions", 19, 0,
                           [](SummedKernel const& k) { return std::to_string(k.instructions.warp); }});
        columns.push_back({"lanes", 8, 1, [](SummedKernel const& k) {
                               return percent_text(part_of(k.instructions.thread, 32 * k.instructions.warp));
                           }});
        columns.push_back({"host time", 12, 0, [](SummedKernel const& k) { return short_time(k.seconds); }});
        return columns;
    }
    auto const timed = [](auto of) {
        return [of](SummedKernel const& k) { return k.timing ? percent_text(of(*k.timing)) : std::string("-"); };
    };
    using Counts = sim::TimingCounts;
    columns.push_back({"GPU time", 11, 0,
                       [](SummedKernel const& k) { return (k.is_projected ? "~" : "") + short_time(k.seconds); }});
    columns.push_back(
        {"SM", 7, 0, timed([peaks](Counts const& t) { return std::optional(speed_of_light(t, peaks).sm); })});
    columns.push_back({"memory", 8, 0, timed([peaks](Counts const& t) {
                           return std::optional(speed_of_light(t, peaks).memory);
                       })});
    columns.push_back({"warps", 7, 1, timed([](Counts const& t) {
                           return part_of(t.resident_warp_cycles, t.active_cycles * t.max_warps);
                       })});
    columns.push_back(
        {"L1 hit", 8, 4, timed([](Counts const& t) { return part_of(t.l1.tag_hits, t.l1.load_sectors); })});
    columns.push_back({"L2 hit", 8, 3, timed([](Counts const& t) {
                           return part_of(t.l2.tag_hits + t.l2.write_sectors, t.l2.all_sectors());
                       })});
    columns.push_back({"DRAM", 7, 2, timed([](Counts const& t) { return t.dram_utilization(); })});
    if (has_energy)
        columns.push_back({"watts", 7, 5, [](SummedKernel const& k) {
                               auto const watts = k.timing ? k.timing->average_watts() : std::nullopt;
                               return watts ? std::to_string(std::lround(*watts)) : std::string("-");
                           }});
    return columns;
}

constexpr std::size_t narrowest_name = 18;

std::size_t width_of(std::vector<SummaryColumn> const& columns) {
    std::size_t width = 2;
    for (SummaryColumn const& column : columns) width += column.width;
    return width;
}

void fit(std::vector<SummaryColumn>& columns, std::size_t width) {
    while (width_of(columns) + narrowest_name > width) {
        auto const last = std::max_element(columns.begin(), columns.end(),
                                           [](auto const& a, auto const& b) { return a.rank < b.rank; });
        if (last->rank == 0) return;
        columns.erase(last);
    }
}

std::string right(std::string const& text, std::size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

std::string cut(std::string text, std::size_t width) {
    width = std::max<std::size_t>(width, 4);
    if (text.size() > width) text.replace(width - 3, std::string::npos, "...");
    return text;
}

/// The words of a text in lines, each indented.
std::string wrapped(std::string const& text, std::size_t width) {
    std::istringstream words(text);
    std::string all, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && 4 + line.size() + 1 + word.size() > width) all += "\n    " + std::exchange(line, "");
        line += (line.empty() ? "" : " ") + word;
    }
    return all + "\n    " + line;
}

std::string wait_reasons(SummedKernel const& kernel, Peaks const& peaks) {
    std::string text = "limited by " + limit(*kernel.timing, peaks);
    auto const all = waits(*kernel.timing);
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i)
        text += (i == 0 ? "; warps wait: " : ", ") + all[i].first + " " + percent_text(all[i].second);
    sim::PrefetchCounts const& p = kernel.timing->l1.prefetch;
    if (p.issued != 0)
        text += "; prefetched lines: accuracy " + percent_text(part_of(p.used(), p.issued)) + ", coverage " +
                percent_text(part_of(p.used(), p.used() + p.missed));
    return text;
}

}  // namespace

void Summary::add(sim::LaunchStatistics const& launch) {
    SummedKernel& kernel = kernels_[launch.kernel];
    ++kernel.launches;
    kernel.instructions.warp += launch.instructions.warp;
    kernel.instructions.thread += launch.instructions.thread;
    if (launch.timing) {
        is_timed_ = true;
        has_energy_ = has_energy_ || launch.timing->energy.counted;
        kernel.seconds +=
            static_cast<double>(launch.timing->cycles) / (1e6 * std::max(launch.timing->clock_mhz, 1u));
        kernel.is_projected |= launch.timing->sampling.is_sampled;
        if (kernel.timing) return add_launch(*kernel.timing, *launch.timing);
        kernel.timing = launch.timing;
        kernel.timing->profile.clear();
        kernel.timing->intervals.clear();
    } else if (!is_timed_) {
        kernel.seconds += launch.host_seconds;
    }
}

std::string Summary::text(std::size_t width) const {
    std::vector<std::pair<std::string, SummedKernel const*>> order;
    for (auto const& [name, kernel] : kernels_) order.emplace_back(name, &kernel);
    std::stable_sort(order.begin(), order.end(),
                     [](auto const& a, auto const& b) { return a.second->seconds > b.second->seconds; });
    std::vector<SummaryColumn> columns = columns_of(is_timed_, has_energy_, peaks_);
    fit(columns, width);
    std::size_t const before = width_of(columns), left = width > before ? width - before : 0;
    std::string text;
    for (SummaryColumn const& column : columns) text += right(column.head, column.width);
    text += "  kernel";
    for (auto const& [name, kernel] : order) {
        text += '\n';
        for (SummaryColumn const& column : columns) text += right(column.value(*kernel), column.width);
        text += "  " + cut(sim::demangled(name), left);
        if (kernel->timing) text += wrapped(wait_reasons(*kernel, peaks_), width);
    }
    return text;
}

}  // namespace warpsim::statistics
