#include "sim/timing/gpu.hpp"

#include "sim/error.hpp"
#include "sim/exec/fault.hpp"
#include "sim/timing/placements.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace warpsim::timing {

namespace {

constexpr std::size_t most_numbers = of_copies;  // from 0 on

/// The number of resident grids of a device, from the technical specifications of the CUDA programming guide.
std::uint32_t resident_grids(sim::Config const& config) {
    if (config.launch->resident_grids != 0) return config.launch->resident_grids;
    auto const [major, minor] = config.compute_capability;
    if (major == 5) return minor == 3 ? 16 : 32;
    if (major == 6) return minor == 0 ? 128 : minor == 1 ? 32 : 16;
    return major == 7 && minor == 2 ? 16 : 128;
}

sim::Config const& checked(sim::Config const& config) {
    std::vector<std::string> const obstacles = timing_obstacles(config);
    if (obstacles.empty()) return config;
    std::string text = config.name + " cannot run in timing mode:";
    for (std::string const& o : obstacles) text += "\n  " + o;
    throw Error(ErrorKind::config, text);
}

}  // namespace

/// A request that is sent in this epoch arrives no earlier than so much after its begin. Where a topology or translation delays
/// messages, which happens between epochs for both ways at once, partitions stand where the SMs do.
Cycle lead_of_partitions(sim::Config const& config) {
    return Network::is_needed(config) ? 0 : config.interconnect->request_latency_cycles;
}

/// Replies that are still to be sent arrive no earlier than the way back after where the partitions stand.
Cycle longest_epoch(sim::Config const& config) {
    sim::InterconnectConfig const& network = *config.interconnect;
    Cycle const lead = lead_of_partitions(config);
    Cycle const trip = lead == 0 ? std::min(network.request_latency_cycles, network.reply_latency_cycles)
                                 : lead + network.reply_latency_cycles;
    return std::min<Cycle>(trip, config.launch->cta_launch_latency_cycles);
}

Gpu::Gpu(sim::Config const& config, GpuOptions const& options)
    : config_(checked(config)),
      longest_epoch_(longest_epoch(config)),
      epoch_(options.observer != nullptr
                 ? 1
                 : std::max<Cycle>(longest_epoch_ / std::max(options.epoch_divisor, 1u), 1)),
      // Who looks at the GPU sees all of it in the same cycle.
      lead_(options.observer != nullptr ? 0 : lead_of_partitions(config)),
      most_resident_(resident_grids(config)),
      observer_(options.observer),
      map_(config.l2.slices->count, config.dram.channels->count, config.interconnect->interleave_bytes),
      team_({options.observer != nullptr ? 1 : options.threads, options.permutation_seed}),
      rooms_(config.sm.count),
      placement_(all_components().make_cta_placement(config.launch->placement)),
      network_(Network::make(config)),
      copies_(config, map_, 2 * longest_epoch_),
      grids_(most_numbers),
      host_wait_seconds_(options.host_wait_seconds) {
    for (std::uint32_t i = 0; i < config.dram.channels->count; ++i) {
        partitions_.push_back(std::make_unique<MemoryPartition>(config, i, map_));
        reply_sources_.push_back(&partitions_.back()->outbox());
    }
}

GridNumber Gpu::launch(sim::LaunchContext const& context, MachineKernel const& kernel, TimingOptions options,
                       Cycle at) {
    return launch(context, make_timing_plan(kernel, config_), &kernel, std::move(options), at);
}

GridNumber Gpu::launch(sim::LaunchContext const& context, TimingPlan plan, MachineKernel const* kernel,
                       TimingOptions options, Cycle at) {
    // Numbers are taken in turn, so that a message that arrives late for a grid is not taken for another grid's.
    while (grids_[next_number_]) next_number_ = static_cast<GridNumber>((next_number_ + 1) % most_numbers);
    GridNumber const number = next_number_;
    next_number_ = static_cast<GridNumber>((next_number_ + 1) % most_numbers);
    auto made = std::make_unique<Grid>(config_, number, context, std::move(plan), std::move(options));
    check_cluster_fits(*made);
    Grid& grid = *(grids_[number] = std::move(made));
    grid.serial = next_serial_++;
    grid.machine = kernel;
    grid.launched = at;
    if (observer_ != nullptr) observer_->grid_begins(*this, at);
    // The work distributor receives it an epoch before its first CTA can begin, and after everything that has
    // happened.
    Cycle const way = config_.launch->kernel_launch_cycles;
    bool const is_first = done_ == 0;
    grid.earliest = is_first ? std::max<Cycle>(at + way, 1) : at + std::max(way, 2 * longest_epoch_);
    Cycle const heard = std::max(grid.earliest - std::min(grid.earliest, longest_epoch_), done_);
    grid.earliest = std::max(grid.earliest, heard + (is_first ? 0 : longest_epoch_));
    if (launched_.empty()) {
        copies_.grids_begin(at);
        note_passed();
        livelock_.emplace(host_wait_seconds_, at);
        waits_ended_ = changes_then_ = 0;
    }
    launched_.push_back(&grid);
    for (auto const& partition : partitions_)
        partition->begin_grid(number, grid.options.interval_cycles, grid.launched);
    if (is_first && heard == 0) {
        admit(grid);
        dispatch(grid.earliest);
        return number;
    }
    auto const later = std::upper_bound(arrivals_.begin(), arrivals_.end(), heard,
                                        [](Cycle cycle, Arrival const& a) { return cycle < a.at; });
    arrivals_.insert(later, {heard, &grid});
    return number;
}

