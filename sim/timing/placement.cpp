// Which CTAs begin where and when. Grids are served by priority, and at equal priority in the order of their
// launches; CTAs of the next grid begin where there is room once all of the one before have begun.
#include "sim/error.hpp"
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::timing {

Sm& Gpu::sm_for(std::uint32_t number) {
    while (sms_.size() <= number) {
        sms_.push_back(std::make_unique<Sm>(config_, static_cast<std::uint32_t>(sms_.size()), map_));
        request_sources_.push_back(&sms_.back()->outbox());
        peer_sources_.push_back(&sms_.back()->peer_outbox());
    }
    return *sms_[number];
}

/// The state of the grid on one SM, which is created for its first CTA there.
ResidentGrid& Gpu::resident(Grid& grid, std::uint32_t s) {
    Sm& sm = sm_for(s);
    if (ResidentGrid* const known = sm.grid(grid.number)) return *known;
    return sm.begin_grid({grid.launch, grid.plan, grid.number, grid.l1_kib, grid.options.profile,
                          grid.options.code_is_warm, grid.options.interval_cycles, grid.launched,
                          grid.options.sinks ? grid.options.sinks(s) : sim::EventSinks()});
}

std::uint32_t Gpu::room_for(Grid const& grid, std::uint32_t sm) const {
    return rooms_[sm].left(config_.sm, grid.needs, grid.occupancy, grid.ctas_on[sm]);
}

void Gpu::look_for_room(Grid const& grid) {
    if (vacancies_.of == &grid) return;
    vacancies_.of = &grid;
    vacancies_.room.assign(rooms_.size(), 0);
    vacancies_.sms = 0;
    for (std::uint32_t s = 0; s < rooms_.size(); ++s) note_room(grid, s);
}

void Gpu::note_room(Grid const& grid, std::uint32_t sm) {
    std::uint32_t& room = vacancies_.room[sm];
    if (room != 0) --vacancies_.sms;
    room = room_for(grid, sm);
    if (room != 0) ++vacancies_.sms;
}

void Gpu::check_cluster_fits(Grid const& grid) const {
    std::uint32_t most = 0;
    for (std::uint32_t gpc = 0; gpc < config_.sm.gpc_count(); ++gpc)
        most = std::max(most, config_.sm.first_of_gpc(gpc + 1) - config_.sm.first_of_gpc(gpc));
    if (!grid.has_clusters() || grid.launch.ctas_per_cluster() <= most * grid.occupancy.ctas) return;
    throw Error(ErrorKind::launch,
                "cannot launch: a cluster of " + std::to_string(grid.launch.ctas_per_cluster()) +
                    " CTAs has no room in one GPC: " + std::to_string(most) + " SMs, each with room for " +
                    std::to_string(grid.occupancy.ctas) + " (sm.gpcs)");
}

/// The grid has reached the work distributor: it becomes resident, or waits until another has ended.
void Gpu::admit(Grid& grid) {
    std::vector<Grid*>& list = resident_ < most_resident_ ? queue_ : outside_;
    if (&list == &queue_) ++resident_;
    auto const later = std::upper_bound(list.begin(), list.end(), &grid, [](Grid const* a, Grid const* b) {
        return a->options.priority != b->options.priority ? a->options.priority > b->options.priority
                                                          : a->serial < b->serial;
    });
    list.insert(later, &grid);
}

void Gpu::dispatch(Cycle at) {
    while (!queue_.empty() && place_all(*queue_.front(), std::max(at, queue_.front()->earliest)))
        queue_.erase(queue_.begin());
    if (queue_.empty() || vacancies_.of != queue_.front()) vacancies_.of = nullptr;
}

/// When the work distributor can start so many CTAs, from `at` on; it is busy for a while then.
Cycle Gpu::start_of(std::uint32_t ctas, Cycle at) {
    constexpr std::uint64_t parts = 1000;  // of a cycle
    std::uint64_t const rate = config_.launch->ctas_per_1000_cycles;
    if (rate == 0) return at;
    std::uint64_t const start = std::max(at * parts, distributor_free_);
    distributor_free_ = start + ctas * parts * 1000 / rate;
    return (start + parts - 1) / parts;
}

/// Places as many CTAs or clusters of the grid as fit; true when all have begun.
bool Gpu::place_all(Grid& grid, Cycle at) {
    if (!grid.has_clusters()) {
        while (grid.may_begin() && place_cta(grid, at)) continue;
        return !grid.has_more();
    }
    // Takes the GPCs in turn.
    std::uint32_t const gpcs = config_.sm.gpc_count();
    for (std::uint32_t tried = 0; tried < gpcs && grid.may_begin();) {
        bool const placed = place_cluster(grid, grid.next_gpc, at);
        grid.next_gpc = (grid.next_gpc + 1) % gpcs;
        tried = placed ? 0 : tried + 1;
    }
    return !grid.has_more();
}

bool Gpu::place_cta(Grid& grid, Cycle at) {
    class Rooms final : public plugin::SmRooms {
    public:
        Rooms(Gpu const& gpu, Grid const& grid) : gpu_(gpu), grid_(grid) {}
        std::uint32_t count() const override { return gpu_.config_.sm.count; }
        std::uint32_t room(std::uint32_t sm) const override { return gpu_.vacancies_.room[sm]; }
        std::uint32_t warps(std::uint32_t sm) const override { return gpu_.rooms_[sm].warps(); }
        std::uint32_t ctas(std::uint32_t sm) const override { return grid_.ctas_on[sm]; }

    private:
        Gpu const& gpu_;
        Grid const& grid_;
    };
    look_for_room(grid);
    if (vacancies_.sms == 0) return false;
    std::uint32_t const best = placement_->choose(Rooms(*this, grid), grid.next_cta);
    check_plugins();
    if (best == plugin::CtaPlacement::nowhere) return false;
    take_room(grid, best);
    ResidentGrid& here = resident(grid, best);
    sms_[best]->place(here, grid.next_cta++, start_of(1, at));
    return true;
}

void Gpu::take_room(Grid& grid, std::uint32_t sm) {
    rooms_[sm].take(config_.sm, grid.needs, grid.occupancy);
    ++grid.ctas_on[sm];
    ++begun_and_ended_;
    if (vacancies_.of != nullptr) note_room(*vacancies_.of, sm);
}

/// The CTAs of a cluster go to SMs of one GPC, each to the one with most room.
bool Gpu::place_cluster(Grid& grid, std::uint32_t gpc, Cycle at) {
    std::uint32_t const first = config_.sm.first_of_gpc(gpc), end = config_.sm.first_of_gpc(gpc + 1);
    std::vector<std::uint32_t> room;
    for (std::uint32_t s = first; s < end; ++s) room.push_back(room_for(grid, s));
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t rank = 0; rank < grid.launch.ctas_per_cluster(); ++rank) {
        auto const most = std::max_element(room.begin(), room.end());
        if (*most == 0) return false;
        --*most;
        chosen.push_back(first + static_cast<std::uint32_t>(most - room.begin()));
    }
    if (grid.free_clusters.empty()) {
        grid.clusters.push_back(std::make_unique<Grid::LiveCluster>());
        grid.free_clusters.push_back(grid.clusters.back().get());
    }
    sim::Cluster& cluster = grid.free_clusters.back()->cluster;
    grid.free_clusters.back()->live = grid.launch.ctas_per_cluster();
    grid.free_clusters.pop_back();
    resident(grid, chosen.front()).interpreter.start(cluster, grid.next_cta++, chosen);
    Cycle const start = start_of(grid.launch.ctas_per_cluster(), at);
    for (std::uint32_t rank = 0; rank < chosen.size(); ++rank) {
        take_room(grid, chosen[rank]);
        ResidentGrid& here = resident(grid, chosen[rank]);
        sms_[chosen[rank]]->place(here, cluster.ctas[rank], start);
    }
    return true;
}

