#include "runtime/statistics/statistics.hpp"

#include "sim/error.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace warpsim::statistics {

namespace {

std::string with_process_id(std::string path) {
    auto const at = path.find("%p");
    return at == std::string::npos ? path : path.replace(at, 2, std::to_string(getpid()));
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

// The file is head, launches, tail. `host`, which changes with every launch, is in the tail, and a launch is
// written over the tail before it: so the file is whole after each.
File::File(std::string const& path, Session session)
    : path_(with_process_id(path)), session_(std::move(session)), to_stdout_(path == "-") {
    text_ = "{\n  \"schema\": \"warpsim-stats/1\",\n  \"config\": " + json_string(session_.config) +
            ",\n  \"mode\": " + json_string(session_.mode) + ",\n  \"launches\": [";
    if (to_stdout_) return;
    file_.open(path_, std::ios::binary | std::ios::trunc);
    file_ << text_;
    write_tail();
    if (!file_)
        throw Error(ErrorKind::usage, "cannot write statistics to '" + path_ + "': " + std::strerror(errno));
}

File::~File() {
    if (!to_stdout_) return;
    text_ += tail();
    std::fwrite(text_.data(), 1, text_.size(), stdout);
    std::fflush(stdout);
}

void File::add(sim::LaunchStatistics const& launch) {
    std::string const json = (launches_++ == 0 ? "\n" : ",\n") + indented(to_json(launch));
    if (to_stdout_) {
        text_ += json;
        return;
    }
    file_ << json;
    write_tail();
    if (!file_)
        throw Error(ErrorKind::usage, "cannot write statistics to '" + path_ + "': " + std::strerror(errno));
}

std::string File::tail() const {
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    char text[64];
    std::snprintf(text, sizeof text, "%.6f", seconds);
    return std::string(launches_ == 0 ? "" : "\n  ") +
           "],\n  \"host\": {\"threads\": " + std::to_string(session_.threads) + ", \"seconds\": " + text +
           "}\n}\n";
}

void File::write_tail() {
    auto const position = file_.tellp();
    file_ << tail();
    file_.flush();
    file_.seekp(position);
}

}  // namespace warpsim::statistics
