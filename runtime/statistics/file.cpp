#include "runtime/statistics/statistics.hpp"

#include "sim/error.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace warpsim::statistics {

namespace {

bool ends_with(std::string const& path, std::string_view extension) {
    return std::string_view(path).substr(path.size() - std::min(path.size(), extension.size())) == extension;
}

std::string indented(std::string const& json, std::string const& by) {
    std::string text;
    for (char const c : json) {
        text += c;
        if (c == '\n') text += by;
    }
    return text;
}

std::string list_of(std::vector<std::string> const& texts) {
    std::string list;
    for (std::string const& text : texts) list += (list.empty() ? "" : ", ") + json_string(text);
    return "[" + list + "]";
}

}  // namespace

std::string file_head(Session const& session) {
    auto const line = [](std::string const& key, std::string const& value) {
        return ",\n  \"" + key + "\": " + value;
    };
    return "{\n  \"schema\": \"warpsim-stats/1\"" + line("version", json_string(WARPSIM_VERSION)) +
           line("command", json_string(session.command)) + line("config", json_string(session.config)) +
           line("overrides", list_of(session.overrides)) +
           line("config_effective", session.config_effective.empty() ? "null" : session.config_effective) +
           (session.plan_sha256.empty() ? "" : line("plan_sha256", json_string(session.plan_sha256))) +
           line("mode", json_string(session.mode)) + ",\n  \"launches\": [";
}

std::string file_ending(Ending const& ending, std::vector<std::string> const& modules) {
    std::string text;
    if (!modules.empty())
        text += ",\n  \"module_sha256\": " + (modules.size() == 1 ? json_string(modules[0]) : list_of(modules));
    text += ",\n  \"status\": " + json_string(ending.status);
    if (!ending.fault.empty()) text += ",\n  \"fault\": " + indented(ending.fault, "  ");
    return text;
}

std::string with_process_id(std::string path) {
    auto const at = path.find("%p");
    return at == std::string::npos ? path : path.replace(at, 2, std::to_string(getpid()));
}

// The file consists of a head, the launches and a tail. `host`, which changes with every launch, is in the tail. A
// launch overwrites the tail and writes it again behind itself, so that the file is complete after each.
File::File(std::string const& path, Session session)
    : path_(with_process_id(path)),
      session_(std::move(session)),
      to_stdout_(path == "-"),
      is_csv_(ends_with(path, ".csv")) {
    if (is_csv_) {
        file_.open(path_, std::ios::binary | std::ios::trunc);
        if (!file_) fail();
        return;
    }
    text_ = file_head(session_);
    if (to_stdout_) return;
    file_.open(path_, std::ios::binary | std::ios::trunc);
    file_ << text_;
    write_tail();
    if (!file_) fail();
}

void File::fail() const {
    throw Error(ErrorKind::usage, "cannot write statistics to '" + path_ + "': " + std::strerror(errno));
}

File::~File() {
    if (!to_stdout_) return;
    text_ += tail();
    std::fwrite(text_.data(), 1, text_.size(), stdout);
    std::fflush(stdout);
}

void File::add_row(sim::LaunchStatistics const& launch) {
    Row const row = to_csv(launch);
    if (row.names != columns_) file_ << "launch," << row.names << '\n';
    columns_ = row.names;
    file_ << launches_ << ',' << row.values << '\n';
    file_.flush();
    if (!file_) fail();
    if (std::string const samples = intervals_to_csv(launch); !samples.empty()) {
        if (!intervals_.is_open()) {
            intervals_.open(path_.substr(0, path_.size() - 4) + ".intervals.csv",
                            std::ios::binary | std::ios::trunc);
            intervals_ << "launch," << samples.substr(0, samples.find('\n') + 1);
        }
        for (std::size_t at = samples.find('\n') + 1; at < samples.size();) {
            std::size_t const end = samples.find('\n', at) + 1;
            intervals_ << launches_ << ',' << samples.substr(at, end - at);
            at = end;
        }
        intervals_.flush();
        if (!intervals_) fail();
    }
    ++launches_;
}

void File::add(sim::LaunchStatistics const& launch) {
    // A table has the same columns for all launches of a run: in timing mode only those that were timed are rows.
    if (is_csv_) return session_.mode == "timing" && !launch.timing ? void(++launches_) : add_row(launch);
    executed_ += launch.instructions.warp;
    compiled_ += launch.compiled;
    std::string const& module = launch.module_sha256;
    if (!module.empty() && std::find(modules_.begin(), modules_.end(), module) == modules_.end())
        modules_.push_back(module);
    std::string const json = (launches_++ == 0 ? "\n    " : ",\n    ") + indented(to_json(launch), "    ");
    if (to_stdout_) {
        text_ += json;
        return;
    }
    file_ << json;
    write_tail();
    if (!file_) fail();
}

void File::end(Ending ending) {
    ending_ = std::move(ending);
    if (!file_.is_open() || is_csv_) return;
    write_tail();
    // What stood there may have been longer.
    std::error_code no_plain_file;
    std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(file_.tellp()) + tail_bytes_, no_plain_file);
}

std::string File::tail() const {
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    char text[64];
    std::snprintf(text, sizeof text, "%.6f", seconds);
    std::string tail = std::string(launches_ == 0 ? "" : "\n  ") +
                       "],\n  \"host\": {\"threads\": " + std::to_string(session_.threads) +
                       ", \"seconds\": " + text + "}";
    if (session_.mode == "functional") {
        auto const share = sim::share(compiled_, executed_);
        if (share) std::snprintf(text, sizeof text, "%.6f", *share);
        tail += ",\n  \"engine\": {\"compiled_share\": " + std::string(share ? text : "null") + "}";
    }
    tail += file_ending(ending_, modules_);
    return tail + "\n}\n";
}

void File::write_tail() {
    auto const position = file_.tellp();
    std::string const text = tail();
    tail_bytes_ = text.size();
    file_ << text;
    file_.flush();
    file_.seekp(position);
}

namespace {

constexpr char const* profile_head = "{\n  \"schema\": \"warpsim-profile/1\",\n  \"launches\": [";
constexpr char const* profile_tail = "\n  ]\n}\n";

}  // namespace

ProfileFile::ProfileFile(std::string const& path)
    : path_(with_process_id(path)), is_json_(ends_with(path, ".json")) {
    if (path_ == "-") return;
    file_.open(path_, std::ios::binary | std::ios::trunc);
    if (is_json_) file_ << profile_head << profile_tail;
    file_.flush();
    if (!file_)
        throw Error(ErrorKind::usage, "cannot write the profile to '" + path_ + "': " + std::strerror(errno));
}

ProfileFile::~ProfileFile() {
    std::fwrite(text_.data(), 1, text_.size(), stdout);
    std::fflush(stdout);
}

void ProfileFile::add(sim::LaunchStatistics const& launch) {
    if (!launch.timing) return;
    if (path_ == "-") {
        text_ += profile_to_text(launch);
        return;
    }
    if (is_json_) {
        file_.seekp(-static_cast<std::streamoff>(std::strlen(profile_tail)), std::ios::end);
        file_ << (launches_++ == 0 ? "\n" : ",\n") << profile_to_json(launch) << profile_tail;
    } else {
        file_ << (launches_++ == 0 ? "" : "\n") << profile_to_text(launch);
    }
    file_.flush();
    if (!file_)
        throw Error(ErrorKind::usage, "cannot write the profile to '" + path_ + "': " + std::strerror(errno));
}

}  // namespace warpsim::statistics
