#include "runtime/timeline/trace_file.hpp"

#include "sim/error.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace warpsim::timeline {

namespace {

void add_quoted(std::string& to, std::string_view text) {
    to += '"';
    for (char const c : text) {
        if (c == '"' || c == '\\') (to += '\\') += c;
        else if (c == '\n') to += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20) to += ' ';
        else to += c;
    }
    to += '"';
}

std::string failure(std::string const& path) {
    return "cannot write the timeline to '" + path + "': " + std::strerror(errno);
}

}  // namespace

void Fields::add_key(std::string_view key) {
    if (!text_.empty()) text_ += ',';
    add_quoted(text_, key);
    text_ += ':';
}

Fields& Fields::add(std::string_view key, std::string_view value) {
    add_key(key);
    add_quoted(text_, value);
    return *this;
}

Fields& Fields::add(std::string_view key, std::uint64_t value) {
    add_key(key);
    text_ += std::to_string(value);
    return *this;
}

Fields& Fields::add(std::string_view key, double value) {
    add_key(key);
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", value);
    text_ += number;
    return *this;
}

/// A plain file, or a compressed one.
class TraceFile::Output {
public:
    explicit Output(std::string const& path) {
        if (path.ends_with(".gz")) packed_ = gzopen(path.c_str(), "wb6");
        else plain_ = std::fopen(path.c_str(), "wb");
        if (packed_ == nullptr && plain_ == nullptr) throw Error(ErrorKind::usage, failure(path));
    }
    ~Output() { close(); }
    Output(Output const&) = delete;
    Output& operator=(Output const&) = delete;

    void write(std::string const& text) {
        if (text.empty()) return;
        is_good_ =
            is_good_ && (packed_ != nullptr ? gzwrite(packed_, text.data(), static_cast<unsigned>(text.size())) > 0
                                            : std::fwrite(text.data(), 1, text.size(), plain_) == text.size());
    }
    /// False if anything was not written.
    bool close() {
        if (packed_ != nullptr) is_good_ = (gzclose(packed_) == Z_OK) && is_good_;
        if (plain_ != nullptr) is_good_ = (std::fclose(plain_) == 0) && is_good_;
        packed_ = nullptr;
        plain_ = nullptr;
        return is_good_;
    }

private:
    gzFile packed_ = nullptr;
    std::FILE* plain_ = nullptr;
    bool is_good_ = true;
};

TraceFile::TraceFile(std::string path, Fields const& about)
    : path_(std::move(path)), output_(path_.empty() ? nullptr : std::make_unique<Output>(path_)) {
    text_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{" + about.text() + "},\n\"traceEvents\":[";
}

TraceFile::~TraceFile() = default;

void TraceFile::write() {
    output_->write(text_);
    text_.clear();
}

void TraceFile::add_time(char const* key, std::uint64_t time) {
    char text[48];  // the format counts in microseconds
    std::snprintf(text, sizeof text, ",\"%s\":%llu.%03u", key, static_cast<unsigned long long>(time / 1000),
                  static_cast<unsigned>(time % 1000));
    text_ += text;
}

void TraceFile::begin_event(char phase, Track track, std::string_view name) {
    text_ += is_first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    is_first_ = false;
    text_ += phase;
    text_ +=
        "\",\"pid\":" + std::to_string(track.group) + ",\"tid\":" + std::to_string(track.number) + ",\"name\":";
    add_quoted(text_, name);
}

void TraceFile::end_event(Fields const& fields) {
    if (!fields.text().empty()) text_ += ",\"args\":{" + fields.text() + "}";
    text_ += '}';
    constexpr std::size_t enough = 1 << 16;
    if (output_ && text_.size() > enough) write();
}

void TraceFile::name(char const* what, Track track, std::string_view name) {
    begin_event('M', track, what);
    end_event(Fields().add("name", name));
    // In the order of the numbers, not of the names.
    std::string const order = std::string(what).substr(0, std::string_view(what).find('_')) + "_sort_index";
    begin_event('M', track, order);
    end_event(Fields().add("sort_index", std::uint64_t{what[0] == 'p' ? track.group : track.number}));
}

void TraceFile::name_group(std::uint32_t group, std::string_view text) { name("process_name", {group, 0}, text); }

void TraceFile::name_track(Track track, std::string_view text) { name("thread_name", track, text); }

void TraceFile::slice(Track track, std::uint64_t begin, std::uint64_t length, std::string_view name,
                      char const* category, Fields const& fields, ArrowEnd arrow) {
    begin_event('X', track, name);
    (text_ += ",\"cat\":\"") += category;
    text_ += '"';
    add_time("ts", begin);
    add_time("dur", length);
    if (arrow.number != 0) {
        text_ += ",\"bind_id\":\"" + std::to_string(arrow.number) + "\",";
        text_ += arrow.is_tail ? "\"flow_out\":true" : "\"flow_in\":true";
    }
    end_event(fields);
}

void TraceFile::mark(Track track, std::uint64_t at, std::string_view name, Fields const& fields) {
    begin_event('i', track, name);
    add_time("ts", at);
    text_ += ",\"s\":\"t\"";
    end_event(fields);
}

void TraceFile::counter(std::uint32_t group, std::uint64_t at, std::string_view name, double value) {
    begin_event('C', {group, 0}, name);
    add_time("ts", at);
    end_event(Fields().add("value", value));
}

std::string TraceFile::finish() {
    text_ += "\n]}\n";
    if (!output_) return std::move(text_);
    write();
    if (!output_->close()) throw Error(ErrorKind::usage, failure(path_));
    return {};
}

}  // namespace warpsim::timeline
