#include "frontend/diagnostic.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

/// A line of machine-made PTX may be megabytes long: only this much of it is shown around the place.
constexpr std::size_t window = 160;

char const* name_of(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: break;
    }
    return "note";
}

/// The part of a line that is shown, with each tab or unprintable character replaced by one column.
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

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
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

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// How many letters of a word may be wrong. A register's number and the % before it say little.
std::size_t slips_allowed(std::string_view word) {
    std::size_t letters = word.size();
    if (word.starts_with('%')) letters = word.find_last_not_of("0123456789");
    else if (word.starts_with('.')) --letters;
    return letters <= 1 ? 0 : std::max<std::size_t>(1, letters / 3);
}

/// A message and the notes that follow it.
struct Group {
    std::size_t first = 0;
    std::size_t count = 1;
};

std::vector<Group> groups_by_place(std::vector<Diagnostic> const& list) {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].severity == Severity::note && !groups.empty()) ++groups.back().count;
        else groups.push_back({i, 1});
    }
    std::stable_sort(groups.begin(), groups.end(), [&](Group const& a, Group const& b) {
        return list[a.first].span.offset < list[b.first].span.offset;
    });
    return groups;
}

}  // namespace

void Diagnostics::add(Severity severity, Span span, std::string message) {
    list_.push_back({severity, span, std::move(message)});
    if (severity == Severity::error) ++error_count_;
}

void Diagnostics::advice(std::string message) {
    add(Severity::note, list_.empty() ? Span{} : list_.back().span, std::move(message));
}

Diagnostics::Shown Diagnostics::shown(std::size_t max_errors, bool with_warnings) const {
    Shown result;
    std::size_t errors = 0;
    Diagnostic const* last = nullptr;
    for (Group const& group : groups_by_place(list_)) {
        Diagnostic const& finding = list_[group.first];
        bool const is_error = finding.severity == Severity::error;
        if (!is_error && !with_warnings) continue;
        if (last != nullptr && last->span.offset == finding.span.offset && last->message == finding.message)
            continue;
        last = &finding;
        if (is_error && max_errors != 0 && errors == max_errors) {
            ++result.errors_left_out;
            continue;
        }
        if (is_error) ++errors;
        if (result.errors_left_out > 0) continue;  // a warning after the last error shown
        for (std::size_t i = 0; i < group.count; ++i) result.findings.push_back(&list_[group.first + i]);
    }
    return result;
}

std::string render(Source const& source, Diagnostic const& diagnostic, bool with_excerpt) {
    LineColumn const place = source.position(diagnostic.span.offset);
    std::string result = source.name() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
                         ": " + name_of(diagnostic.severity) + ": ";
    for (char const c : diagnostic.message) {
        result += c;
        if (c == '\n') result += "        ";
    }
    result += '\n';
    if (!with_excerpt) return result;
    std::string number = std::to_string(place.line);
    number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
    Excerpt const excerpted = excerpt(source.line(place.line), place.column - 1, diagnostic.span.length);
    result += number + " | " + excerpted.text + "\n";
    result += std::string(number.size(), ' ') + " | " + std::string(excerpted.caret, ' ') + "^" +
              std::string(excerpted.length - 1, '~') + "\n";
    return result;
}

std::string Diagnostics::render(std::size_t max_errors, bool with_warnings) const {
    std::string result;
    Shown const all = shown(max_errors, with_warnings);
    Span last;
    for (Diagnostic const* const finding : all.findings) {
        bool const is_advice = finding->severity == Severity::note && finding->span.offset == last.offset &&
                               finding->span.length == last.length;
        result += frontend::render(*source_, *finding, !is_advice);
        last = finding->span;
    }
    if (all.errors_left_out > 0)
        result += source_->name() + ": " + counted(all.errors_left_out, "more error") + " not shown\n";
    return result;
}

std::string_view nearest(std::string_view word, std::vector<std::string_view> const& candidates) {
    // A longer word is hardly a slip, and the search is quadratic.
    constexpr std::size_t longest = 64;
    if (word.empty() || word.size() > longest) return {};
    std::size_t best = slips_allowed(word) + 1;
    std::string_view result;
    for (std::string_view candidate : candidates) {
        if (same_letters(word, candidate)) return candidate;
        std::size_t const gap =
            candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
        if (gap >= best) continue;
        std::size_t const distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            result = candidate;
        }
    }
    return result;
}

std::string did_you_mean(std::string_view word, std::vector<std::string_view> const& candidates) {
    std::string_view const near = nearest(word, candidates);
    return near.empty() || near == word ? std::string()
                                        : std::string("; did you mean '").append(near).append("'?");
}

}  // namespace warpsim::frontend
