#include "sim/timing/gpu.hpp"

#include "frontend/ir/module.hpp"
#include "frontend/isa/table.hpp"
#include "sim/error.hpp"
#include "sim/exec/fault.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace warpsim::timing {

Cycle longest_epoch(sim::Config const& config) {
    sim::InterconnectConfig const& network = *config.interconnect;
    Cycle const epoch = std::min({network.request_latency_cycles, network.reply_latency_cycles, config.launch->cta_launch_latency_cycles});
    return network.sm_to_sm_latency_cycles != 0 ? std::min<Cycle>(epoch, network.sm_to_sm_latency_cycles) : epoch;
}

Gpu::Gpu(sim::Config const& config, sim::LaunchContext const& launch, TimingPlan const& plan, TimingOptions const& options)
    : config_(config),
      launch_(launch),
      plan_(plan),
      options_(options),
      map_(config.l2.slices->count, config.dram.channels->count, config.interconnect->interleave_bytes),
      team_({options.threads, options.permutation_seed}) {
    occupancy_ = find_occupancy(config.sm, {launch.threads(), options.registers_per_thread, launch.shared_bytes, 1});
    occupancy_.ctas = std::max(occupancy_.ctas, 1u);   // the launch was checked; see check_launch
    std::uint32_t const l1_kib = config.sm.l1->size_kib - std::min(occupancy_.carve_out_kib, config.sm.l1->size_kib - 1);
    // No more SMs than CTAs can ever be used; clusters go to groups of SMs.
    auto const used = has_clusters() ? config.sm.count
                                     : static_cast<std::uint32_t>(std::min<std::uint64_t>(config.sm.count, launch.ctas()));
    for (std::uint32_t i = 0; i < used; ++i) {
        sms_.push_back(std::make_unique<Sm>(config, launch, plan, i, map_, occupancy_.ctas, l1_kib));
        request_sources_.push_back(&sms_.back()->outbox());
        peer_sources_.push_back(&sms_.back()->peer_outbox());
        sms_.back()->observe({options.profile, options.interval_cycles});
        if (!options.trace) continue;
        SmTrace& trace = *traces_.emplace_back(std::make_unique<SmTrace>());
        Cycle const& now = sms_.back()->now();
        trace.tracer = options.trace(now, [&trace, &now](std::string_view text) { trace.lines.push_back({now, std::string(text)}); });
        sms_.back()->trace(trace.tracer.get());
    }
    for (std::uint32_t i = 0; i < config.dram.channels->count; ++i) {
        partitions_.push_back(std::make_unique<MemoryPartition>(config, i, map_, options.interval_cycles));
        reply_sources_.push_back(&partitions_.back()->outbox());
    }
}

