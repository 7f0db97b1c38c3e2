#include "runtime/timed_work.hpp"

#include "runtime/cache_warmth.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/launch_runner.hpp"
#include "runtime/untimed.hpp"
#include "sim/exec/polling.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpsim::runtime {

namespace {

timing::GpuOptions gpu_options(Device::State const& state) {
    DeviceOptions const& options = state.options;
    timing::GpuOptions gpu;
    gpu.threads = static_cast<int>(std::min(static_cast<std::uint32_t>(options.threads), state.config.sm.count));
    // Sinks that listen to all launches are not made for several threads.
    if (listens_inside(options)) gpu.threads = 1;
    gpu.host_wait_seconds = options.host_wait_seconds;
    gpu.permutation_seed = options.timing_permutation_seed;
    gpu.epoch_divisor = options.timing_epoch_divisor;
    if (options.runner) gpu.observer = options.runner->gpu_observer();
    return gpu;
}

timing::CopyOrder::Way way_of(TimedCopy::Way way) {
    using To = timing::CopyOrder::Way;
    switch (way) {
        case TimedCopy::Way::to_device: return To::to_device;
        case TimedCopy::Way::to_host: return To::to_host;
        case TimedCopy::Way::inside: return To::inside;
        case TimedCopy::Way::fill: break;
    }
    return To::fill;
}

/// Where nothing is on this side, the area is empty.
timing::CopyArea area_of(TimedCopy::Area const& area, std::uint64_t moved_by) {
    return {area.width != 0 ? area.at - moved_by : area.at, area.width, area.rows, area.distance};
}

LaunchKind kind_of(TimedWork::Order const& order) {
    LaunchShape const& shape = order.shape;
    return {order.loaded, order.kernel, shape.grid, shape.block, shape.cluster, shape.dynamic_shared};
}

/// Why no CTAs of the launch may be left out, or its cycles say nothing of others; empty if they do.
std::string not_sampled(PreparedGrid& grid) {
    sim::KernelPlan const& plan = grid.context().plan;
    if (grid.shape().cooperative) return "its CTAs wait for each other";
    if (plan.reads_clock) return "it reads a clock";
    return sim::may_poll(plan) ? "its CTAs may wait for others: it asks memory in a loop" : "";
}

void tell_not_sampled(PreparedGrid& grid) {
    grid.result().timing->sampling = {true, false, grid.context().ctas(), 0, 0, not_sampled(grid)};
}

}  // namespace

TimedWork::TimedWork(Device::State& state)
    : state_(state), core_(state.config.clock_mhz), history_(state.options.sample_error) {}

timing::Gpu& TimedWork::gpu() {
    if (!gpu_) gpu_ = std::make_unique<timing::Gpu>(state_.config, gpu_options(state_));
    return *gpu_;
}

TimedWork::Time TimedWork::quiet() const { return std::max(latest_, gpu_ ? time_of(gpu_->quiet()) : origin_); }

bool TimedWork::is_idle() const {
    bool const has_ended =
        std::all_of(running_.begin(), running_.end(), [](Running const& r) { return r.has_ended; });
    return has_ended && (!gpu_ || !gpu_->has_copies());
}

/// Whether launches like it say enough of it (--sample).
bool TimedWork::may_project(Order const& order) {
    if (state_.options.sample_error == 0 || !is_idle() || !history_.may_project(kind_of(order))) return false;
    sim::KernelPlan const& plan = order.loaded->plan(order.kernel);
    return !plan.reads_clock && !plan.uses_runtime && !sim::may_poll(plan);
}

/// Executes it, and lets as much time pass as it would take.
Device::Ticket TimedWork::project(Order const& order, Time at) {
    LaunchResult result = run_untimed(state_, *order.loaded, order.kernel, order.shape, order.arguments);
    history_.project(kind_of(order), result);
    Device::Ticket const ticket = next_ticket_++;
    latest_ = std::max({at, origin_, latest_}) + core_.time_of(result.timing->cycles);
    told_.push_back({ticket, latest_});
    if (order.told) order.told(result);
    return ticket;
}

