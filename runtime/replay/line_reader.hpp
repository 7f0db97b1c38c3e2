// The words of a text, line by line, and errors that point to them.
#pragma once

#include "frontend/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::replay {

/// Throws Error(ptx): file, line, column, the line and a caret.
[[noreturn]] void fail_at(frontend::Source const& source, std::string_view where, std::string const& message);

class LineReader {
public:
    explicit LineReader(frontend::Source const& source) : source_(source), rest_(source.text()) {}

    /// Goes to the next line that is not empty. False at the end.
    bool next_line();
    std::string_view line() const { return line_; }
    /// What follows in the line, and back to it.
    std::string_view rest() const { return left_; }
    void go_back(std::string_view rest) { left_ = rest; }
    /// The next word of the line; empty at its end.
    std::string_view word();
    /// The same, which must be there; `what` says what is missing.
    std::string_view expect(std::string_view what);
    /// Numbers, of which `most` is the largest.
    std::uint64_t decimal(std::string_view what, std::uint64_t most);
    std::uint64_t hex(std::string_view what, std::uint64_t most = UINT64_MAX);
    std::int64_t signed_decimal(std::string_view what);

    [[noreturn]] void fail(std::string_view where, std::string const& message) const {
        fail_at(source_, where, message);
    }
    /// At what follows in the line.
    [[noreturn]] void fail_here(std::string const& message) const { fail(left_.substr(0, 1), message); }

private:
    frontend::Source const& source_;
    std::string_view rest_, line_, left_;
};

/// The whole word as a number to this base; a leading 0x is part of one to base 16.
std::optional<std::uint64_t> number_of(std::string_view word, int base);
/// The same of a decimal one that may be negative.
std::optional<std::int64_t> signed_number_of(std::string_view word);

}  // namespace warpsim::replay
