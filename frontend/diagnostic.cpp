#include "frontend/diagnostic.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

/// A line of machine-made PTX may hold megabytes: only this much of it is shown around the place.
constexpr std::size_t window = 160;

char const* name_of(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: break;
    }
    return "note";
}

/// The part of a line that is shown: tabs and what cannot be printed have become one column each.
struct Excerpt {
    std::string text;
    std::size_t caret = 0;
    std::size_t length = 1;
};

char printable(char c) {
    if (c == '\t') return ' ';
    return c >= ' ' && c <= '~' ? c : '?';
}

Excerpt excerpt(std::string_view line, std::size_t column, std::size_t length) {
    std::size_t begin = 0;
    std::size_t end = line.size();
    if (line.size() > window) {
        begin = column > window / 3 ? std::min(column - window / 3, line.size()) : 0;
        end = std::min(begin + window, line.size());
    }
    Excerpt result;
    if (begin > 0) result.text = "...";
    result.caret = result.text.size() + column - begin;
    std::transform(line.begin() + static_cast<std::ptrdiff_t>(begin),
                   line.begin() + static_cast<std::ptrdiff_t>(end), std::back_inserter(result.text), printable);
    std::size_t const shown = column < end ? end - column : 0;
    result.length = std::max<std::size_t>(1, std::min(length, shown));
    if (end < line.size()) result.text += "...";
    return result;
}

std::string counted(std::size_t count, char const* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The number of letters to insert, delete, replace or swap with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

void Diagnostics::add(Severity severity, std::string_view where, std::string message) {
    list_.push_back({severity, source_->span(where), std::move(message)});
    if (severity == Severity::error) ++error_count_;
}

std::string render(Source const& source, Diagnostic const& diagnostic) {
    LineColumn const place = source.position(diagnostic.span.offset);
    std::string result = source.name() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
                         ": " + name_of(diagnostic.severity) + ": " + diagnostic.message + "\n";
    std::string number = std::to_string(place.line);
    number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
    Excerpt const shown = excerpt(source.line(place.line), place.column - 1, diagnostic.span.length);
    result += number + " | " + shown.text + "\n";
    result += std::string(number.size(), ' ') + " | " + std::string(shown.caret, ' ') + "^"
            + std::string(shown.length - 1, '~') + "\n";
    return result;
}

std::string Diagnostics::render(std::size_t max_errors) const {
    std::string result;
    std::size_t errors = 0;
    for (Diagnostic const& diagnostic : list_) {
        if (diagnostic.severity == Severity::error && max_errors != 0 && errors == max_errors) {
            result += source_->name() + ": " + counted(error_count_ - errors, "more error") + " not shown\n";
            break;
        }
        if (diagnostic.severity == Severity::error) ++errors;
        result += frontend::render(*source_, diagnostic);
    }
    return result;
}

std::string_view nearest(std::string_view word, std::vector<std::string_view> const& candidates) {
    // A third of the letters may be wrong; a longer word than this is no slip, and the search is quadratic.
    constexpr std::size_t longest = 64;
    if (word.empty() || word.size() > longest) return {};
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string_view result;
    for (std::string_view candidate : candidates) {
        std::size_t const gap = candidate.size() > word.size() ? candidate.size() - word.size()
                                                               : word.size() - candidate.size();
        if (gap >= best) continue;
        std::size_t const distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            result = candidate;
        }
    }
    return result;
}

}  // namespace warpsim::frontend