void Gpu::end_cta(std::uint32_t sm, Sm::Ended const& ended) {
    Grid& grid = *grids_[ended.grid];
    ++grid.ended;
    ++begun_and_ended_;
    --grid.ctas_on[sm];
    if (grid.sampler) grid.sampler->ended(ended.number);
    rooms_[sm].give_back(config_.sm, grid.needs);
    if (vacancies_.of != nullptr) note_room(*vacancies_.of, sm);
    if (grid.has_clusters()) grid.end_in_cluster(*ended.cluster);
    if (grid.all_ended()) leave();
}

/// All CTAs of a resident grid have ended: another may become resident.
void Gpu::leave() {
    --resident_;
    if (outside_.empty()) return;
    Grid& next = *outside_.front();
    outside_.erase(outside_.begin());
    admit(next);
}

/// Handles what happened before cycle `end`, in the order of cycles and SMs, whichever host thread ran which SM.
void Gpu::place_next(Cycle end) {
    struct Ending {
        Cycle at;
        std::uint32_t sm;
        Sm::Ended ended;
    };
    std::vector<Ending> endings;
    for (std::uint32_t s = 0; s < sms_.size(); ++s) {
        for (Sm::Ended const& e : sms_[s]->ended()) endings.push_back({e.at, s, e});
        sms_[s]->ended().clear();
    }
    std::stable_sort(endings.begin(), endings.end(), [](Ending const& a, Ending const& b) { return a.at < b.at; });
    auto const hear = [&](Cycle until) {
        while (!arrivals_.empty() && arrivals_.front().at < until) {
            admit(*arrivals_.front().grid);
            dispatch(arrivals_.front().at + longest_epoch_);
            arrivals_.erase(arrivals_.begin());
        }
    };
    for (Ending const& e : endings) {
        hear(e.at);
        end_cta(e.sm, e.ended);
        dispatch(e.at + config_.launch->cta_launch_latency_cycles);
    }
    hear(end);
}

}  // namespace warpsim::timing