/// The first CTAs go round the SMs, one to each, until all are full.
void Gpu::place_first() {
    Cycle const at = std::max<Cycle>(config_.launch->kernel_launch_cycles, 1);
    if (has_clusters()) {
        free_places_.assign(sms_.size(), occupancy_.ctas);
        place_clusters(at);
        if (next_cta_ == 0) {
            throw Error(ErrorKind::launch, "cannot launch: a cluster of " + std::to_string(launch_.ctas_per_cluster()) +
                                               " CTAs has no room in one GPC: " + std::to_string(sms_.size() / std::max(config_.sm.gpcs, 1u)) +
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
    std::uint32_t const gpcs = std::min<std::uint32_t>(std::max(config_.sm.gpcs, 1u), static_cast<std::uint32_t>(sms_.size()));
    for (std::uint32_t tried = 0; tried < gpcs && next_cta_ < launch_.clusters();) {
        bool const placed = place_cluster(next_gpc_, at);
        next_gpc_ = (next_gpc_ + 1) % gpcs;
        tried = placed ? 0 : tried + 1;
    }
}

/// The CTAs of a cluster go to SMs of one GPC, each to the one with most room.
bool Gpu::place_cluster(std::uint32_t gpc, Cycle at) {
    std::uint64_t const gpcs = std::min<std::uint64_t>(std::max(config_.sm.gpcs, 1u), sms_.size());
    auto const first = static_cast<std::uint32_t>(gpc * sms_.size() / gpcs), end = static_cast<std::uint32_t>((gpc + 1) * sms_.size() / gpcs);
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
    auto const found = std::find_if(clusters_.begin(), clusters_.end(), [&](auto const& c) { return &c->cluster == &cluster; });
    if (--(*found)->live == 0) free_clusters_.push_back(found->get());
}

Cycle Gpu::next_event() const {
    Cycle next = engine::never;
    for (auto const& sm : sms_) next = std::min(next, sm->next_event());
    for (auto const& partition : partitions_) next = std::min(next, partition->next_event());
    return next;
}

/// Nothing can happen but that waits at mbarriers take too long: a program may give up then. One that asks again and
/// again, and changes nothing, is stuck.
bool Gpu::end_waits() {
    constexpr std::uint64_t most_in_vain = 1000;
    constexpr Cycle time_limit = 1000;   // the ISA leaves it to the system
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
            if (ended_ + cancelled_ != launch_.ctas()) deadlock();
            break;
        }
        Cycle const begin = next / epoch * epoch;   // empty epochs are skipped
        run_epoch(begin + epoch);
        apply_effects();
        if (!traces_.empty()) print_trace();
        if (options_.interval_cycles != 0) take_samples();
        check();
        exchange();
        place_next();
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
        for (std::uint32_t s = 0; s < per_partition; ++s) partitions_[p]->inbox(s).collect(p * per_partition + s, request_sources_);
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
            auto const known = std::find_if(arrived_.begin(), arrived_.end(), [&](Arrived const& a) { return a.cluster == e.cta->cluster; });
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
        if (!sms_.front()->interpreter().end_cluster_phase(*a.cluster)) continue;
        Cycle const release = a.last + 2 * Cycle{config_.interconnect->sm_to_sm_latency_cycles};
        for (sim::Cta const& cta : a.cluster->ctas) sms_[cta.sm]->release_cluster(cta, release);
    }
    arrived_.clear();
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
        transfer->copy = sms_.front()->interpreter().cancelled(next, {&cta, d.response.at}, {&cta, d.barrier.at});
        transfer->copy.issuer = &cta;
        transfer->by = d.by;
        transfer->linear = cta.linear;
        sms_[cta.sm]->land(std::move(transfer), cycle + trip);
    }
}

void Gpu::print_trace() {
    struct Line {
        Cycle at;
        std::string const* text;
    };
    std::vector<Line> lines;
    for (auto const& trace : traces_) {
        for (SmTrace::Line const& line : trace->lines) lines.push_back({line.at, &line.text});
    }
    std::stable_sort(lines.begin(), lines.end(), [](Line const& a, Line const& b) { return a.at < b.at; });
    for (Line const& line : lines) options_.print_trace(*line.text);
    for (auto const& trace : traces_) trace->lines.clear();
}

void Gpu::take_samples() {
    for (auto const& sm : sms_) sm->give_samples(samples_);
    for (auto const& partition : partitions_) partition->give_samples(samples_);
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
        } else if (next_cta_ < launch_.ctas()) sms_[e.sm]->place(next_cta_++, e.at + config_.launch->cta_launch_latency_cycles);
    }
    if (options_.progress) options_.progress(static_cast<double>(ended_) / static_cast<double>(launch_.ctas()));
}

void Gpu::check() const {
    Sm::Failure const* first = nullptr;
    std::uint64_t instructions = 0;
    for (auto const& sm : sms_) {
        if (sm->failure() && (first == nullptr || sm->failure()->at < first->at)) first = &*sm->failure();
        if (options_.max_instructions != 0) instructions += sm->statistics().instructions;
    }
    // An effect happens before the instruction that fails in its cycle.
    bool const is_effect = failure_ && (first == nullptr || failure_->at < first->at || (failure_->at == first->at && failure_->sm <= first->sm));
    if (is_effect) first = &*failure_;
    if (first != nullptr) std::rethrow_exception(first->error);
    if (options_.max_instructions != 0 && instructions > options_.max_instructions) {
        sim::Fault fault;
        fault.kind = FaultKind::instruction_limit;
        fault.what = "instruction limit: the kernel was stopped after " + std::to_string(options_.max_instructions) +
                     " warp instructions (--max-instructions)";
        throw fault;
    }
}

