// Messages to the user: stderr, one line each, `warning: ...`. The only access to the logging library.
// Thread-safe. Output of kernels and programs does not go through it.
#pragma once

#include <string>
#include <string_view>

namespace warpsim::log {

enum class Level { error, warning, info, debug };  // of these and the more serious ones, what is shown
enum class Color { automatic, always, never };

/// Shown before any call: errors and warnings, coloured on a terminal.
void configure(Level level, Color color);
bool shown(Level level);

void error(std::string_view message);
void warning(std::string_view message);
/// Once a process for all messages about the same.
void failure_once(std::string_view text);
void warning_once(std::string const& about, std::string_view message);
void info(std::string_view message);   // -v
void debug(std::string_view message);  // -vv

/// A text that brings its own `file:line: error:` heads, such as rendered diagnostics: printed as it is.
void plain(Level level, std::string_view text);
/// The text of an Error: as it is when its first line has a head, else like error().
void failure(std::string_view text);

}  // namespace warpsim::log
