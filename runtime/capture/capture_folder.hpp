// Writes launches that a device has captured, each as a plan in a folder of its own.
#pragma once

#include "runtime/launch_capture.hpp"

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace warpsim::capture {

/// What all launches of a process have in common.
struct Run {
    std::string config;            // a built-in one's name
    std::string config_effective;  // JSON of the whole; empty: `config` says it all
    std::string mode;
};

class CaptureFolder {
public:
    /// Throws Error(usage) when the folder cannot be made.
    CaptureFolder(std::string folder, Run run);

    /// Writes FOLDER/NNNN-KERNEL/plan.json with its files, numbered in the order of the ends of launches. A launch that cannot
    /// be repeated is told of in the log, once for each kernel. From any thread. Throws Error(usage) for what cannot be written.
    void write(runtime::CapturedLaunch const& launch);
    /// "12 launches captured in FOLDER"
    std::string summary() const;

private:
    std::string const folder_;
    Run const run_;
    mutable std::mutex mutex_;
    std::uint64_t next_ = 0, written_ = 0;
    std::set<std::string> refused_;  // kernels
};

}  // namespace warpsim::capture
