// What is wrong with a PTX text, and where: collected, never thrown.
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

/// The findings of one source text, in the order they were made. A note belongs to the finding before it.
class Diagnostics {
public:
    explicit Diagnostics(Source const& source) : source_(&source) {}

    void error(std::string_view where, std::string message) { add(Severity::error, where, std::move(message)); }
    void warning(std::string_view where, std::string message) { add(Severity::warning, where, std::move(message)); }
    void note(std::string_view where, std::string message) { add(Severity::note, where, std::move(message)); }

    std::size_t error_count() const { return error_count_; }
    std::vector<Diagnostic> const& list() const { return list_; }
    Source const& source() const { return *source_; }

    /// All findings as a compiler prints them (`file:line:col: error: ...`, source line, caret), at most
    /// `max_errors` errors and one line that counts the rest. 0 means no limit.
    std::string render(std::size_t max_errors = 20) const;

private:
    void add(Severity severity, std::string_view where, std::string message);

    Source const* source_;
    std::vector<Diagnostic> list_;
    std::size_t error_count_ = 0;
};

/// One finding with its source line and caret range, ending in a newline.
std::string render(Source const& source, Diagnostic const& diagnostic);

/// The candidate nearest to `word` by edit distance when it is near enough to be a likely slip, else empty.
std::string_view nearest(std::string_view word, std::vector<std::string_view> const& candidates);

}  // namespace warpsim::frontend
