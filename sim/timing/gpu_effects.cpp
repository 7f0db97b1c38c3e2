// What the SMs did in an epoch to memory and beyond their CTAs takes effect at its end.
#include "sim/exec/fault.hpp"
#include "sim/timing/gpu.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace warpsim::timing {

/// Stores, atomics and late loads happen in the order (cycle, SM, grid, sequence), whatever queue their requests
/// are in.
void Gpu::apply_effects() {
    order_.clear();
    for (std::uint32_t s = 0; s < sms_.size(); ++s) {
        for (Grid const* const grid : launched_) {
            ResidentGrid const* const here = sms_[s]->grid(grid->number);
            if (here == nullptr) continue;
            EffectLog const& log = here->recorder.effects();
            for (std::uint32_t i = 0; i < log.size(); ++i)
                order_.push_back({log[i].cycle, s << 8 * sizeof(GridNumber) | grid->number, i});
        }
    }
    std::sort(order_.begin(), order_.end(), [](Order const& a, Order const& b) {
        return a.cycle != b.cycle ? a.cycle < b.cycle : a.of != b.of ? a.of < b.of : a.sequence < b.sequence;
    });
    for (Order const& o : order_) apply(o.of >> 8 * sizeof(GridNumber), static_cast<GridNumber>(o.of), o.sequence);
    end_cluster_phases();
    for (auto const& sm : sms_) {
        for (Grid const* const grid : launched_) {
            if (ResidentGrid* const here = sm->grid(grid->number)) here->recorder.effects().clear();
        }
    }
}

void Gpu::apply(std::uint32_t s, GridNumber number, std::uint32_t sequence) {
    ResidentGrid& here = *sms_[s]->grid(number);
    EffectLog& log = here.recorder.effects();
    DeferredEffect const& e = log[sequence];
    switch (e.kind) {
        case DeferredEffect::Kind::cluster_arrival: {
            std::vector<Grid::Arrived>& arrived = grids_[number]->arrived;
            auto const known = std::find_if(arrived.begin(), arrived.end(),
                                            [&](Grid::Arrived const& a) { return a.cluster == e.cta->cluster; });
            if (known == arrived.end()) arrived.push_back({e.cta->cluster, e.cycle});
            else known->last = e.cycle;
            return;
        }
        case DeferredEffect::Kind::cancel_launch: return cancel_launch(*grids_[number], log.details(e), e.cycle);
        default: break;
    }
    try {
        log.apply(sequence, here.interpreter, here.launch.print);
    } catch (sim::Fault const&) {
        if (!failure_) failure_ = Sm::Failure{e.cycle, s, number, std::current_exception()};
    }
}

/// A barrier that is complete releases its threads after the last arrival and two latencies between SMs.
void Gpu::end_cluster_phases() {
    Cycle const round = 2 * Cycle{config_.interconnect->sm_to_sm_latency_cycles};
    for (Grid* const grid : launched_) {
        for (Grid::Arrived const& a : grid->arrived) {
            sim::Interpreter& interpreter = sms_[a.cluster->ctas.front().sm]->grid(grid->number)->interpreter;
            if (!interpreter.barriers().end_cluster_phase(*a.cluster)) continue;
            for (sim::Cta const& cta : a.cluster->ctas) sms_[cta.sm]->release_cluster(cta, a.last + round);
        }
        grid->arrived.clear();
    }
}

/// The next cluster of the grid never begins; the requester is told in shared memory, as by a copy.
void Gpu::cancel_launch(Grid& grid, EffectDetails const& d, Cycle cycle) {
    std::optional<std::uint64_t> next;
    if (grid.may_begin()) {
        next = grid.next_cta++;
        grid.cancelled += grid.launch.ctas_per_cluster();
        begun_and_ended_ += 1 + grid.launch.ctas_per_cluster();
    }
    Cycle const trip = config_.interconnect->request_latency_cycles + config_.interconnect->reply_latency_cycles;
    for (sim::Cta& cta : d.cluster->ctas) {
        if (!d.to_all && cta.rank != d.response.rank) continue;
        auto transfer = std::make_shared<Transfer>();
        transfer->copy = sms_[cta.sm]
                             ->grid(grid.number)
                             ->interpreter.asynchronous()
                             .cancelled(next, {cta.rank, d.response.at}, {cta.rank, d.barrier.at});
        transfer->copy.issuer = cta.rank;
        transfer->cluster = d.cluster;
        transfer->by = d.by;
        transfer->linear = cta.linear;
        transfer->grid = grid.number;
        sms_[cta.sm]->land(std::move(transfer), cycle + trip);
    }
}

}  // namespace warpsim::timing
