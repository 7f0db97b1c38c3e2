// The state of an SM, listed for checkpoints.
#pragma once

#include "sim/timing/checkpoint/exec_state.hpp"
#include "sim/timing/sm/sm.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>

namespace warpsim::checkpoint {

template <> struct StateOf<sim::IntervalSample> {
    template <class Archive> static void visit(Archive& archive, sim::IntervalSample& sample) {
        static_assert(sizeof sample == sizeof(sim::SmCounts) + sizeof sample.l2 + sizeof sample.dram);
        archive(static_cast<sim::SmCounts&>(sample), sample.l2, sample.dram);
    }
};

template <> struct StateOf<timing::DataPathStatistics> {
    template <class Archive> static void visit(Archive& archive, timing::DataPathStatistics& counts) {
        static_assert(sizeof counts == sizeof(sim::L1Counts) + sizeof counts.noc);
        archive(static_cast<sim::L1Counts&>(counts), counts.noc);
    }
};

template <> struct StateOf<timing::SmStatistics> {
    template <class Archive> static void visit(Archive& archive, timing::SmStatistics& counts) {
        static_assert(sizeof counts == sizeof(sim::SmCounts) + sizeof counts.instructions + sizeof counts.by_unit +
                                           sizeof counts.unit_cycles);
        archive(static_cast<sim::SmCounts&>(counts), counts.instructions, counts.by_unit, counts.unit_cycles);
    }
};

template <> struct StateOf<timing::MbarrierArrival> {
    template <class Archive> static void visit(Archive& archive, timing::MbarrierArrival& arrival) {
        auto& [cluster, update, by, linear, grid] = arrival;
        archive.template context<timing::Places>().cluster(archive, cluster);
        archive(update, by, linear, grid);
    }
};

template <> struct StateOf<timing::FewCopies> {
    template <class Archive> static void visit(Archive& archive, timing::FewCopies& copies) {
        auto& [cta, linear, first_thread, lanes, is_late, lane, data] = copies;
        archive.template context<timing::Places>().cta(archive, cta);
        archive(linear, first_thread, lanes, is_late, lane, data);
    }
};

template <> struct StateOf<timing::Transfer> {
    template <class Archive> static void visit(Archive& archive, timing::Transfer& transfer) {
        auto& [copy, cluster, by, linear, grid, few, lane] = transfer;
        auto& places = archive.template context<timing::Places>();
        archive(grid);
        places.enter(grid);
        places.cluster(archive, cluster);
        archive(copy, by, linear, few, lane);
    }
};

template <> struct StateOf<timing::ResidentGrid> {
    template <class Archive> static void visit(Archive& archive, timing::ResidentGrid& grid) {
        archive.template context<timing::Places>().enter(grid.number);
        archive(grid.recorder, grid.interpreter, grid.branches, grid.statistics, grid.sub_cores, grid.has_begun,
                grid.ctas, grid.active_since, grid.lingers, grid.last);
        if (grid.profile) archive(*grid.profile);
        if (grid.samples) archive(grid.samples->intervals);
    }
};

}  // namespace warpsim::checkpoint