void Gpu::deadlock() const {
    sim::Fault fault;
    fault.kind = FaultKind::deadlock;
    fault.what = std::string("deadlock: no thread of the ") + (has_clusters() ? "cluster" : "block") + " can go on";
    for (auto const& sm : sms_) {
        if (fault.details.empty()) fault.details = sm->describe_waiting();
    }
    throw fault;
}

namespace {

void add_functional(sim::KernelPlan const& plan, TimingPlan const& timing, Sm& sm, sim::LaunchStatistics& statistics) {
    sim::OpCounters const& counters = sm.interpreter().counters();
    sim::InstructionCounts& total = statistics.instructions;
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    for (sim::FunctionPlan const& function : plan.functions) {
        std::uint32_t const base = function.counter_base;
        std::int64_t warps = 0, threads = 0;
        for (std::size_t i = 0; i < function.ops.size(); ++i) {
            warps += counters.deltas[base + i].warp;
            threads += counters.deltas[base + i].thread;
            sim::Op const& op = function.ops[i];
            if (!op.is_primary) continue;
            FunctionTiming const& timed = timing.functions[function.plan_index];
            TimedInstruction const& instruction = timed.instructions[op.instruction];
            Executed const e = executed(timed, op.instruction, static_cast<std::uint64_t>(warps), static_cast<std::uint64_t>(threads),
                                        counters.guarded_off[base + i], sm.branches());
            if (op.kind == sim::OpKind::branch && instruction.weight > 1) statistics.branches.total += e.warps - static_cast<std::uint64_t>(warps);
            if (instruction.branch != 0) statistics.branches.total += e.warps;
            ir::Form const& form = plan.module->forms[function.function->instructions[op.instruction].form];
            isa::Row const& row = rows[form.row];
            auto const c = static_cast<std::size_t>(is_idle_branch(form) ? isa::InstructionClass::control
                                                                         : isa::instruction_class(row, row.variants[form.variant]));
            total.warp += e.warps;
            total.thread += e.threads;
            total.thread_guarded += e.threads_guarded;
            total.by_class[c] += e.warps;
        }
    }
    statistics.branches.total += counters.branch_total;
    statistics.branches.divergent += counters.branch_divergent;
    for (BranchLanes const& branch : sm.branches()) statistics.branches.divergent += branch.divergent;
}

void add_to_line(sim::LineProfile& line, sim::LineProfile const& other) {
    line.executed += other.executed;
    line.threads += other.threads;
    line.threads_guarded += other.threads_guarded;
    line.micro_ops += other.micro_ops;
    for (std::size_t r = 0; r < line.stalls.size(); ++r) line.stalls[r] += other.stalls[r];
}

}  // namespace

