// Lines that a user at a terminal edits, takes up again, and has completed. Made by a module of its own, which is loaded when it
// is wanted: programs that are not debugged need nothing of it.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::debug {

class LineEditor {
public:
    virtual ~LineEditor() = default;
    /// Without its end of line; none: there will be no more.
    virtual std::optional<std::string> read_line(std::string const& prompt) = 0;
    /// Takes back what was typed so far. A handler of signals, on any thread, may call it.
    virtual void give_up() = 0;
};

/// The words that the last word of a line may become.
using Completions = std::function<std::vector<std::string>(std::string const& line)>;

/// The only symbol of the module libwarpsim_line_editor.so. Null: it cannot be used with that terminal.
inline constexpr char make_line_editor_symbol[] = "warpsim_make_line_editor";
using MakeLineEditor = LineEditor* (*)(std::FILE* in, std::FILE* out, Completions const& completions);

/// Null: this was built without libedit, or the terminal is none that it knows.
std::unique_ptr<LineEditor> make_line_editor(std::FILE* in, std::FILE* out, Completions const& completions);

/// Where the last word of a line begins.
inline std::size_t last_word_at(std::string const& line) {
    std::size_t const blank = line.find_last_of(" \t");
    return blank == std::string::npos ? 0 : blank + 1;
}

}  // namespace warpsim::debug
