#include "runtime/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>

namespace warpsim::log {

namespace {

/// With colours on a terminal, unless the user wants none anywhere (https://no-color.org).
spdlog::color_mode automatic() {
    char const* const no_color = std::getenv("NO_COLOR");
    return no_color != nullptr && *no_color != 0 ? spdlog::color_mode::never : spdlog::color_mode::automatic;
}

// A pattern belongs to a sink, so texts with and without a head need one each.
struct Loggers {
    using Sink = spdlog::sinks::stderr_color_sink_mt;
    std::shared_ptr<Sink> headed = std::make_shared<Sink>(automatic());
    std::shared_ptr<Sink> bare = std::make_shared<Sink>(automatic());
    spdlog::logger with_head{"warpsim", headed};
    spdlog::logger without_head{"warpsim-plain", bare};

    Loggers() {
        headed->set_pattern("%^%l:%$ %v");
        bare->set_pattern("%v");
        set_level(spdlog::level::warn);
    }
    void set_level(spdlog::level::level_enum level) {
        with_head.set_level(level);
        without_head.set_level(level);
        with_head.flush_on(spdlog::level::trace);
        without_head.flush_on(spdlog::level::trace);
    }
};

// A process has one stderr, so it has one log. It is never destroyed: kernels of a program that ends may still
// have faults to tell.
Loggers& loggers() {
    static auto& all = *new Loggers;
    return all;
}

spdlog::level::level_enum level_of(Level level) {
    switch (level) {
        case Level::error: return spdlog::level::err;
        case Level::warning: return spdlog::level::warn;
        case Level::info: return spdlog::level::info;
        case Level::debug: return spdlog::level::debug;
    }
    return spdlog::level::err;
}

bool is_new(std::string const& about) {
    static std::mutex mutex;
    static auto& told = *new std::set<std::string>;
    std::lock_guard const lock(mutex);
    return told.insert(about).second;
}

void say(Level level, std::string_view message) {
    loggers().with_head.log(level_of(level), spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace

void configure(Level level, Color color) {
    Loggers& all = loggers();
    all.set_level(level_of(level));
    spdlog::color_mode const mode = color == Color::always  ? spdlog::color_mode::always
                                    : color == Color::never ? spdlog::color_mode::never
                                                            : automatic();
    all.headed->set_color_mode(mode);
    all.bare->set_color_mode(mode);
}

bool shown(Level level) { return loggers().with_head.should_log(level_of(level)); }

void error(std::string_view message) { say(Level::error, message); }
void warning(std::string_view message) { say(Level::warning, message); }
void warning_once(std::string const& about, std::string_view message) {
    if (is_new(about)) warning(message);
}
void info(std::string_view message) { say(Level::info, message); }
void debug(std::string_view message) { say(Level::debug, message); }

void failure(std::string_view text) {
    std::string_view const first_line = text.substr(0, text.find('\n'));
    bool const has_head = first_line.starts_with("error:") ||
                          first_line.find(": error:") != std::string_view::npos ||
                          first_line.find(": warning:") != std::string_view::npos;
    if (has_head) plain(Level::error, text);
    else error(text);
}

void failure_once(std::string_view text) {
    if (is_new(std::string(text))) failure(text);
}

void plain(Level level, std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    loggers().without_head.log(level_of(level), spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace warpsim::log