/// What SMs observed of each instruction, and how often the interpreters executed it.
void Gpu::add_profile(sim::TimingCounts& t) const {
    ir::Module const& module = *launch_.plan.module;
    for (sim::FunctionPlan const& function : launch_.plan.functions) {
        std::vector<sim::LineProfile> lines(function.function->instructions.size());
        for (auto const& sm : sms_) {
            sim::OpCounters const& counters = sm->interpreter().counters();
            std::int64_t warps = 0, threads = 0;
            for (std::size_t i = 0; i < function.ops.size(); ++i) {
                warps += counters.deltas[function.counter_base + i].warp;
                threads += counters.deltas[function.counter_base + i].thread;
                if (!function.ops[i].is_primary) continue;
                sim::LineProfile& line = lines[function.ops[i].instruction];
                Executed const e = executed(plan_.functions[function.plan_index], function.ops[i].instruction, static_cast<std::uint64_t>(warps),
                                            static_cast<std::uint64_t>(threads), counters.guarded_off[function.counter_base + i], sm->branches());
                line.executed += e.warps;
                line.threads += e.threads;
                line.threads_guarded += e.threads_guarded;
            }
            for (std::uint32_t i = 0; i < lines.size(); ++i) {
                InstructionProfile::Counts const& counts = sm->observation()->profile().at({function.plan_index, i});
                lines[i].micro_ops += counts.micro_ops;
                for (std::size_t r = 0; r < counts.stalls.size(); ++r) lines[i].stalls[r] += counts.stalls[r];
            }
        }
        // In the order of the PTX, not of issue.
        std::vector<std::uint32_t> const& original = plan_.functions[function.plan_index].original;
        std::vector<std::uint32_t> order(lines.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return original[a] < original[b]; });
        for (std::size_t k = 0; k < order.size(); ++k) {
            std::uint32_t const i = order[k];
            sim::LineProfile& line = lines[i];
            // The same instruction in another round of an unrolled loop.
            for (; original[i] != ir::none && k + 1 < order.size() && original[order[k + 1]] == original[i]; ++k) add_to_line(line, lines[order[k + 1]]);
            bool const waited = std::any_of(line.stalls.begin(), line.stalls.end(), [](std::uint64_t n) { return n != 0; });
            if (line.executed == 0 && !waited) continue;
            ir::Instruction const& instruction = function.function->instructions[i];
            line.function = function.function->name;
            line.place = module.place(instruction);
            line.text = original[i] == ir::none ? "(spilled value of) " + module.written(instruction) : module.written(instruction);
            line.source = module.source_place(instruction);
            t.profile.push_back(std::move(line));
        }
    }
}

void Gpu::add_to(sim::LaunchStatistics& statistics, sim::TimingCounts& t) const {
    if (options_.profile) add_profile(t);
    t.interval_cycles = options_.interval_cycles;
    t.intervals = samples_;
    t.cycles = cycles_;
    t.clock_mhz = config_.clock_mhz;
    t.sms = config_.sm.count;
    t.sub_cores = config_.sm.sub_cores;
    t.code_size = plan_.code_size;
    t.theoretical_occupancy = occupancy_.theoretical(config_.sm);
    t.max_warps = config_.sm.max_warps;
    t.limited_by = name(occupancy_.limiter);
    std::array<sim::TimingCounts::Unit, micro_units> units;
    for (auto const& sm : sms_) {
        SmStatistics const s = sm->statistics();
        t.micro_ops += s.micro_ops;
        t.thread_micro_ops += s.thread_micro_ops;
        t.active_cycles += s.active_cycles;
        t.resident_warp_cycles += s.resident_warp_cycles;
        t.occupied_slots += s.occupied_slots;
        for (std::size_t i = 0; i < t.stalls.size(); ++i) t.stalls[i] += s.stalls[i];
        t.l1.load_requests += s.l1.load_requests;
        t.l1.store_requests += s.l1.store_requests;
        t.l1.atomic_requests += s.l1.atomic_requests;
        t.l1.load_sectors += s.l1.load_sectors;
        t.l1.store_sectors += s.l1.store_sectors;
        t.l1.atomic_sectors += s.l1.atomic_sectors;
        t.l1.sector_hits += s.l1.sector_hits;
        t.l1.tag_hits += s.l1.tag_hits;
        t.l1.store_hits += s.l1.store_hits;
        t.l1.mshr_stall_cycles += s.l1.mshr_stall_cycles;
        t.l1.shared_requests += s.l1.shared_requests;
        t.l1.shared_conflicts += s.l1.shared_conflicts;
        t.l1.remote_requests += s.l1.remote_requests;
        t.tlb_hits += s.tlb_hits;
        t.tlb_misses += s.tlb_misses;
        t.constant_loads += s.constant_loads;
        t.constant_misses += s.constant_misses;
        for (std::size_t u = 0; u < micro_units; ++u) {
            units[u].micro_ops += s.by_unit[u];
            units[u].busy_cycles += s.unit_cycles[u];
            units[u].cycles += s.active_cycles * (sm->is_per_sm(static_cast<MicroUnit>(u)) ? 1 : config_.sm.sub_cores);
        }
        t.noc.request_bytes += s.l1.request_bytes;
        t.noc.reply_bytes += s.l1.reply_bytes;
        add_functional(launch_.plan, plan_, *sm, statistics);
    }
    for (std::size_t u = 0; u < micro_units; ++u) {
        if (units[u].micro_ops == 0) continue;
        units[u].name = name(static_cast<MicroUnit>(u));
        t.units.push_back(units[u]);
    }
    for (auto const& partition : partitions_) {
        L2Statistics const& l2 = partition->l2();
        t.l2.read_sectors += l2.read_sectors;
        t.l2.write_sectors += l2.write_sectors;
        t.l2.atomic_sectors += l2.atomic_sectors;
        t.l2.sector_hits += l2.sector_hits;
        t.l2.tag_hits += l2.tag_hits;
        t.l2.written_back_sectors += l2.written_back_sectors;
        t.l2.stall_cycles += l2.stall_cycles;
        DramStatistics const& dram = partition->dram();
        t.dram.read_sectors += dram.read_sectors;
        t.dram.written_sectors += dram.written_sectors;
        t.dram.row_hits += dram.row_hits;
        t.dram.row_misses += dram.row_misses;
        t.dram.busy_cycles += dram.busy_cycles;
    }
    t.dram.channels = config_.dram.channels->count;
    t.dram.clock_mhz = config_.dram.clock_mhz;
    sim::MemoryCounts& m = statistics.memory;
    m.counted = true;
    m.global_requests += t.l1.load_requests + t.l1.store_requests + t.l1.atomic_requests;
    m.global_sectors += t.l1.load_sectors + t.l1.store_sectors + t.l1.atomic_sectors;
    m.shared_requests += t.l1.shared_requests;
    m.shared_bank_conflicts += t.l1.shared_conflicts;
}

