#include "runtime/launch_sinks.hpp"

#include "sim/exec/launch_context.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::runtime {

bool listens_inside(DeviceOptions const& options) {
    return std::any_of(options.sinks.begin(), options.sinks.end(),
                       [](auto const& sink) { return (sink->wants() & ~sim::events_around_launches) != 0; });
}

LaunchSinks::LaunchSinks(DeviceOptions const& options, sim::Config const& config, sim::LaunchContext const& launch,
                         std::string_view kernel, bool is_timed, bool is_watched)
    : options_(options),
      is_timed_(is_timed),
      is_listened_to_(is_watched && listens_inside(options)),
      launch_(launch) {
    for (auto const& maker : options.part_sinks)
        if (is_watched && maker->listens_to(launch)) makers_.push_back(maker.get());
    sim::SharedBanksConfig const shared = config.sm.shared.banks.value_or(sim::SharedBanksConfig{});
    banks_ = {shared.count, shared.width_bytes};
    if (!options.trace) return;
    TraceFilter filter = TraceFilter::parse(options.trace_filter);
    if (filter.kernel.empty() || filter.kernel == kernel)
        trace_.emplace(options.trace, std::move(filter), *launch.plan.module, is_timed);
}

bool LaunchSinks::wanted() const {
    return trace_ || own_ != nullptr || is_listened_to_ || !makers_.empty() ||
           (options_.memory_statistics && !is_timed_);
}

bool LaunchSinks::counts_only() const { return !trace_ && own_ == nullptr && !is_listened_to_ && makers_.empty(); }

std::optional<sim::Banks> LaunchSinks::counted_banks() const {
    return options_.memory_statistics && !is_timed_ ? std::optional(banks_) : std::nullopt;
}

bool LaunchSinks::wants_one_thread() const { return own_ != nullptr || is_listened_to_ || (trace_ && !is_timed_); }

sim::EventSinks LaunchSinks::of_part(std::uint32_t sm) {
    sim::EventSinks sinks;
    if (is_listened_to_) {
        for (auto const& sink : options_.sinks) sinks.add(*sink);
    }
    if (own_ != nullptr) sinks.add(*own_);
    for (PartSinks* const maker : makers_) {
        std::shared_ptr<sim::EventSink> part = maker->part(launch_, sm);
        if (part) sinks.add(*parts_.emplace_back(std::move(part)));
    }
    if (trace_) sinks.add(trace_->add_part());
    // Timing mode counts its accesses itself.
    if (options_.memory_statistics && !is_timed_)
        sinks.add(*memory_.emplace_back(std::make_unique<MemoryStatistics>(banks_)));
    return sinks;
}

void LaunchSinks::epoch_ended() {
    if (trace_) trace_->epoch_ended();
}

void LaunchSinks::add_to(sim::MemoryCounts& counts) const {
    for (auto const& memory : memory_) sim::add(counts, memory->counted());
}

}  // namespace warpsim::runtime
