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
    return std::min({config.interconnect->request_latency_cycles, config.interconnect->reply_latency_cycles,
                     config.launch->cta_launch_latency_cycles});
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
    // No more SMs than CTAs can ever be used.
    auto const used = static_cast<std::uint32_t>(std::min<std::uint64_t>(config.sm.count, launch.ctas()));
    for (std::uint32_t i = 0; i < used; ++i) {
        sms_.push_back(std::make_unique<Sm>(config, launch, plan, i, map_, occupancy_.ctas, l1_kib));
        request_sources_.push_back(&sms_.back()->outbox());
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
    for (std::uint32_t round = 0; round < occupancy_.ctas; ++round) {
        for (auto& sm : sms_) {
            if (next_cta_ < launch_.ctas()) sm->place(next_cta_++, at);
        }
    }
}

Cycle Gpu::next_event() const {
    Cycle next = engine::never;
    for (auto const& sm : sms_) next = std::min(next, sm->next_event());
    for (auto const& partition : partitions_) next = std::min(next, partition->next_event());
    return next;
}

void Gpu::run() {
    Cycle const epoch = std::max<Cycle>(longest_epoch(config_) / std::max(options_.epoch_divisor, 1u), 1);
    place_first();
    for (;;) {
        Cycle const next = next_event();
        if (next == engine::never) {
            if (ended_ != launch_.ctas()) deadlock();
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
            return;
        }
        std::size_t const p = i - sms;
        for (std::uint32_t s = 0; s < per_partition; ++s) partitions_[p]->inbox(s).collect(p * per_partition + s, request_sources_);
    });
    for (auto* const outbox : request_sources_) outbox->clear();
    for (auto* const outbox : reply_sources_) outbox->clear();
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
    for (Order const& o : order_) sms_[o.sm]->effects().apply(o.sequence, sms_[o.sm]->interpreter());
    for (auto const& sm : sms_) sm->effects().clear();
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
    };
    std::vector<Ending> endings;
    for (std::uint32_t s = 0; s < sms_.size(); ++s) {
        for (Sm::Ended const& e : sms_[s]->ended()) endings.push_back({e.at, s});
        sms_[s]->ended().clear();
    }
    if (endings.empty()) return;
    std::stable_sort(endings.begin(), endings.end(), [](Ending const& a, Ending const& b) { return a.at < b.at; });
    for (Ending const& e : endings) {
        ++ended_;
        if (next_cta_ < launch_.ctas()) sms_[e.sm]->place(next_cta_++, e.at + config_.launch->cta_launch_latency_cycles);
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
    fault.what = "deadlock: no thread of the block can go on";
    for (auto const& sm : sms_) {
        if (fault.details.empty()) fault.details = sm->describe_waiting();
    }
    throw fault;
}

namespace {

void add_functional(sim::KernelPlan const& plan, TimingPlan const& timing, sim::OpCounters const& counters, sim::LaunchStatistics& statistics) {
    sim::InstructionCounts& total = statistics.instructions;
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    for (sim::FunctionPlan const& function : plan.functions) {
        std::uint32_t const base = function.counter_base;
        std::int64_t warps = 0, threads = 0;
        for (std::size_t i = 0; i < function.ops.size(); ++i) {
            warps += counters.deltas[base + i].warp;
            threads += counters.deltas[base + i].thread;
            sim::Op const& op = function.ops[i];
            bool const is_spill = timing.functions[function.plan_index].original[op.instruction] == ir::none;
            if (!op.is_primary || is_spill) continue;
            ir::Form const& form = plan.module->forms[function.function->instructions[op.instruction].form];
            isa::Row const& row = rows[form.row];
            auto const c = static_cast<std::size_t>(isa::instruction_class(row, row.variants[form.variant]));
            total.warp += static_cast<std::uint64_t>(warps);
            total.thread += static_cast<std::uint64_t>(threads);
            total.thread_guarded += static_cast<std::uint64_t>(threads) - counters.guarded_off[base + i];
            total.by_class[c] += static_cast<std::uint64_t>(warps);
        }
    }
    statistics.branches.total += counters.branch_total;
    statistics.branches.divergent += counters.branch_divergent;
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
                line.executed += static_cast<std::uint64_t>(warps);
                line.threads += static_cast<std::uint64_t>(threads);
                line.threads_guarded += static_cast<std::uint64_t>(threads) - counters.guarded_off[function.counter_base + i];
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
        for (std::uint32_t const i : order) {
            sim::LineProfile& line = lines[i];
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
        t.noc.request_bytes += s.l1.request_bytes;
        t.noc.reply_bytes += s.l1.reply_bytes;
        add_functional(launch_.plan, plan_, sm->interpreter().counters(), statistics);
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
    refuse(config.sm.tlb.enabled, "sm.tlb.enabled is not modelled yet");
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
    if (launch.ctas_per_cluster() > 1) {
        throw Error(ErrorKind::launch, "kernel " + statistics.kernel + " cannot run in timing mode: clusters of CTAs are not timed yet");
    }
    TimingPlan const plan = make_timing_plan(kernel, config);
    Gpu gpu(config, launch, plan, options);
    gpu.run();
    gpu.add_to(statistics, counts);
}

}  // namespace warpsim::timing
