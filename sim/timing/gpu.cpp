#include "sim/timing/gpu.hpp"

#include "sim/exec/fault.hpp"
#include "sim/exec/waiting.hpp"

#include <algorithm>
#include <string>

namespace warpsim::timing {

Cycle longest_epoch(sim::Config const& config) {
    sim::InterconnectConfig const& network = *config.interconnect;
    Cycle const epoch = std::min(
        {network.request_latency_cycles, network.reply_latency_cycles, config.launch->cta_launch_latency_cycles});
    return network.sm_to_sm_latency_cycles != 0 ? std::min<Cycle>(epoch, network.sm_to_sm_latency_cycles) : epoch;
}

Gpu::Gpu(sim::Config const& config, sim::LaunchContext const& launch, TimingPlan const& plan,
         TimingOptions const& options)
    : config_(config),
      launch_(launch),
      plan_(plan),
      options_(options),
      map_(config.l2.slices->count, config.dram.channels->count, config.interconnect->interleave_bytes),
      team_({options.threads, options.permutation_seed}),
      circles_(options.host_wait_seconds) {
    occupancy_ = find_occupancy(config.sm, cta_needs(config, launch.plan, launch.threads(),
                                                     options.registers_per_thread, launch.shared_bytes));
    occupancy_.ctas = std::max(occupancy_.ctas, 1u);  // the launch was checked; see check_launch
    std::uint32_t const l1_kib =
        config.sm.l1->size_kib - std::min(occupancy_.carve_out_kib, config.sm.l1->size_kib - 1);
    // No more SMs than CTAs can ever be used; clusters go to groups of SMs.
    auto const used = has_clusters()
                          ? config.sm.count
                          : static_cast<std::uint32_t>(std::min<std::uint64_t>(config.sm.count, launch.ctas()));
    for (std::uint32_t i = 0; i < used; ++i) {
        sms_.push_back(std::make_unique<Sm>(config, launch, plan, i, map_, occupancy_.ctas, l1_kib));
        request_sources_.push_back(&sms_.back()->outbox());
        peer_sources_.push_back(&sms_.back()->peer_outbox());
        sms_.back()->observe({options.profile, options.interval_cycles});
        if (options.sinks) sms_.back()->listen(options.sinks(i));
    }
    for (std::uint32_t i = 0; i < config.dram.channels->count; ++i) {
        partitions_.push_back(std::make_unique<MemoryPartition>(config, i, map_, options.interval_cycles));
        reply_sources_.push_back(&partitions_.back()->outbox());
    }
}

Cycle Gpu::next_event() const {
    Cycle next = engine::never;
    for (auto const& sm : sms_) next = std::min(next, sm->next_event());
    for (auto const& partition : partitions_) next = std::min(next, partition->next_event());
    return next;
}

/// Nothing can happen but that waits at mbarriers take too long: a program may give up then. One that asks again
/// and again, and changes nothing, is stuck.
bool Gpu::end_waits() {
    constexpr std::uint64_t most_in_vain = 1000;
    constexpr Cycle time_limit = 1000;  // the ISA leaves it to the system
    std::uint64_t changes = 0;
    Cycle last = 0;
    for (auto const& sm : sms_) {
        changes += sm->changes();
        last = std::max(last, sm->last_event());
    }
    waits_ended_ = changes == changes_then_ ? waits_ended_ + 1 : 0;
    changes_then_ = changes;
    if (waits_ended_ > most_in_vain) return false;
    bool any = false;
    for (auto const& sm : sms_) any |= sm->end_waits(last + time_limit);
    return any;
}

void Gpu::run() {
    Cycle const epoch = std::max<Cycle>(longest_epoch(config_) / std::max(options_.epoch_divisor, 1u), 1);
    place_first();
    for (;;) {
        Cycle const next = next_event();
        if (next == engine::never) {
            if (ended_ + cancelled_ != launch_.ctas() && end_waits()) continue;
            if (ended_ + cancelled_ != launch_.ctas()) throw sim::blocked(launch_, describe_waiting());
            break;
        }
        Cycle const begin = next / epoch * epoch;  // empty epochs are skipped
        run_epoch(begin + epoch);
        apply_effects();
        if (options_.epoch_ended) options_.epoch_ended();
        if (options_.interval_cycles != 0) take_samples();
        check();
        exchange();
        place_next();
        if (begin >= circles_.next_look() && circles_.look(sms_, next_cta_ + ended_ + cancelled_, begin + epoch)) {
            throw sim::goes_in_circles(launch_, describe_waiting());
        }
    }
    // Its last writes have been acknowledged.
    Cycle last = 0;
    for (auto const& sm : sms_) last = std::max(last, sm->last_event());
    cycles_ = last + config_.launch->drain_cycles;
}

void Gpu::run_epoch(Cycle end) {
    active_.clear();
    auto const sms = static_cast<std::uint32_t>(sms_.size());
    for (std::uint32_t i = 0; i < sms; ++i) {
        if (sms_[i]->next_event() < end) active_.push_back(i);
    }
    for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
        if (partitions_[i]->next_event() < end) active_.push_back(sms + i);
    }
    team_.each(active_.size(), [&](std::size_t i) {
        std::uint32_t const which = active_[i];
        if (which < sms) sms_[which]->run(end);
        else partitions_[which - sms]->run(end);
    });
}