namespace warpsim::timing {

template <class Archive> void Sm::state_of_clusters(Archive& archive) {
    auto& places = archive.template context<Places>();
    auto const keep_cluster = [&](GridNumber number, std::unique_ptr<sim::Cluster>& cluster) {
        places.enter(number);
        archive(cluster);
        if constexpr (!Archive::is_saving) grids_[number]->interpreter.adopt(*cluster);
        places.add(*cluster);
    };
    for (CtaSlot& place : cta_slots_) {
        bool is_own = place.used && place.own != nullptr;
        archive(is_own);
        if (!is_own) continue;
        keep(archive, place.grid);
        keep_cluster(place.grid->number, place.own);
    }
    for (auto& grid : grids_) {
        if (grid) archive.list(grid->free_clusters, [&](auto& cluster) { keep_cluster(grid->number, cluster); });
    }
}

template <class Archive> void Sm::state(Archive& archive) {
    auto const numbers_of = [&](std::vector<ResidentGrid*>& grids) {
        archive.list(grids, [&](ResidentGrid*& grid) { keep(archive, grid); });
    };
    auto const all = [&](auto& list) { archive.list(list, [&](auto& x) { keep(archive, x); }); };
    if (!outbox().is_empty() || !peer_outbox().is_empty() || !ended_.empty() || failure_)
        throw std::logic_error("an SM is kept inside of an epoch");
    for (auto& grid : grids_) {
        if (grid) archive(*grid);
    }
    numbers_of(sampled_);
    numbers_of(lingering_);
    if (std::none_of(grids_.begin(), grids_.end(), [&](auto const& g) { return g.get() == acting_; }))
        acting_ = nullptr;
    keep(archive, acting_);
    archive(board_stride_, board_, makers_, counters_, counter_of_);
    archive(data_path_, instructions_, inbox_, used_warps_, resident_, free_pending_, arrivals_, peer_inbox_,
            free_copies_, matrix_unit_, now_, constants_, constants_free_, next_, next_issue_, full_);
    all(cta_slots_);
    for (WarpState& warp : warps_) keep(archive, warp);
    for (SubCore& core : sub_cores_) keep(archive, core);
    archive(bank_turns_);
    archive.list(starting_, [&](Start& start) {
        archive(start.at, start.cta);
        keep(archive, start.grid);
        archive.template context<Places>().cta(archive, start.of_cluster);
    });
    all(pending_);
    all(events_);
    all(copies_);
}

template <class Archive> void Sm::keep(Archive& archive, ResidentGrid*& grid) const {
    std::uint32_t number = grid == nullptr ? UINT32_MAX : grid->number;
    archive(number);
    grid = number == UINT32_MAX ? nullptr : grids_.at(number).get();
}

/// Of one whose warp has ended, only the next generation matters.
template <class Archive> void Sm::keep(Archive& archive, WarpState& s) {
    auto& [warp, grid, code, timed, since, earliest, function, instruction, main, micro, micros, place, reason,
           blocked, held, line, line_ready, chain_ready, next_access, last, lanes, fall_through, pending,
           generation, constant_cycles, constant_missed, is_under_way, needs_round_trip, has_released, issued,
           rare_lanes, rounds, skips_special, arrives, begun, suspended, waits_for_copies, timed_out,
           in_cluster_barrier, after_writes, fence_scope, beside, asynchronous, copies, copy_wait, products] = s;
    bool is_there = warp != nullptr;
    archive(generation, is_there);
    if (!is_there) return;
    keep(archive, grid);
    auto& places = archive.template context<Places>();
    places.enter(grid->number);
    places.detail(archive, asynchronous);
    std::uint32_t index = warp == nullptr ? 0 : warp->index;
    archive(index, place, function, instruction, main, micro, micros, line, line_ready, since, chain_ready,
            next_access, issued, reason, last, blocked, earliest, fall_through, lanes, rare_lanes, skips_special,
            rounds, arrives, begun, pending, held, suspended, waits_for_copies, timed_out, after_writes,
            fence_scope, has_released, is_under_way, needs_round_trip, constant_cycles, constant_missed, beside,
            in_cluster_barrier, copies, copy_wait, products);
    warp = &cta_slots_.at(place).resident->warps.at(index);
    code = &grid->plan.functions.at(function);
    timed = &code->instructions.at(main);
}

/// Clusters of one CTA are kept before.
template <class Archive> void Sm::keep(Archive& archive, CtaSlot& place) {
    auto& [grid, own, resident, cluster_release, suspended, blocked, warps, live, used, barrier_free] = place;
    archive(cluster_release, suspended, blocked, warps, live, used, barrier_free);
    if (!used) return;
    keep(archive, grid);
    archive.template context<Places>().cta(archive, resident);
}

/// Where results go that no warp waits for any more is of no use.
template <class Archive> void Sm::keep(Archive& archive, Pending& waiting) {
    auto& [warp, generation, results, count, copy, of_reads, counter] = waiting;
    archive(warp, generation, count, copy, of_reads, counter);
    WarpState const& s = warps_.at(warp);
    if (s.warp == nullptr || s.generation != generation) return;
    auto& places = archive.template context<Places>();
    places.enter(s.grid->number);
    places.results(archive, results);
}

template <class Archive> void Sm::keep(Archive& archive, Event& event) {
    auto& [at, kind, index, generation, transfer, arrivals, cta, grid] = event;
    archive(at, kind, index, generation, transfer, arrivals, grid);
    archive.template context<Places>().cta(archive, cta);
}

template <class Archive> void Sm::keep(Archive& archive, Copy& copy) {
    auto& [grid, warp, generation, sequence, of, few, targets, place] = copy;
    keep(archive, grid);
    archive(warp, generation, sequence, of, few, targets, place);
}

template <class Archive> void Sm::keep(Archive& archive, SubCore& core) {
    auto& [wake, units, refused, products_end, product_ends, products, scheduler] = core;
    archive(wake, units, refused, products_end, product_ends, products);
    archive.component(scheduler);
}

}  // namespace warpsim::timing
