// Lines between the debugger and whoever talks to it.
#pragma once

#include "runtime/debug/line_editor/line_editor.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::debug {

class Channel {
public:
    virtual ~Channel() = default;
    /// Without its end of line; none: there will be no more.
    virtual std::optional<std::string> read_line(std::string const& prompt) = 0;
    virtual void write(std::string_view text) = 0;
    /// What a word may become that the user is typing; where there is a choice, the user's keys ask for it.
    virtual void complete_by(Completions const&) {}
    /// Whether a person sits at the other end, who sees prompts and may repeat a command by an empty line.
    virtual bool is_terminal() const = 0;
};

/// Over two files, which stay open.
class FileChannel final : public Channel {
public:
    FileChannel(std::FILE* in, std::FILE* out, bool is_terminal) : in_(in), out_(out), is_terminal_(is_terminal) {}
    std::optional<std::string> read_line(std::string const& prompt) override;
    void write(std::string_view text) override;
    bool is_terminal() const override { return is_terminal_; }
    void complete_by(Completions const& completions) override;
    /// Whether what was typed can be taken back, which a handler of signals may do.
    bool edits() const { return editor_ != nullptr; }
    void give_up() { editor_->give_up(); }

private:
    std::FILE* const in_;
    std::FILE* const out_;
    bool const is_terminal_;
    std::unique_ptr<LineEditor> editor_;  // null: lines come as they are
};

}  // namespace warpsim::debug
