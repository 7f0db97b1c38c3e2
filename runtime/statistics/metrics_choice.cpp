// Which metrics a list of items means.
#include "runtime/statistics/metrics.hpp"
#include "sim/error.hpp"
#include "sim/expression.hpp"
#include "sim/nearest.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace warpsim::statistics {

/// As ncu has them, with those of their metrics that there are here.
std::vector<MetricSet> const& metric_sets() {
    static std::vector<MetricSet> const sets{
        {"group:memory__chart",
         "what L1, L2 and DRAM have moved",
         {"l1tex__t_", "l1tex__data_bank_", "lts__t_", "dram__sectors_", "dram__bytes"}},
        {"group:memory__shared_table", "shared memory", {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared"}},
        {"group:memory__first_level_cache_table", "L1", {"l1tex__t_", "l1tex__average_t_"}},
        {"group:memory__l2_cache_table", "L2", {"lts__t_"}},
        {"group:memory__dram_table", "DRAM", {"dram__"}},
        {"group:smsp__pcsamp_warp_stall_reasons", "what warps waited for", {"smsp__pcsamp_warps_issue_stalled_"}},
        {"breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed",
         "issue slots and kinds of units, of which it is the busiest",
         {"sm__issue_active.avg.pct_of_peak_sustained_elapsed", "sm__pipe_"}},
        {"breakdown:gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
         "caches and DRAM, of which it is the busiest",
         {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
          "lts__throughput.avg.pct_of_peak_sustained_elapsed",
          "dram__throughput.avg.pct_of_peak_sustained_elapsed"}},
    };
    return sets;
}

namespace {

using IsMeant = std::function<bool(Metric const&)>;

[[noreturn]] void unknown_metric(std::string_view item) {
    std::vector<std::string> names;
    for (Metric const& metric : metrics()) names.push_back(metric.name);
    for (MetricSet const& set : metric_sets()) names.emplace_back(set.name);
    std::string const nearest = sim::did_you_mean(item, names);
    throw Error(ErrorKind::usage, "--metrics: there is no metric '" + std::string(item) + "'" +
                                      (nearest.empty() ? "; `warpsim metrics` lists them" : nearest));
}

IsMeant set_of(std::string_view item) {
    auto const set = std::find_if(metric_sets().begin(), metric_sets().end(),
                                  [&](MetricSet const& s) { return s.name == item; });
    if (set == metric_sets().end()) unknown_metric(item);
    return [set](Metric const& m) {
        return std::any_of(set->beginnings.begin(), set->beginnings.end(),
                           [&](std::string_view beginning) { return m.name.starts_with(beginning); });
    };
}

IsMeant expression_of(std::string const& text) {
    return [fits = sim::expression(text, "--metrics")](Metric const& m) { return fits(m.name); };
}

/// One by its whole name, or all of a name before its point: `dram__bytes` is .sum and .sum.per_second.
IsMeant name_of(std::string_view item) {
    bool const is_whole = item.find('.') != std::string_view::npos;
    return [is_whole, name = std::string(item)](Metric const& m) {
        return m.name == name || (!is_whole && m.name.starts_with(name + "."));
    };
}

IsMeant choice_of(std::string_view item) {
    constexpr std::string_view regex = "regex:";
    if (item.starts_with(regex)) return expression_of(std::string(item.substr(regex.size())));
    return item.starts_with("group:") || item.starts_with("breakdown:") ? set_of(item) : name_of(item);
}

}  // namespace

std::vector<Metric const*> chosen_metrics(std::string_view list, bool is_timing) {
    std::vector<Metric const*> chosen;
    for (std::size_t at = 0; at <= list.size();) {
        std::size_t const end = std::min(list.find(',', at), list.size());
        std::string_view const item = list.substr(at, end - at);
        at = end + 1;
        IsMeant const is_meant = choice_of(item);
        Metric const* timed = nullptr;
        bool any = false;
        for (Metric const& metric : metrics()) {
            if (!is_meant(metric)) continue;
            if (metric.is_timed && !is_timing) {
                timed = &metric;
                continue;
            }
            any = true;
            if (std::find(chosen.begin(), chosen.end(), &metric) == chosen.end()) chosen.push_back(&metric);
        }
        if (any) continue;
        if (timed == nullptr) unknown_metric(item);
        throw Error(ErrorKind::usage,
                    "--metrics: " + timed->name + " is counted in timing mode only, --mode timing");
    }
    return chosen;
}

}  // namespace warpsim::statistics
