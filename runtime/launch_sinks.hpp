// Who listens to one launch: what the options of the device ask for.
#pragma once

#include "runtime/launch.hpp"
#include "runtime/memory_statistics.hpp"
#include "runtime/part_sinks.hpp"
#include "runtime/trace.hpp"
#include "sim/config/config.hpp"
#include "sim/events.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace warpsim::runtime {

/// Whether any of the sinks wants to hear what happens inside of launches.
bool listens_inside(DeviceOptions const& options);

class LaunchSinks {
public:
    /// `is_watched`: the sinks of the options are told of what happens inside.
    LaunchSinks(DeviceOptions const& options, sim::Config const& config, sim::LaunchContext const& launch,
                std::string_view kernel, bool is_timed, bool is_watched);

    /// One more, of this launch alone; null: none.
    void add(sim::EventSink* sink) { own_ = sink; }
    bool wanted() const;
    /// All that they want is to count accesses, which compiled code does itself.
    bool counts_only() const;
    /// The banks by which conflicts are counted; none: accesses are not counted.
    std::optional<sim::Banks> counted_banks() const;
    /// Some of them listen to the whole launch, not to a part of it.
    bool wants_one_thread() const;
    /// Those of one more part of the engine: a host thread in functional mode, that SM in timing mode.
    sim::EventSinks of_part(std::uint32_t sm);
    void epoch_ended();
    void add_to(sim::MemoryCounts& counts) const;

private:
    DeviceOptions const& options_;
    sim::Banks banks_;
    bool is_timed_, is_listened_to_;
    sim::LaunchContext const& launch_;
    sim::EventSink* own_ = nullptr;
    std::optional<Trace> trace_;
    std::vector<PartSinks*> makers_;  // of `parts_`
    std::vector<std::shared_ptr<sim::EventSink>> parts_;
    std::vector<std::unique_ptr<MemoryStatistics>> memory_;
};

}  // namespace warpsim::runtime
