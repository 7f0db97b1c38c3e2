// What launches counted, as JSON for programs and as a table for people. Rates are derived here and nowhere else.
#pragma once

#include "sim/statistics.hpp"

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace warpsim::statistics {

/// What all launches of a process have in common.
struct Session {
    std::string config;  // the configuration's name
    std::string mode = "functional";
    int threads = 0;  // host threads in use
};

/// One element of `launches`, as JSON.
std::string to_json(sim::LaunchStatistics const& launch);

/// The rates and counts of one launch for reading: several lines, no newline at the end.
std::string to_table(sim::LaunchStatistics const& launch);

/// `value` as a JSON string, quotes included; bytes that are no UTF-8 are replaced.
std::string json_string(std::string_view value);

/// The statistics file: a whole JSON object (schema "warpsim-stats/1") after each launch. Only what changed is
/// rewritten, so that a program with many launches does not pay for all of them at each.
class File {
public:
    /// "%p" in `path` becomes the process id; "-" is standard output, written when the File ends.
    /// Throws Error(usage) when the file cannot be written.
    File(std::string const& path, Session session);
    ~File();
    File(File const&) = delete;
    File& operator=(File const&) = delete;

    void add(sim::LaunchStatistics const& launch);

private:
    std::string tail() const;
    void write_tail();

    std::string path_;
    Session session_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::ofstream file_;
    std::string text_;  // for "-"
    std::uint64_t launches_ = 0;
    bool to_stdout_ = false;
};

}  // namespace warpsim::statistics
