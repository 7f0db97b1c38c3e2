#include "runtime/timeline/timeline.hpp"

#include "sim/engine/clock.hpp"

#include <algorithm>
#include <atomic>

namespace warpsim::timeline {

namespace {

thread_local std::uint64_t number_of_call = 0;

}  // namespace

std::uint64_t present_call() {
    static std::atomic<std::uint64_t> calls{0};
    if (number_of_call == 0) number_of_call = ++calls;
    return number_of_call;
}

void Timeline::begin_call() { number_of_call = 0; }

Timeline::Timeline(Options options) : options_(std::move(options)) {
    // What cannot be written should be told before anything runs.
    if (!options_.file.empty()) TraceFile(options_.file, Fields()).finish();
}

void Timeline::observe(runtime::DeviceOptions& device) {
    auto const one =
        std::make_shared<DeviceTimeline>(options_, static_cast<std::uint32_t>(devices_.size()), start_);
    devices_.push_back(one);
    device.sinks.push_back(one);
    device.part_sinks.push_back(one);
}

void Timeline::counted(sim::LaunchStatistics const& launch) {
    for (auto const& device : devices_) device->counted(launch);
}

void Timeline::call(std::uint64_t thread, std::string_view function, std::string arguments, std::uint64_t from,
                    std::uint64_t until) {
    std::lock_guard const lock(mutex_);
    if (calls_.size() < options_.events / 8)
        calls_.push_back({thread, number_of_call, from, until, std::string(function), std::move(arguments)});
}

void Timeline::write_calls(TraceFile& file) const {
    if (calls_.empty()) return;
    constexpr std::uint32_t group = 1;
    file.name_group(group, "host");
    std::vector<Call const*> order;
    for (Call const& call : calls_) order.push_back(&call);
    std::stable_sort(order.begin(), order.end(), [](Call const* a, Call const* b) {
        if (a->thread != b->thread) return a->thread < b->thread;
        return a->from < b->from;
    });
    auto const shown = [&](std::uint64_t ps) {
        return options_.clock_mhz != 0 ? engine::Clock(options_.clock_mhz).first_at(ps) : ps / 1000;
    };
    std::uint64_t last = UINT64_MAX;
    for (Call const* const call : order) {
        Track const track{group, static_cast<std::uint32_t>(call->thread) + 1};
        if (call->thread != last) {
            last = call->thread;
            file.name_track(track, "thread " + std::to_string(last));
        }
        Fields fields;
        if (!call->arguments.empty()) fields.add("arguments", call->arguments);
        std::uint64_t const from = shown(call->from);
        file.slice(track, from, shown(std::max(call->until, call->from)) - from, call->function, "call", fields,
                   {call->number, true});
    }
}

std::string Timeline::finish() {
    std::lock_guard const lock(mutex_);
    if (is_finished_) return {};
    is_finished_ = true;
    bool was_cut = false;
    write(was_cut);
    return "timeline: " + options_.file + (was_cut ? ", which is not complete: see --timeline-events" : "");
}

std::string Timeline::text() {
    std::lock_guard const lock(mutex_);
    bool was_cut = false;
    return write(was_cut);
}

std::string Timeline::write(bool& was_cut) const {
    was_cut = calls_.size() >= options_.events / 8 ||
              std::any_of(devices_.begin(), devices_.end(), [](auto const& d) { return d->was_cut(); });
    Fields about;
    about.add("made by", "warpsim").add("configuration", options_.config);
    about.add("mode", options_.clock_mhz != 0 ? "timing" : "functional");
    if (options_.clock_mhz != 0) {
        about.add("unit", "a nanosecond stands for a cycle of the core clock")
            .add("clock_mhz", std::uint64_t{options_.clock_mhz});
        about.add("warps are shown of",
                  "the first " + std::to_string(options_.detailed_sms) + " SMs (--timeline-sms)");
    } else {
        about.add("unit", "times are the simulator's own: functional mode has none");
    }
    about.add("complete", was_cut ? "no: some events are left out, see --timeline-events" : "yes");
    TraceFile file(options_.file, about);
    write_calls(file);
    for (auto const& device : devices_) device->write(file);
    return file.finish();
}

}  // namespace warpsim::timeline