Device::Ticket TimedWork::launch(Order order, Time at) {
    if (may_project(order)) return project(order, at);
    auto job = std::make_shared<Job>(Job{next_ticket_++, std::move(order), state_.options});
    begin(job, nullptr, at);
    return job->ticket;
}

timing::TimingOptions TimedWork::timing_options(Running& running) const {
    DeviceOptions const& options = running.job->options;
    timing::TimingOptions run;
    run.max_instructions = options.max_instructions;
    run.registers_per_thread = running.grid->result().registers_per_thread;
    run.priority = running.job->order.priority;
    run.progress = options.progress;
    run.stop = state_.checkpoints ? state_.checkpoints->stop() : options.stop.get();
    run.profile = options.profile;
    run.code_is_warm = state_.warmth && state_.warmth->has_run(running.grid->result().kernel);
    run.interval_cycles = options.interval_cycles;
    if (running.skipped) {
        run.sampling = {options.sample_error, [&skipped = *running.skipped](
                                                  std::uint64_t first, std::uint64_t most, std::uint64_t timed) {
                            return skipped.run(first, most, timed);
                        }};
    }
    LaunchSinks& sinks = *running.sinks;
    if (sinks.wanted()) {
        run.sinks = [&sinks](std::uint32_t sm) { return sinks.of_part(sm); };
        run.epoch_ended = [&sinks] { sinks.epoch_ended(); };
    }
    return run;
}

/// A new GPU has nothing in its caches.
void TimedWork::flush_caches(Time at) {
    if (!state_.config.launch->flush_caches || !gpu_ || !is_idle()) return;
    settle();
    gpu_.reset();
    origin_ = at;
}

/// A launch with all that it takes, which is not on the GPU yet.
TimedWork::Running TimedWork::prepare(std::shared_ptr<Job> const& job, ChildWork const* child) {
    Order const& order = job->order;
    DeviceOptions const& options = job->options;
    Module::State& loaded = *order.loaded;
    Running running{job, nullptr, nullptr, nullptr, 0, 0, child != nullptr};
    running.grid = child == nullptr ? std::make_unique<PreparedGrid>(state_, loaded, order.kernel, order.shape,
                                                                     order.arguments, 0, options)
                                    : std::make_unique<PreparedGrid>(state_, loaded, child->kernel, child->shape,
                                                                     child->arguments, child->depth, options);
    running.sinks = std::make_unique<LaunchSinks>(options, state_.config, running.grid->context(),
                                                  running.grid->result().kernel, true, running.grid->is_watched());
    running.sinks->add(running.grid->capture());
    if (options.sample_error > 0 && not_sampled(*running.grid).empty())
        running.skipped = std::make_unique<SkippedCtas>(state_, options, *running.grid);
    return running;
}

void TimedWork::begin(std::shared_ptr<Job> const& job, ChildWork const* child, Time at) {
    DeviceOptions const& options = job->options;
    Running running = prepare(job, child);
    running.is_alone = is_idle();
    if (!running.is_alone)
        for (Running& other : running_) other.is_alone = false;
    flush_caches(at);
    if (state_.warmth) gpu().warm_l2(state_.warmth->take());
    timing::Cycle const cycle = cycle_at(std::max(at, origin_));
    if (options.runner) options.runner->timed_launch(running.grid->context(), job->order.loaded->symbols);
    running.begun = cycle;
    running.number =
        gpu().launch(running.grid->context(), running.grid->machine(), timing_options(running), cycle);
    running.grid->begin(state_, cycle, origin_);
    ++job->grids;
    running_.push_back(std::move(running));
}

Device::Ticket TimedWork::copy(TimedCopy const& copy, Time at) {
    std::uint64_t const moved = state_.memory->moved_by();
    timing::CopyOrder order{way_of(copy.way),          copy.is_pageable,        copy.bytes,
                            area_of(copy.from, moved), area_of(copy.to, moved), next_ticket_++};
    gpu().begin_copy(order, std::max(at, origin_) - origin_);
    return order.ticket;
}

