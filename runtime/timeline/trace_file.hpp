// Writes events in Chrome's trace format, which Perfetto reads too. Times are whole nanoseconds of the viewer's clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace warpsim::timeline {

/// Where an event is shown: a group of tracks, and a track of it. The viewers call them process and thread.
struct Track {
    std::uint32_t group = 0, number = 0;
};

/// One end of an arrow between slices; all ends with one number belong together. Number 0: there is none.
struct ArrowEnd {
    std::uint64_t number = 0;
    bool is_tail = false;  // where it comes from
};

/// Arguments of an event, as the inside of a JSON object.
class Fields {
public:
    Fields& add(std::string_view key, std::string_view value);
    Fields& add(std::string_view key, std::uint64_t value);
    Fields& add(std::string_view key, double value);
    std::string const& text() const { return text_; }

private:
    void add_key(std::string_view key);
    std::string text_;
};

/// The file is complete when this has been destroyed; compressed where its name ends with .gz.
class TraceFile {
public:
    /// `about`: what the file says of itself. No path: there is no file. Throws Error(usage) when it cannot be written.
    TraceFile(std::string path, Fields const& about);
    ~TraceFile();
    TraceFile(TraceFile const&) = delete;
    TraceFile& operator=(TraceFile const&) = delete;

    void name_group(std::uint32_t group, std::string_view name);
    void name_track(Track track, std::string_view name);
    /// `category`: what kind of slice it is.
    void slice(Track track, std::uint64_t begin, std::uint64_t length, std::string_view name, char const* category,
               Fields const& fields, ArrowEnd arrow = {});
    void mark(Track track, std::uint64_t at, std::string_view name, Fields const& fields);
    void counter(std::uint32_t group, std::uint64_t at, std::string_view name, double value);
    /// Throws Error(usage) if anything could not be written. Returns what is in no file.
    std::string finish();

private:
    void begin_event(char phase, Track track, std::string_view name);
    void end_event(Fields const& fields);
    void name(char const* what, Track track, std::string_view name);
    void add_time(char const* key, std::uint64_t time);
    void write();

    class Output;
    std::string const path_;
    std::unique_ptr<Output> output_;
    std::string text_;  // that has not been written yet
    bool is_first_ = true;
};

}  // namespace warpsim::timeline