std::vector<std::string> timing_obstacles(sim::Config const& config) {
    std::vector<std::string> list;
    for (std::string const& group : config.missing_timing_groups()) list.push_back(group + " is not given");
    if (!list.empty()) return list;
    auto const refuse = [&](bool is_bad, std::string const& why) {
        if (is_bad) list.push_back(why);
    };
    refuse(longest_epoch(config) < 8, "interconnect.request_latency_cycles, interconnect.reply_latency_cycles and "
                                      "launch.cta_launch_latency_cycles must be at least 8");
    refuse(config.l2.slices->count % config.dram.channels->count != 0, "l2.slices.count must be a multiple of dram.channels.count");
    refuse(config.l2.slices->count % config.l2.slices->partitions != 0, "l2.slices.count must be a multiple of l2.slices.partitions");
    refuse(config.sm.max_warps > 64, "sm.max_warps must be at most 64");
    refuse(config.sm.max_warps > 16 * config.sm.sub_cores, "sm.max_warps must be at most 16 for each sub-core");
    refuse(config.sm.l1->line_bytes != line_bytes || config.l2.slices->line_bytes != line_bytes, "line_bytes of L1 and L2 must be 128");
    refuse(config.sm.l1->sector_bytes != sector_bytes || config.l2.slices->sector_bytes != sector_bytes, "sector_bytes of L1 and L2 must be 32");
    return list;
}

void run_timing(sim::Config const& config, MachineKernel const& kernel, sim::LaunchContext const& launch, TimingOptions const& options,
                sim::LaunchStatistics& statistics, sim::TimingCounts& counts) {
    std::vector<std::string> const obstacles = timing_obstacles(config);
    if (!obstacles.empty()) {
        std::string text = config.name + " cannot run in timing mode:";
        for (std::string const& o : obstacles) text += "\n  " + o;
        throw Error(ErrorKind::config, text);
    }
    TimingPlan const plan = make_timing_plan(kernel, config);
    Gpu gpu(config, launch, plan, options);
    gpu.run();
    gpu.add_to(statistics, counts);
}

}  // namespace warpsim::timing