void TimedWork::end_copies(std::vector<Device::Ended>& told) {
    for (timing::CopyEngines::Ended const& ended : gpu_->ended_copies()) {
        told.push_back({ended.ticket, origin_ + ended.at});
        latest_ = std::max(latest_, told.back().at);
    }
    gpu_->ended_copies().clear();
}

std::vector<Device::Ended> TimedWork::advance(Time until) {
    std::vector<Device::Ended> told = std::exchange(told_, {});
    if (!gpu_ || !told.empty()) return told;
    try {
        std::vector<timing::Gpu::Ended> grids;
        do {  // a launch has not ended with its own grid when that has launched others
            gpu_->advance(until == engine::never ? engine::never : cycle_at(until));
            end_copies(told);
            grids = std::exchange(gpu_->ended(), {});
            for (timing::Gpu::Ended const& ended : grids) end(ended, told);
            retire_settled();
        } while (!grids.empty() && told.empty());
        return told;
    } catch (sim::Fault const& fault) {
        FaultError const error = fail(fault);
        give_up();
        throw error;
    } catch (...) {
        give_up();
        throw;
    }
}

void TimedWork::settle() {
    if (!gpu_) return;
    while (gpu_->advance() && gpu_->ended().empty()) end_copies(told_);
    retire_settled();
}

void TimedWork::tell(LaunchResult result, std::function<void(LaunchResult const&)> told) {
    auto const before =
        std::find_if(running_.rbegin(), running_.rend(), [](Running const& r) { return r.job->has_ended; });
    if (before == running_.rend()) return told(result);
    before->job->behind.push_back([result = std::move(result), told = std::move(told)] { told(result); });
}

FaultError TimedWork::fail(sim::Fault const& fault) {
    auto const failed = std::find_if(running_.begin(), running_.end(),
                                     [&](Running const& r) { return r.number == gpu_->failed(); });
    failed->has_ended = true;
    return failed->grid->fail(state_, failed->job->options, fault, gpu_->quiet());
}

void TimedWork::tell_counts(Running const& running) {
    if (!running.grid->wants_counts(state_)) return;
    std::vector<sim::ExecutionCount> const counts = gpu_->execution_counts(running.number);
    running.grid->tell_counts(state_, counts);
}

/// After a fault the grids of the device are still on the GPU.
void TimedWork::give_up() {
    latest_ = quiet();
    for (Running const& running : running_) {
        tell_counts(running);
        if (!running.has_ended) running.grid->abandon(state_, gpu_->quiet());
        LaunchResult& result = running.grid->result();
        gpu_->count_so_far(running.number, result, result.timing.emplace());
        if (running.skipped) running.skipped->add_to(result);
        if (state_.options.launch_stopped) state_.options.launch_stopped(result);
        for (auto const& tell_next : std::exchange(running.job->behind, {})) tell_next();
    }
    origin_ = latest_;
    gpu_.reset();
    running_.clear();
}

void TimedWork::end(timing::Gpu::Ended const& ended, std::vector<Device::Ended>& told) {
    Running& running =
        *std::find_if(running_.begin(), running_.end(), [&](Running const& r) { return r.number == ended.grid; });
    std::shared_ptr<Job> const job = running.job;
    origin_ += core_.time_of(ended.skipped);
    Time const at = time_of(ended.at);
    latest_ = std::max(latest_, at);
    running.has_ended = true;
    running.grid->finish(state_, job->options, ended.at + ended.skipped);
    running.grid->give_children(job->todo);
    if (go_on(job, gpu_->instructions(ended.grid), at)) return;
    job->has_ended = true;
    told.push_back({job->ticket, at});
}

