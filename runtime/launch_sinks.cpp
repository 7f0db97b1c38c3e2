#include "runtime/launch_sinks.hpp"

#include <utility>

namespace warpsim::runtime {

LaunchSinks::LaunchSinks(DeviceOptions const& options, sim::Config const& config, ir::Module const& module,
                         std::string_view kernel, bool is_timed)
    : options_(options), is_timed_(is_timed) {
    sim::SharedBanksConfig const shared = config.sm.shared.banks.value_or(sim::SharedBanksConfig{});
    banks_ = {shared.count, shared.width_bytes};
    if (!options.trace) return;
    TraceFilter filter = TraceFilter::parse(options.trace_filter);
    if (filter.kernel.empty() || filter.kernel == kernel)
        trace_.emplace(options.trace, std::move(filter), module, is_timed);
}

bool LaunchSinks::wanted() const {
    return trace_ || !options_.sinks.empty() || (options_.memory_statistics && !is_timed_);
}

bool LaunchSinks::counts_only() const { return !trace_ && options_.sinks.empty(); }

std::optional<sim::Banks> LaunchSinks::counted_banks() const {
    return options_.memory_statistics && !is_timed_ ? std::optional(banks_) : std::nullopt;
}

bool LaunchSinks::wants_one_thread() const { return !options_.sinks.empty() || (trace_ && !is_timed_); }

sim::EventSinks LaunchSinks::of_part() {
    sim::EventSinks sinks;
    for (auto const& sink : options_.sinks) sinks.add(*sink);
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
    for (auto const& memory : memory_) sim::add(counts, memory->counts());
}

}  // namespace warpsim::runtime
