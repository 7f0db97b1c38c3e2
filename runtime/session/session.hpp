// What accompanies the launches of a run: trace, progress line, statistics, profile.
#pragma once

#include "runtime/capture/capture_folder.hpp"
#include "runtime/check/checkers.hpp"
#include "runtime/check/fault_recorder.hpp"
#include "runtime/coverage/coverage.hpp"
#include "runtime/debug/debugger.hpp"
#include "runtime/launch.hpp"
#include "runtime/log.hpp"
#include "runtime/session/early_end.hpp"
#include "runtime/session/launch_choice.hpp"
#include "runtime/session/launch_progress.hpp"
#include "runtime/session/launch_watch.hpp"
#include "runtime/session/report_file.hpp"
#include "runtime/statistics/metrics.hpp"
#include "runtime/statistics/statistics.hpp"
#include "runtime/statistics/summary.hpp"
#include "runtime/timeline/timeline.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpsim::runtime {

struct LaunchFilter {
    std::vector<std::string> kernels;  // patterns, as LaunchChoice reads them
    std::uint64_t skip = 0, count = UINT64_MAX;
};

struct SessionOptions {
    statistics::Session about;          // what the statistics say of the run as a whole
    std::string stats;                  // file, "-" for standard output, empty for none
    std::string profile;                // the same
    std::uint64_t interval_cycles = 0;  // of samples in the statistics; 0: none
    sim::Banks banks{};                 // of the GPU's shared memory
    std::string trace;                  // as stats
    std::string trace_filter;
    check::Options check;
    timeline::Options timeline;  // without a file: none
    ReportOptions report;
    std::string coverage;                 // file, empty for none
    std::string capture;                  // folder, empty for none
    LaunchFilter chosen;                  // which launches checkers and coverage look at, and which are captured
    LaunchFilter timed;                   // ... timing mode times
    bool annotates = false;               // for GitHub, on standard output
    debug::Debugger* debugger = nullptr;  // outlives the session
    EarlyEnd::Options early_end;
    bool is_program = false;  // a CUDA program's own process, which nobody here can end well
    bool progress = false;    // a line on stderr for what takes over two seconds
    bool details = false;     // a table of each launch; else only at log level `debug`
    std::string metrics;      // names, separated by commas, empty for none
    statistics::MetricsLayout metrics_layout = statistics::MetricsLayout::table;
    statistics::Peaks peaks;
};

/// Must outlive the devices that its observers were given to.
class Session {
public:
    /// Throws Error(usage) when a file cannot be written.
    explicit Session(SessionOptions const& options);
    ~Session();
    Session(Session const&) = delete;
    Session& operator=(Session const&) = delete;

    /// Adds to a device's options what this session wants to see.
    void observe(DeviceOptions& device);
    /// Records a launch that has ended in whatever way; at log level `info` prints its table. From any thread.
    void launched(sim::LaunchStatistics const& launch, statistics::LaunchPlace const& place = {});
    /// Prints the final output; the session continues without it.
    void finish();
    /// Whether a checker has found anything.
    bool has_findings() const { return checkers_ && checkers_->has_findings(); }
    /// Whether the user has stopped it.
    bool was_interrupted() const;
    bool has_coverage() const { return coverage_ != nullptr; }
    /// How many launches have begun, as far as checkers count them.
    std::uint64_t launches() { return checkers_ ? checkers_->findings().next_launch() : 0; }
    /// Null if there is none.
    timeline::Timeline* timeline() { return timeline_.get(); }
    /// Null if nothing is checked.
    check::Checkers* checkers() { return checkers_.get(); }

private:
    bool shows_launches() const;
    void add_statistics(sim::LaunchStatistics const& launch);
    void add_lines(sim::LaunchStatistics const& launch);
    void print_metrics();
    /// Writes what is left to be written and said at the end, once; also of a run that ended early.
    void close();
    void end_early();
    void note_ending(bool is_complete);
    bool has_reports() const;

    SessionOptions const options_;
    std::mutex mutex_;
    std::unique_ptr<check::Checkers> checkers_;
    std::shared_ptr<coverage::Coverage> coverage_;
    std::unique_ptr<capture::CaptureFolder> capture_;
    std::shared_ptr<check::FaultRecorder> faults_;
    std::shared_ptr<LaunchChoice> choice_, timed_;
    std::shared_ptr<LaunchWatch> watch_;
    std::unique_ptr<timeline::Timeline> timeline_;
    std::shared_ptr<lines::LineCounts> line_counts_;
    std::unique_ptr<ReportFile> report_;
    std::unique_ptr<statistics::File> statistics_;
    statistics::Summary summary_;  // shown at log level `info`
    std::unique_ptr<statistics::MetricsReport> metrics_;
    std::unique_ptr<statistics::ProfileFile> profile_;
    LaunchProgressLine progress_;
    std::FILE* trace_ = nullptr;
    statistics::Ending ending_;
    bool is_closed_ = false;
    std::unique_ptr<EarlyEnd> early_end_;  // the first to go, as its thread uses all others
};

}  // namespace warpsim::runtime
