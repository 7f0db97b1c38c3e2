// The counts of launches, as JSON for programs and as a table for people. Rates are derived here and nowhere else.
#pragma once

#include "runtime/statistics/light.hpp"
#include "sim/statistics.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::statistics {

/// What all launches of a process have in common.
struct Session {
    std::string config;  // the configuration's name
    std::string mode = "functional";
    int threads = 0;                          // host threads in use
    bool is_builtin = false;                  // the configuration
    std::string command = {};                 // words, separated by spaces
    std::vector<std::string> overrides = {};  // KEY=VALUE, of the configuration
    std::string config_effective = {};        // all of it as JSON, with the overrides
    std::string plan_sha256 = {};             // of the plan's text; empty: there is none
};

/// How a run has ended.
struct Ending {
    std::string status = "interrupted";  // "ok", "fault" or "interrupted", as it is if nothing more is said
    std::string fault = {};              // the first, as JSON; empty: none
};

/// What the file says before its launches, up to the bracket that begins their list.
std::string file_head(Session const& session);
/// What it says behind them of the run: , "module_sha256": ..., "status": ..., "fault": ... `modules`: hashes, each once.
std::string file_ending(Ending const& ending, std::vector<std::string> const& modules);

/// One element of `launches`, as JSON.
std::string to_json(sim::LaunchStatistics const& launch);

/// The rates and counts of one launch for people to read: several lines, no newline at the end. Without `peaks` it does
/// not say how near the caches come to theirs. Lines of more than `width` characters are broken behind a comma.
std::string to_table(sim::LaunchStatistics const& launch, Peaks const& peaks = {}, std::size_t width = SIZE_MAX);

/// `value` as a JSON string, quotes included; bytes that are no UTF-8 are replaced.
std::string json_string(std::string_view value);
/// JSON text without white space between its parts.
std::string on_one_line(std::string const& json);
/// The name of a file, with the process's number for %p.
std::string with_process_id(std::string path);

/// A launch as a row of a table: the names of its columns ("l1.hit_rate" stands for a key inside an object of the
/// JSON) and its values. Lists of samples are left out.
struct Row {
    std::string names;  // separated by commas, no newline
    std::string values;
};
Row to_csv(sim::LaunchStatistics const& launch);

/// The samples of a launch as lines of a table, each with a newline: the first line names the columns; empty
/// without samples.
std::string intervals_to_csv(sim::LaunchStatistics const& launch);

/// What each PTX line and, where the PTX names them, each source line did: tables for reading, and one element of
/// `launches` as JSON.
std::string profile_to_text(sim::LaunchStatistics const& launch);
std::string profile_to_json(sim::LaunchStatistics const& launch);
/// The members "lines" and "sources" of that.
std::string lines_to_json(std::vector<sim::LineProfile> const& lines);

/// The profile file: JSON (schema "warpsim-profile/1") when its name ends with .json, else text. Complete after
/// each launch.
class ProfileFile {
public:
    /// "%p" and "-" as in File.
    explicit ProfileFile(std::string const& path);
    ~ProfileFile();
    ProfileFile(ProfileFile const&) = delete;
    ProfileFile& operator=(ProfileFile const&) = delete;

    void add(sim::LaunchStatistics const& launch);

private:
    std::string path_;
    bool is_json_;
    std::ofstream file_;
    std::string text_;  // for "-"
    std::uint64_t launches_ = 0;
};

/// The statistics file: a complete JSON object (schema "warpsim-stats/1") after each launch. Only what changed is
/// rewritten, so that a program with many launches does not pay for all of them each time. With a name that ends
/// with .csv, a table with a row for each launch; its samples go to NAME.intervals.csv.
class File {
public:
    /// "%p" in `path` becomes the process id; "-" is standard output, written when the File ends.
    /// Throws Error(usage) when the file cannot be written.
    File(std::string const& path, Session session);
    ~File();
    File(File const&) = delete;
    File& operator=(File const&) = delete;

    void add(sim::LaunchStatistics const& launch);
    /// Until this is called the file says that the run was interrupted, as it would be if nothing followed.
    void end(Ending ending);

private:
    std::string tail() const;
    void write_tail();
    void add_row(sim::LaunchStatistics const& launch);
    [[noreturn]] void fail() const;

    std::string path_;
    Session session_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::ofstream file_;
    std::string text_;  // for "-"
    std::uint64_t launches_ = 0;
    std::uint64_t executed_ = 0, compiled_ = 0;  // warp instructions, and those of them by native code
    bool to_stdout_ = false;
    bool is_csv_ = false;
    std::size_t tail_bytes_ = 0;
    std::vector<std::string> modules_;  // hashes, each once
    Ending ending_;
    std::string columns_;  // of the rows written so far
    std::ofstream intervals_;
};

}  // namespace warpsim::statistics
