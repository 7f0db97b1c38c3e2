// Which CTAs begin where and when.
#include "sim/timing/gpu.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::timing {

/// The first CTAs go round the SMs, one to each, until all are full.
void Gpu::place_first() {
    Cycle const at = std::max<Cycle>(config_.launch->kernel_launch_cycles, 1);
    if (has_clusters()) {
        free_places_.assign(sms_.size(), occupancy_.ctas);
        place_clusters(at);
        if (next_cta_ == 0) {
            throw Error(ErrorKind::launch,
                        "cannot launch: a cluster of " + std::to_string(launch_.ctas_per_cluster()) +
                            " CTAs has no room in one GPC: " +
                            std::to_string(sms_.size() / std::max(config_.sm.gpcs, 1u)) +
                            " SMs, each with room for " + std::to_string(occupancy_.ctas) + " (sm.gpcs)");
        }
        return;
    }
    for (std::uint32_t round = 0; round < occupancy_.ctas; ++round) {
        for (auto& sm : sms_) {
            if (next_cta_ < launch_.ctas()) sm->place(next_cta_++, at);
        }
    }
}

/// As many clusters as there is room for, round the GPCs.
void Gpu::place_clusters(Cycle at) {
    std::uint32_t const gpcs =
        std::min<std::uint32_t>(std::max(config_.sm.gpcs, 1u), static_cast<std::uint32_t>(sms_.size()));
    for (std::uint32_t tried = 0; tried < gpcs && next_cta_ < launch_.clusters();) {
        bool const placed = place_cluster(next_gpc_, at);
        next_gpc_ = (next_gpc_ + 1) % gpcs;
        tried = placed ? 0 : tried + 1;
    }
}

/// The CTAs of a cluster go to SMs of one GPC, each to the one with most room.
bool Gpu::place_cluster(std::uint32_t gpc, Cycle at) {
    std::uint64_t const gpcs = std::min<std::uint64_t>(std::max(config_.sm.gpcs, 1u), sms_.size());
    auto const first = static_cast<std::uint32_t>(gpc * sms_.size() / gpcs),
               end = static_cast<std::uint32_t>((gpc + 1) * sms_.size() / gpcs);
    std::vector<std::uint32_t> room(free_places_.begin() + first, free_places_.begin() + end);
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t rank = 0; rank < launch_.ctas_per_cluster(); ++rank) {
        auto const most = std::max_element(room.begin(), room.end());
        if (*most == 0) return false;
        --*most;
        chosen.push_back(first + static_cast<std::uint32_t>(most - room.begin()));
    }
    if (free_clusters_.empty()) {
        clusters_.push_back(std::make_unique<LiveCluster>());
        free_clusters_.push_back(clusters_.back().get());
    }
    sim::Cluster& cluster = free_clusters_.back()->cluster;
    free_clusters_.back()->live = launch_.ctas_per_cluster();
    free_clusters_.pop_back();
    sms_[first]->interpreter().start(cluster, next_cta_++, chosen);
    for (std::uint32_t rank = 0; rank < chosen.size(); ++rank) {
        --free_places_[chosen[rank]];
        sms_[chosen[rank]]->place(cluster.ctas[rank], at);
    }
    return true;
}

void Gpu::end_in_cluster(sim::Cluster const& cluster) {
    auto const found =
        std::find_if(clusters_.begin(), clusters_.end(), [&](auto const& c) { return &c->cluster == &cluster; });
    if (--(*found)->live == 0) free_clusters_.push_back(found->get());
}

/// The next cluster of the grid never begins; who asked is told in shared memory, as by a copy.
void Gpu::cancel_launch(EffectDetails const& d, Cycle cycle) {
    std::optional<std::uint64_t> next;
    if (next_cta_ < launch_.clusters()) {
        next = next_cta_++;
        cancelled_ += launch_.ctas_per_cluster();
    }
    Cycle const trip = config_.interconnect->request_latency_cycles + config_.interconnect->reply_latency_cycles;
    for (sim::Cta& cta : d.response.cta->cluster->ctas) {
        if (!d.to_all && &cta != d.response.cta) continue;
        auto transfer = std::make_shared<Transfer>();
        transfer->copy = sms_.front()->interpreter().asynchronous().cancelled(next, {&cta, d.response.at},
                                                                              {&cta, d.barrier.at});
        transfer->copy.issuer = &cta;
        transfer->by = d.by;
        transfer->linear = cta.linear;
        sms_[cta.sm]->land(std::move(transfer), cycle + trip);
    }
}

void Gpu::place_next() {
    // In the order in which CTAs ended, then by SM: the same whichever thread ran which.
    struct Ending {
        Cycle at;
        std::uint32_t sm;
        sim::Cluster* cluster;
    };
    std::vector<Ending> endings;
    for (std::uint32_t s = 0; s < sms_.size(); ++s) {
        for (Sm::Ended const& e : sms_[s]->ended()) endings.push_back({e.at, s, e.cluster});
        sms_[s]->ended().clear();
    }
    if (endings.empty()) return;
    std::stable_sort(endings.begin(), endings.end(), [](Ending const& a, Ending const& b) { return a.at < b.at; });
    for (Ending const& e : endings) {
        ++ended_;
        if (has_clusters()) {
            ++free_places_[e.sm];
            end_in_cluster(*e.cluster);
            place_clusters(e.at + config_.launch->cta_launch_latency_cycles);
        } else if (next_cta_ < launch_.ctas())
            sms_[e.sm]->place(next_cta_++, e.at + config_.launch->cta_launch_latency_cycles);
    }
    if (options_.progress) options_.progress(static_cast<double>(ended_) / static_cast<double>(launch_.ctas()));
}

}  // namespace warpsim::timing
