#include "runtime/statistics/statistics.hpp"

#include "sim/error.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace warpsim::statistics {

namespace {

bool ends_with(std::string const& path, std::string_view extension) {
    return std::string_view(path).substr(path.size() - std::min(path.size(), extension.size())) == extension;
}

std::string indented(std::string const& json) {
    std::string text = "    ";
    for (char const c : json) {
        text += c;
        if (c == '\n') text += "    ";
    }
    return text;
}

}  // namespace

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
    text_ = "{\n  \"schema\": \"warpsim-stats/1\",\n  \"config\": " + json_string(session_.config) +
            ",\n  \"mode\": " + json_string(session_.mode) + ",\n  \"launches\": [";
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
    // All launches of a process have the same columns, as they run in one mode.
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
    if (is_csv_) return add_row(launch);
    executed_ += launch.instructions.warp;
    compiled_ += launch.compiled;
    std::string const json = (launches_++ == 0 ? "\n" : ",\n") + indented(to_json(launch));
    if (to_stdout_) {
        text_ += json;
        return;
    }
    file_ << json;
    write_tail();
    if (!file_) fail();
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
    return tail + "\n}\n";
}

void File::write_tail() {
    auto const position = file_.tellp();
    file_ << tail();
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
