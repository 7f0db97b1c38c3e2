// What accompanies the launches of a run: trace, progress line, statistics, profile.
#pragma once

#include "runtime/check/checkers.hpp"
#include "runtime/launch.hpp"
#include "runtime/log.hpp"
#include "runtime/statistics/statistics.hpp"
#include "runtime/statistics/summary.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

namespace warpsim::runtime {

struct SessionOptions {
    statistics::Session about;          // what the statistics say of the run as a whole
    std::string stats;                  // file, "-" for standard output, empty for none
    std::string profile;                // the same
    std::uint64_t interval_cycles = 0;  // of samples in the statistics; 0: none
    std::string trace;                  // as stats
    std::string trace_filter;
    check::Options check;
    bool progress = false;  // a line on stderr for what takes over two seconds
    bool summary = false;  // at log level `info` a table of all kernels at the end, of each launch at `debug` only
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
    /// Records a launch that has ended; at log level `info` prints its table. From any thread.
    void launched(sim::LaunchStatistics const& launch);
    /// Prints the final output; the session continues without it.
    void finish();
    /// Whether a checker has found anything.
    bool has_findings() const { return checkers_ && checkers_->has_findings(); }
    /// Null if nothing is checked.
    check::Checkers* checkers() { return checkers_.get(); }

private:
    log::Level table_level() const;

    SessionOptions const options_;
    std::mutex mutex_;
    std::unique_ptr<check::Checkers> checkers_;
    std::unique_ptr<statistics::File> statistics_;
    statistics::Summary summary_;
    std::unique_ptr<statistics::ProfileFile> profile_;
    class Progress;
    std::unique_ptr<Progress> progress_;
    std::FILE* trace_ = nullptr;
};

}  // namespace warpsim::runtime
