// The state of a GPU between two epochs, as bytes and back. Clusters come first, because much refers to them.
#include "sim/timing/checkpoint/sm_state.hpp"
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace warpsim::timing {

template <class Archive> void Grid::state_of_clusters(Archive& archive) {
    auto& places = archive.template context<Places>();
    places.enter(number);
    archive.list(clusters, [&](std::unique_ptr<LiveCluster>& live) {
        if (!live) live = std::make_unique<LiveCluster>();
        archive(live->live, live->cluster);
        places.add(live->cluster);
    });
    archive.list(free_clusters, [&](LiveCluster*& free) {
        auto const found =
            std::find_if(clusters.begin(), clusters.end(), [&](auto const& c) { return c.get() == free; });
        auto place = static_cast<std::uint64_t>(found - clusters.begin());
        archive(place);
        free = clusters.at(place).get();
    });
}

/// What the launch and the configuration say is not among it.
template <class Archive> void Grid::state(Archive& archive) {
    if (!arrived.empty() || sampler) throw std::logic_error("a grid that is sampled, or inside of an epoch");
    archive(serial, earliest, next_cta, ended, cancelled, ctas_on, end, steady, next_gpc, samples);
}

template <class Archive> void Gpu::keep(Archive& archive, Grid*& grid) const {
    std::uint32_t number = grid == nullptr ? UINT32_MAX : grid->number;
    archive(number);
    grid = number == UINT32_MAX ? nullptr : grids_.at(number).get();
}

/// Clusters of several CTAs belong to the grid; who runs them is on the SM of the first one.
template <class Archive> void Gpu::keep_grids(Archive& archive) {
    for (std::uint32_t s = 0; s < sms_.size(); ++s) {
        for (auto& grid : grids_) {
            bool is_here = grid && sms_[s]->grid(grid->number) != nullptr;
            archive(is_here);
            if (is_here) resident(*grid, s);
        }
    }
    for (auto& grid : grids_) {
        if (!grid) continue;
        grid->state_of_clusters(archive);
        for (auto& live : grid->clusters) {
            if (live->cluster.ctas.empty()) continue;
            sms_.at(live->cluster.ctas.front().sm)->grid(grid->number)->interpreter.adopt(live->cluster);
        }
    }
    for (auto& sm : sms_) sm->state_of_clusters(archive);
    for (auto& grid : grids_) {
        if (grid) archive(*grid);
    }
}

template <class Archive> void Gpu::state(Archive& archive) {
    Places places;
    for (auto const& grid : grids_) {
        if (grid) places.add(grid->number, grid->launch.plan, grid->plan);
    }
    archive.set_context(places);
    if (failure_ || failed_ || !copies_.outbox().is_empty())
        throw std::logic_error("a GPU is kept that has failed");
    auto sms = static_cast<std::uint32_t>(sms_.size());
    archive(sms);
    if (sms != 0) sm_for(sms - 1);
    keep_grids(archive);
    for (auto& sm : sms_) archive(*sm);
    for (Room& room : rooms_) archive(room);
    archive.component(placement_);
    archive(distributor_free_);
    for (auto& partition : partitions_) archive(*partition);
    if (network_) archive(*network_);
    archive(copies_);
    auto const all = [&](std::vector<Grid*>& list) {
        archive.list(list, [&](Grid*& grid) { keep(archive, grid); });
    };
    all(launched_);
    all(queue_);
    all(outside_);
    archive.list(arrivals_, [&](Arrival& arrival) {
        archive(arrival.at);
        keep(archive, arrival.grid);
    });
    bool has_detector = livelock_.has_value();
    archive(has_detector);
    if (has_detector && !livelock_) livelock_.emplace(host_wait_seconds_, Cycle{0});
    if (has_detector) archive(*livelock_);
    archive(resident_, ended_, next_serial_, next_number_, waits_ended_, changes_then_, begun_and_ended_, done_,
            now_, last_end_);
}

/// An SM has one of each component that SMs have.
void Gpu::check_components() {
    sm_for(0);
    checkpoint::Saver nowhere([](std::span<std::byte const>) {});
    state(nowhere);
}

void Gpu::save(checkpoint::Saver& saver) { state(saver); }
void Gpu::load(checkpoint::Loader& loader) { state(loader); }

void Gpu::adopt(GridNumber number, sim::LaunchContext const& context, MachineKernel const& kernel,
                TimingOptions options, Cycle launched) {
    grids_.at(number) =
        std::make_unique<Grid>(config_, number, context, make_timing_plan(kernel, config_), std::move(options));
    Grid& grid = *grids_[number];
    grid.machine = &kernel;
    grid.launched = launched;
    for (auto const& partition : partitions_)
        partition->begin_grid(number, grid.options.interval_cycles, grid.launched);
}

}  // namespace warpsim::timing
