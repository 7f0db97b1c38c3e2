// What a run did over time: calls of the host, work of streams, and in timing mode SMs, CTAs, warps and counters.
#pragma once

#include "runtime/launch.hpp"
#include "runtime/part_sinks.hpp"
#include "runtime/timeline/sm_tracks.hpp"
#include "sim/events.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::timeline {

struct Options {
    std::string file;                // empty: its text is asked for
    std::string config;              // name of the GPU
    std::uint32_t clock_mhz = 0;     // of its cores in timing mode; 0: times are those of the host
    std::uint32_t sms = 0;           // of the GPU
    std::uint32_t detailed_sms = 2;  // whose warps are shown
    std::uint64_t events = 500'000;  // that are kept
};

/// Where work of a device comes from.
struct Origin {
    std::uint64_t stream = 0;  // 0: none
    std::uint64_t call = 0;    // of the host: a number of its own; 0: none
};

/// The call that this thread is in; from now on it has a number.
std::uint64_t present_call();

/// One device. Sinks of launches, and what its streams do.
class DeviceTimeline final : public sim::EventSink, public runtime::PartSinks {
public:
    DeviceTimeline(Options const& options, std::uint32_t number, std::chrono::steady_clock::time_point start);

    /// Launches of this thread come from there, from now on.
    static void set_origin(Origin const& origin);

    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::launch); }
    void launch_begins(sim::LaunchBegin const& e) override;
    void launch_ends(sim::LaunchEnd const& e) override;
    bool listens_to(sim::LaunchContext const& launch) override;
    std::shared_ptr<sim::EventSink> part(sim::LaunchContext const& launch, std::uint32_t sm) override;

    /// A copy or the like that a stream has done. Times are picoseconds of simulated time; in functional mode those of
    /// now_ps().
    void work(Origin const& origin, std::string name, std::uint64_t bytes, std::uint64_t from,
              std::uint64_t until);
    std::uint64_t now_ps() const;
    /// Everything that was counted of a launch is known.
    void counted(sim::LaunchStatistics const& launch);
    void name_stream(std::uint64_t number, std::string name);
    void write(TraceFile& file) const;
    bool was_cut() const;

private:
    struct Slice {
        Origin origin;
        std::uint64_t from, until;
        std::string name;
        char const* category;
        Fields fields;
    };
    struct Launch {
        Origin origin;
        std::uint64_t base = 0;  // of its cycles
        std::uint64_t from = 0, until = 0;
        Slice* slice = nullptr;  // null: there is no room for it
    };
    struct Sample {
        std::uint64_t at;
        std::string name;
        double value;
    };

    bool is_timed() const { return options_.clock_mhz != 0; }
    std::uint64_t shown(std::uint64_t ps) const;
    Slice* add_slice(Origin const& origin, std::string name, char const* category, std::uint64_t from,
                     std::uint64_t until);
    void add_samples(Launch const& launch, sim::LaunchStatistics const& counted);

    Options const& options_;
    std::uint32_t const number_;
    std::chrono::steady_clock::time_point const start_;
    mutable std::mutex mutex_;
    std::map<std::uint64_t, Launch> launches_;  // by number
    std::map<std::uint64_t, std::string> streams_;
    std::deque<Slice> slices_;
    std::vector<Sample> samples_;
    std::map<std::uint32_t, std::unique_ptr<SmTracks>> sms_;
    bool is_full_ = false;
};

class Timeline {
public:
    explicit Timeline(Options options);

    /// Adds the sinks of one more device, in the order of their numbers.
    void observe(runtime::DeviceOptions& device);
    DeviceTimeline& device(std::size_t number) { return *devices_[number]; }
    void counted(sim::LaunchStatistics const& launch);
    /// A host thread begins a call, and has ended it; times as in DeviceTimeline::work().
    static void begin_call();
    void call(std::uint64_t thread, std::string_view function, std::string arguments, std::uint64_t from,
              std::uint64_t until);
    /// Writes the file, once. Returns what to tell of it.
    std::string finish();
    /// What the file would be, of one without a name.
    std::string text();

    /// Length of the samples for counters, if nobody wants another.
    static constexpr std::uint64_t interval_cycles = 500;

private:
    struct Call {
        std::uint64_t thread, number, from, until;
        std::string function, arguments;
    };
    std::string write(bool& was_cut) const;
    void write_calls(TraceFile& file) const;

    Options const options_;
    std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    std::vector<std::shared_ptr<DeviceTimeline>> devices_;
    std::vector<Call> calls_;
    bool is_finished_ = false;
};

}  // namespace warpsim::timeline