void Gpu::exchange() {
    std::uint32_t const per_partition = map_.slices_per_channel();
    std::size_t const sms = sms_.size();
    team_.each(sms + partitions_.size(), [&](std::size_t i) {
        if (i < sms) {
            sms_[i]->inbox().collect(i, reply_sources_);
            if (has_clusters()) sms_[i]->peer_inbox().collect(i, peer_sources_);
            return;
        }
        std::size_t const p = i - sms;
        for (std::uint32_t s = 0; s < per_partition; ++s)
            partitions_[p]->inbox(s).collect(p * per_partition + s, request_sources_);
    });
    for (auto* const outbox : request_sources_) outbox->clear();
    for (auto* const outbox : reply_sources_) outbox->clear();
    for (std::size_t i = 0; has_clusters() && i < peer_sources_.size(); ++i) peer_sources_[i]->clear();
}

/// Stores, atomics and late loads happen in the order (cycle, SM, sequence), whatever queue their requests are in.
void Gpu::apply_effects() {
    order_.clear();
    for (std::uint32_t s = 0; s < sms_.size(); ++s) {
        EffectLog const& log = sms_[s]->effects();
        for (std::uint32_t i = 0; i < log.size(); ++i) order_.push_back({log[i].cycle, s, i});
    }
    std::sort(order_.begin(), order_.end(), [](Order const& a, Order const& b) {
        return a.cycle != b.cycle ? a.cycle < b.cycle : a.sm != b.sm ? a.sm < b.sm : a.sequence < b.sequence;
    });
    for (Order const& o : order_) apply(o.sm, o.sequence);
    end_cluster_phases();
    for (auto const& sm : sms_) sm->effects().clear();
}

void Gpu::apply(std::uint32_t s, std::uint32_t sequence) {
    EffectLog& log = sms_[s]->effects();
    Effect const& e = log[sequence];
    switch (e.kind) {
        case Effect::Kind::cluster_arrival: {
            auto const known = std::find_if(arrived_.begin(), arrived_.end(),
                                            [&](Arrived const& a) { return a.cluster == e.cta->cluster; });
            if (known == arrived_.end()) arrived_.push_back({e.cta->cluster, e.cycle});
            else known->last = e.cycle;
            return;
        }
        case Effect::Kind::cancel_launch: return cancel_launch(log.details(e), e.cycle);
        default: break;
    }
    try {
        log.apply(sequence, sms_[s]->interpreter(), launch_.print);
    } catch (sim::Fault const&) {
        if (!failure_) failure_ = Sm::Failure{e.cycle, s, std::current_exception()};
    }
}

/// A barrier that is complete lets go when the news of the last arrival has gone round.
void Gpu::end_cluster_phases() {
    for (Arrived const& a : arrived_) {
        if (!sms_.front()->interpreter().barriers().end_cluster_phase(*a.cluster)) continue;
        Cycle const release = a.last + 2 * Cycle{config_.interconnect->sm_to_sm_latency_cycles};
        for (sim::Cta const& cta : a.cluster->ctas) sms_[cta.sm]->release_cluster(cta, release);
    }
    arrived_.clear();
}

void Gpu::take_samples() {
    for (auto const& sm : sms_) sm->give_samples(samples_);
    for (auto const& partition : partitions_) partition->give_samples(samples_);
}

void Gpu::check() const {
    Sm::Failure const* first = nullptr;
    std::uint64_t instructions = 0;
    for (auto const& sm : sms_) {
        if (sm->failure() && (first == nullptr || sm->failure()->at < first->at)) first = &*sm->failure();
        if (options_.max_instructions != 0) instructions += sm->statistics().instructions;
    }
    // An effect happens before the instruction that fails in its cycle.
    bool const is_effect = failure_ && (first == nullptr || failure_->at < first->at ||
                                        (failure_->at == first->at && failure_->sm <= first->sm));
    if (is_effect) first = &*failure_;
    if (first != nullptr) {
        try {
            std::rethrow_exception(first->error);
        } catch (sim::Fault& fault) {
            fault.sm = first->sm;
            throw;
        }
    }
    if (options_.max_instructions != 0 && instructions > options_.max_instructions) {
        sim::Fault fault;
        fault.kind = FaultKind::instruction_limit;
        fault.what = "instruction limit: the kernel was stopped after " +
                     std::to_string(options_.max_instructions) + " warp instructions (--max-instructions)";
        throw fault;
    }
}

std::string Gpu::describe_waiting() const {
    constexpr std::size_t most_told = 4;
    std::vector<sim::Cluster const*> clusters;
    for (auto const& sm : sms_) sm->give_clusters(clusters);
    std::sort(clusters.begin(), clusters.end(),
              [](sim::Cluster const* a, sim::Cluster const* b) { return a->linear < b->linear; });
    clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
    std::string text;
    for (std::size_t i = 0; i < std::min(clusters.size(), most_told); ++i) {
        text += (i == 0 ? "" : "\n") + sim::describe_waiting(launch_, *clusters[i]);
    }
    if (clusters.size() > most_told)
        text += "\n  ... and " + std::to_string(clusters.size() - most_told) + " blocks or clusters more";
    return text;
}

}  // namespace warpsim::timing
