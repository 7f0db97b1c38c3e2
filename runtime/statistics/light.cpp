#include "runtime/statistics/light.hpp"

#include <algorithm>
#include <cstdio>

namespace warpsim::statistics {

namespace {

constexpr double sector_bytes = 32, line_bytes = 128;
// Below it, profilers say, a part of the GPU does not hold a kernel up: its warps wait for one another, or for data.
constexpr double busy = 0.6;

std::optional<double> share_of(double moved, double peak, std::uint64_t cycles) {
    if (peak == 0 || cycles == 0) return std::nullopt;
    return moved / peak / static_cast<double>(cycles);
}

}  // namespace

Peaks peaks_of(sim::Config const& config) {
    Peaks peaks;
    if (config.sm.l1) peaks.l1_bytes_per_cycle = double{1} * config.sm.l1->bytes_per_cycle * config.sm.count;
    if (config.l2.slices && config.clock_mhz != 0)
        peaks.l2_bytes_per_cycle = double{1} * config.l2.slices->bytes_per_cycle * config.l2.slices->count *
                                   config.l2.slices->clock_mhz / config.clock_mhz;
    peaks.compute_capability =
        std::to_string(config.compute_capability.major) + "." + std::to_string(config.compute_capability.minor);
    return peaks;
}

SpeedOfLight speed_of_light(sim::TimingCounts const& counts, Peaks const& peaks) {
    SpeedOfLight light;
    double const sm_cycles = static_cast<double>(counts.cycles) * counts.sms;
    if (sm_cycles == 0) return light;
    auto const raise = [](double& most, std::string& by, double share, std::string_view name) {
        if (share <= most) return;
        most = share;
        by = name;
    };
    raise(light.sm, light.sm_by, static_cast<double>(counts.micro_ops) / (sm_cycles * counts.sub_cores), "issue");
    for (sim::UnitCounts const& unit : counts.units) {
        if (counts.active_cycles == 0) continue;
        double const units_of_an_sm = static_cast<double>(unit.cycles) / static_cast<double>(counts.active_cycles);
        if (units_of_an_sm == 0) continue;
        raise(light.sm, light.sm_by, static_cast<double>(unit.busy_cycles) / (units_of_an_sm * sm_cycles),
              unit.name);
    }
    sim::L1Counts const& l1 = counts.l1;
    light.l1 =
        share_of(sector_bytes * static_cast<double>(l1.load_sectors + l1.store_sectors + l1.atomic_sectors) +
                     line_bytes * static_cast<double>(l1.shared_requests + l1.shared_conflicts),
                 peaks.l1_bytes_per_cycle, counts.cycles);
    light.l2 = share_of(sector_bytes * static_cast<double>(counts.l2.all_sectors()), peaks.l2_bytes_per_cycle,
                        counts.cycles);
    light.dram = counts.dram_utilization();
    raise(light.memory, light.memory_by, light.l1.value_or(0), "L1");
    raise(light.memory, light.memory_by, light.l2.value_or(0), "L2");
    raise(light.memory, light.memory_by, light.dram.value_or(0), "DRAM");
    return light;
}

std::vector<std::pair<std::string, double>> waits(sim::TimingCounts const& counts) {
    double all = 0;
    std::vector<std::pair<std::string, double>> found;
    for (std::size_t reason = 0; reason < sim::stall_reasons; ++reason) {
        bool const is_ready = static_cast<sim::StallReason>(reason) == sim::StallReason::not_selected;
        if (counts.stalls[reason] == 0 || is_ready) continue;
        found.emplace_back(sim::stall_name(reason), static_cast<double>(counts.stalls[reason]));
        all += found.back().second;
    }
    for (auto& one : found) one.second /= all;
    std::stable_sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.second > b.second; });
    return found;
}

std::string limit(sim::TimingCounts const& counts, Peaks const& peaks) {
    SpeedOfLight const light = speed_of_light(counts, peaks);
    double const most = std::max(light.sm, light.memory);
    if (most < busy) return "latency";
    std::string const& by = light.memory >= light.sm ? light.memory_by : light.sm_by;
    char text[48];
    std::snprintf(text, sizeof text, ", at %.0f %% of its peak", 100 * most);
    return by + text;
}

void add_launch(sim::TimingCounts& sum, sim::TimingCounts const& launch) {
    sim::add(static_cast<sim::SmCounts&>(sum), static_cast<sim::SmCounts const&>(launch));
    sim::add(sum.l2, launch.l2);
    sim::add(sum.dram, launch.dram);
    sum.cycles += launch.cycles;
    for (std::size_t i = 0; i < launch.energy.joules.size(); ++i) sum.energy.joules[i] += launch.energy.joules[i];
    for (std::size_t i = 0; i < std::min(sum.units.size(), launch.units.size()); ++i) {
        sum.units[i].micro_ops += launch.units[i].micro_ops;
        sum.units[i].busy_cycles += launch.units[i].busy_cycles;
        sum.units[i].cycles += launch.units[i].cycles;
    }
}

}  // namespace warpsim::statistics