/// Begins the next of what the grids of the job have asked for; false: nothing is left. A grid has not ended before
/// what it launched has, and that comes before what the host launched next: depth first.
bool TimedWork::go_on(std::shared_ptr<Job> const& job, std::uint64_t executed, Time at) {
    while (!job->todo.empty()) {
        ChildWork const work = std::move(job->todo.back());
        job->todo.pop_back();
        if (work.kind != ChildWork::Kind::launch) {
            move_bytes(state_, work, job->order.shape.host_trust);
            continue;
        }
        std::uint64_t& most = job->options.max_instructions;
        if (most != 0) {
            most -= std::min(most, executed);
            if (most == 0) {
                throw FaultError(FaultKind::instruction_limit, "instruction limit: a kernel was stopped among the "
                                                               "grids that it launched (--max-instructions)");
            }
        }
        begin(job, &work, at);
        return true;
    }
    return false;
}

/// Of grids that have ended, DRAM may still do what they have asked for: what it counts then is theirs.
void TimedWork::retire_settled() {
    for (std::size_t i = 0; i < running_.size();) {
        Running& running = running_[i];
        if (!running.has_ended || !gpu_->is_settled(running.number)) {
            ++i;
            continue;
        }
        LaunchResult& result = running.grid->result();
        tell_counts(running);
        gpu_->retire(running.number, result, result.timing.emplace());
        if (running.skipped) running.skipped->add_to(result);
        else if (state_.options.sample_error > 0) tell_not_sampled(*running.grid);
        std::shared_ptr<Job> const job = running.job;
        if (state_.options.sample_error > 0 && !running.is_child && running.is_alone)
            history_.add(kind_of(job->order), result);
        if (!running.is_child) job->result = std::move(result);
        else if (state_.options.child_launched) state_.options.child_launched(result);
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        --job->grids;
        if (!job->has_ended || job->grids != 0) continue;
        if (job->order.told) job->order.told(job->result);
        for (auto const& tell_next : job->behind) tell_next();
    }
}

LaunchResult TimedWork::run(Module::State& loaded, std::uint32_t kernel, LaunchShape const& shape,
                            Arguments const& arguments) {
    bool is_known = false;
    LaunchResult result;
    Order order;
    order.loaded = &loaded;
    order.kernel = kernel;
    order.shape = shape;
    order.arguments = arguments;
    order.told = [&](LaunchResult const& known) {
        result = known;
        is_known = true;
    };
    std::vector<Device::Ended> told = std::exchange(told_, {});
    while (gpu_ && gpu_->has_copies()) {
        gpu_->advance();
        end_copies(told);
    }
    Checkpoints* const kept = state_.checkpoints.get();
    if (kept != nullptr && kept->goes_on()) resume(std::move(order), *kept);
    else launch(std::move(order), quiet());
    if (kept != nullptr) run_kept(*kept, is_known);
    else
        while (!is_known) advance(engine::never);
    told_ = std::move(told);
    return result;
}

void TimedWork::run_kept(Checkpoints& kept, bool const& is_known) {
    for (timing::Cycle now = gpu_->done();; now = kept.next_look(now)) {
        advance(time_of(now));
        if (is_known) return;
        // What DRAM still does for a grid that has ended is over soon.
        if (running_.size() == 1 && !running_.front().has_ended) kept.look(*this, now);
    }
}

void TimedWork::check_components() { gpu().check_components(); }

/// Of the one launch that is under way, all that is not on the GPU.
template <class Archive> void TimedWork::state(Archive& archive, Running& running) {
    archive(origin_, latest_, next_ticket_, running.number, running.begun, running.is_alone);
}

void TimedWork::save(checkpoint::Saver& saver) {
    state(saver, running_.front());
    gpu_->save(saver);
}

/// Takes up a launch where it was kept.
void TimedWork::resume(Order order, Checkpoints& kept) {
    auto const job = std::make_shared<Job>(Job{next_ticket_++, std::move(order), state_.options});
    Running running = prepare(job, nullptr);
    checkpoint::Loader& loader = kept.restore(running.grid->context().plan);
    state(loader, running);
    gpu().adopt(running.number, running.grid->context(), running.grid->machine(), timing_options(running),
                running.begun);
    gpu().load(loader);
    running.grid->begin(state_, running.begun, origin_);
    ++job->grids;
    running_.push_back(std::move(running));
    kept.has_resumed();
}

}  // namespace warpsim::runtime