Cycle Gpu::next_event() const {
    Cycle next = std::min(arrivals_.empty() ? engine::never : arrivals_.front().at, copies_.next_event());
    if (network_) next = std::min(next, network_->next_event());
    for (auto const& sm : sms_) next = std::min(next, sm->next_event());
    for (auto const& partition : partitions_) next = std::min(next, next_event(*partition));
    return next;
}

/// Where SMs stand when it comes to the partition's turn.
Cycle Gpu::next_event(MemoryPartition const& partition) const {
    Cycle const next = partition.next_event();
    return next == engine::never ? next : next - std::min(next, lead_);
}

bool Gpu::has_clusters() const {
    return std::any_of(launched_.begin(), launched_.end(), [](Grid const* grid) { return grid->has_clusters(); });
}

/// CTAs of a cluster can influence each other sooner than others.
Cycle Gpu::epoch() const {
    Cycle const way = config_.interconnect->sm_to_sm_latency_cycles;
    return way != 0 && has_clusters() ? std::min(epoch_, way) : epoch_;
}

bool Gpu::advance(Cycle until) {
    bool goes_on = false;
    team_.together([&] { goes_on = run_epochs(until); });
    return goes_on;
}

bool Gpu::run_epochs(Cycle until) {
    while (ended_.empty() && copies_.ended().empty()) {
        Cycle const next = std::max(next_event(), done_);
        if (next == engine::never) {
            if (launched_.empty()) return false;
            if (stop_sampling() || end_waits()) continue;
            fail(false);
        }
        if (next >= until) return true;
        Cycle const length = epoch();
        Cycle const begin = std::max(next / length * length, done_);  // empty epochs are skipped
        Cycle const end = (next / length + 1) * length;
        if (observer_ != nullptr) let_look(begin);
        now_ = begin;
        run_epoch(begin, end);
        apply_effects();
        observe();
        check();
        if (network_) pass_network(end);
        exchange();
        place_next(end);
        done_ = end;
        sample();
        tell_progress();
        // A copy may write what grids wait for; what CTAs that have ended have stored may still be under way.
        bool const may_look =
            copies_.is_idle() &&
            std::any_of(launched_.begin(), launched_.end(), [](Grid const* grid) { return !grid->all_ended(); });
        if (may_look && begin >= livelock_->next_look() && livelock_->look(sms_, begun_and_ended_, end) &&
            !stop_sampling())
            fail(true);
        end_grids();
    }
    return true;
}

void Gpu::run_epoch(Cycle begin, Cycle end) {
    // All SMs take part, so that each is always run by the same host thread.
    team_.each(sms_.size() + 1, [&](std::size_t i) {
        if (i < sms_.size()) {
            if (sms_[i]->next_event() < end) sms_[i]->run(end);
        } else if (copies_.next_event() < end) {
            copies_.run(begin, end);
        }
    });
    note_passed();
    run_partitions(end + lead_);
}

void Gpu::run_partitions(Cycle end) {
    team_.each(partitions_.size(), [&](std::size_t p) {
        if (!network_) collect_requests(p);
        if (partitions_[p]->next_event() < end) partitions_[p]->run(end);
    });
}

void Gpu::pass_network(Cycle end) {
    network_->pass(end, request_sources_, reply_sources_);
    for (Network::Passed const& passed : network_->passed()) sms_[passed.sm]->note(passed);
}

void Gpu::collect_requests(std::size_t p) {
    std::uint32_t const slices = map_.slices_per_channel();
    engine::Outbox<MemoryRequest>* const copies[] = {&copies_.outbox()};
    for (std::uint32_t s = 0; s < slices; ++s) {
        partitions_[p]->take_requests(s, p * slices + s, request_sources_);
        if (!copies_.is_idle()) partitions_[p]->take_requests(s, p * slices + s, copies, config_.sm.count);
    }
}

