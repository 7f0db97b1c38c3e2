// What is wrong with a PTX text, and where. Diagnostics are collected, never thrown.
#pragma once

#include "frontend/source.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpsim::frontend {

enum class Severity : std::uint8_t { error, warning, note };

struct Diagnostic {
    Severity severity = Severity::error;
    Span span;
    std::string message;
};

/// The messages about one source text, in the order they were made. A note belongs to the message before it.
class Diagnostics {
public:
    explicit Diagnostics(Source const& source) : source_(&source) {}

    void error(std::string_view where, std::string message) {
        add(Severity::error, source_->span(where), std::move(message));
    }
    void warning(std::string_view where, std::string message) {
        add(Severity::warning, source_->span(where), std::move(message));
    }
    void note(std::string_view where, std::string message) {
        add(Severity::note, source_->span(where), std::move(message));
    }

    /// A note at the same place as the message before it: what is legal there, or how it is written.
    void advice(std::string message);

    std::size_t error_count() const { return error_count_; }
    std::vector<Diagnostic> const& list() const { return list_; }
    Source const& source() const { return *source_; }

    struct Shown {
        std::vector<Diagnostic const*> findings;
        std::size_t errors_left_out = 0;
    };
    /// What a user is shown: ordered by place, each message with its notes, without duplicates, at most
    /// `max_errors` errors (0: no limit), and warnings only when wanted.
    Shown shown(std::size_t max_errors, bool with_warnings = true) const;
    /// The same as a compiler prints it (`file:line:col: error: ...`, source line, caret), followed by a line that
    /// counts what was left out.
    std::string render(std::size_t max_errors = 20, bool with_warnings = true) const;

private:
    void add(Severity severity, Span span, std::string message);

    Source const* source_;
    std::vector<Diagnostic> list_;
    std::size_t error_count_ = 0;
};

/// One message, with its source line and a caret under the range if wanted, ending in a newline. Further lines of
/// the message are indented.
std::string render(Source const& source, Diagnostic const& diagnostic, bool with_excerpt = true);

/// The candidate nearest to `word` by edit distance if it is near enough to be a likely slip, else empty. Only
/// letters count: `%p1` is not suggested for `%q1`, nor `A` for `B`; case may differ.
std::string_view nearest(std::string_view word, std::vector<std::string_view> const& candidates);
/// "; did you mean 'x'?", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, std::vector<std::string_view> const& candidates);

}  // namespace warpsim::frontend
