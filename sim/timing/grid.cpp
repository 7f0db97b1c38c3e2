#include "sim/timing/grid.hpp"

#include "sim/timing/plan/executed.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

Grid::Grid(sim::Config const& config, GridNumber its_number, sim::LaunchContext const& context,
           TimingPlan its_plan, TimingOptions its_options)
    : number(its_number),
      launch(context),
      plan(std::move(its_plan)),
      options(std::move(its_options)),
      needs(
          cta_needs(config, context.plan, context.threads(), options.registers_per_thread, context.shared_bytes)),
      occupancy(find_occupancy(config.sm, needs)),
      ctas_on(config.sm.count, 0) {
    occupancy.ctas = std::max(occupancy.ctas, 1u);  // the launch was checked; see check_launch
    sim::L1Config const& l1 = *config.sm.l1;
    l1_kib = l1.size_kib - std::min(occupancy.carve_out_kib, l1.size_kib - 1);
    if (l1.cache_kib > 0) l1_kib = std::min(l1_kib, l1.cache_kib);
    if (options.sampling.error > 0) {
        sampler.emplace(context.clusters(), context.ctas_per_cluster(), options.sampling.error);
        for (FunctionTiming const& function : plan.functions)
            micro_ops_of.push_back(timing::micro_ops_of(function));
    }
}

void Grid::end_in_cluster(sim::Cluster const& cluster) {
    auto const found =
        std::find_if(clusters.begin(), clusters.end(), [&](auto const& c) { return &c->cluster == &cluster; });
    if (--(*found)->live == 0) free_clusters.push_back(found->get());
}

}  // namespace warpsim::timing