void Gpu::exchange() {
    std::size_t const sms = sms_.size();
    bool const clusters = has_clusters();
    if (!copies_.is_idle()) copies_.inbox().collect(config_.sm.count, reply_sources_);
    team_.each(sms + (network_ ? partitions_.size() : 0), [&](std::size_t i) {
        if (i >= sms) return collect_requests(i - sms);
        sms_[i]->take_replies(i, reply_sources_);
        if (clusters) sms_[i]->take_from_peers(i, peer_sources_);
    });
    if (!copies_.is_idle()) copies_.outbox().clear();
    for (auto* const outbox : request_sources_) outbox->clear();
    for (auto* const outbox : reply_sources_) outbox->clear();
    for (std::size_t i = 0; clusters && i < peer_sources_.size(); ++i) peer_sources_[i]->clear();
}

void Gpu::observe() {
    for (Grid* const grid : launched_) {
        if (grid->options.epoch_ended) grid->options.epoch_ended();
        if (grid->options.interval_cycles != 0) take_samples(*grid);
    }
}

/// The grid that was launched first speaks for all.
void Gpu::tell_progress() {
    if (launched_.empty() || !launched_.front()->options.progress) return;
    auto const now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    Grid const& grid = *launched_.front();
    sim::LaunchProgress progress;
    progress.kernel = grid.launch.plan.functions.front().function->name;
    progress.ctas = grid.launch.ctas();
    progress.ended = grid.gone();
    for (std::uint32_t const ctas : grid.ctas_on) progress.resident += ctas;
    progress.cycles = done_ - std::min(done_, grid.launched);
    for (auto const& sm : sms_) {
        if (ResidentGrid const* const here = sm->grid(grid.number))
            progress.micro_ops += here->statistics.micro_ops;
    }
    progress.sms = config_.sm.count;
    progress.others = static_cast<std::uint32_t>(launched_.size() - 1);
    grid.options.progress(progress);
}

void Gpu::take_samples(Grid& grid) {
    for (auto const& sm : sms_) {
        if (sm->grid(grid.number) != nullptr) sm->give_samples(grid.number, grid.samples);
    }
    for (auto const& partition : partitions_) partition->give_samples(grid.number, grid.samples);
}

/// A grid has ended when its last event on each of its SMs has happened.
void Gpu::end_grids() {
    if (launched_.empty()) return;
    std::size_t const before = ended_.size();
    std::erase_if(launched_, [&](Grid* grid) {
        if (!grid->all_ended()) return false;
        Cycle last = 0;
        for (auto const& sm : sms_) {
            if (sm->grid(grid->number) == nullptr) continue;
            std::optional<Cycle> const left = sm->left(grid->number);
            if (!left) return false;
            last = std::max(last, *left);
        }
        grid->end = last + config_.launch->drain_cycles;
        last_end_ = std::max(last_end_, *grid->end);
        ended_.push_back({grid->number, *grid->end, skipped_cycles(*grid)});
        return true;
    });
    std::stable_sort(ended_.begin() + static_cast<std::ptrdiff_t>(before), ended_.end(),
                     [](Ended const& a, Ended const& b) { return a.at < b.at; });
    if (launched_.empty()) copies_.grids_end(last_end_);
}

bool Gpu::can_launch() const {
    return std::any_of(grids_.begin(), grids_.end(), [](auto const& grid) { return !grid; });
}

bool Gpu::is_settled(GridNumber number) const {
    return std::none_of(partitions_.begin(), partitions_.end(),
                        [&](auto const& partition) { return partition->has_work_of(number); });
}

std::uint64_t Gpu::instructions(GridNumber number) const {
    std::uint64_t sum = 0;
    for (auto const& sm : sms_) {
        if (ResidentGrid const* const here = sm->grid(number)) sum += here->statistics.instructions;
    }
    return sum;
}

std::uint64_t Gpu::micro_ops(GridNumber number) const {
    std::uint64_t sum = 0;
    for (auto const& sm : sms_) {
        if (ResidentGrid const* const here = sm->grid(number)) sum += here->statistics.micro_ops;
    }
    return sum;
}

Cycle Gpu::quiet() const {
    Cycle last = last_end_;
    for (auto const& sm : sms_) last = std::max(last, sm->last_event());
    for (auto const& partition : partitions_) last = std::max(last, partition->last_event());
    return last;
}

}  // namespace warpsim::timing
