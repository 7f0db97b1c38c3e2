#include "sim/timing/timing_run.hpp"

#include "sim/error.hpp"
#include "sim/timing/gpu.hpp"

#include <string>
#include <vector>

namespace warpsim::timing {

std::vector<std::string> timing_obstacles(sim::Config const& config) {
    std::vector<std::string> list;
    for (std::string const& group : config.missing_timing_groups()) list.push_back(group + " is not given");
    if (!list.empty()) return list;
    auto const refuse = [&](bool is_bad, std::string const& why) {
        if (is_bad) list.push_back(why);
    };
    refuse(longest_epoch(config) < 8, "interconnect.request_latency_cycles, interconnect.reply_latency_cycles and "
                                      "launch.cta_launch_latency_cycles must be at least 8");
    refuse(config.l2.slices->count % config.dram.channels->count != 0,
           "l2.slices.count must be a multiple of dram.channels.count");
    refuse(config.l2.slices->count % config.l2.slices->partitions != 0,
           "l2.slices.count must be a multiple of l2.slices.partitions");
    refuse(config.sm.max_warps > 64, "sm.max_warps must be at most 64");
    refuse(config.sm.max_warps > 16 * config.sm.sub_cores, "sm.max_warps must be at most 16 for each sub-core");
    refuse(config.sm.l1->line_bytes != line_bytes || config.l2.slices->line_bytes != line_bytes,
           "line_bytes of L1 and L2 must be 128");
    refuse(config.sm.l1->sector_bytes != sector_bytes || config.l2.slices->sector_bytes != sector_bytes,
           "sector_bytes of L1 and L2 must be 32");
    refuse(config.sm.shared.banks->count > 64, "sm.shared.banks.count must be at most 64");
    refuse(config.dram.channels->banks > 64, "dram.channels.banks must be at most 64");
    return list;
}

void run_timing(Gpu& gpu, MachineKernel const& kernel, sim::LaunchContext const& launch,
                TimingOptions const& options, sim::LaunchStatistics& statistics, sim::TimingCounts& counts) {
    GridNumber const grid = gpu.launch(launch, kernel, options, gpu.quiet());
    while (gpu.ended().empty()) gpu.advance();
    gpu.ended().clear();
    while (!gpu.is_settled(grid)) gpu.advance();
    gpu.retire(grid, statistics, counts);
}

}  // namespace warpsim::timing
