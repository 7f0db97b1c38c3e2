#include "frontend/grammar/parse.hpp"

#include "frontend/grammar/grammar.hpp"

#include <algorithm>
#include <string>

namespace warpsim::frontend::grammar {

namespace {

/// A text with more errors than this is not PTX, and further messages would not help.
constexpr std::size_t error_limit = 256;

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

Text text_between(Iterator begin, Iterator end) { return {begin, static_cast<std::size_t>(end - begin)}; }

std::string quote(Text word) { return std::string(1, '\'').append(word).append(1, '\''); }

class Reader {
public:
    Reader(Source const& source, Diagnostics& diagnostics)
        : diagnostics_(diagnostics),
          builder_(module_, diagnostics),
          skipper_(source.text().data()),
          begin_(source.text().data()),
          last_(begin_ + source.text().size()) {}

    syntax::Module read();

private:
    void report_foreign_characters();
    Iterator next_comment(Iterator at) const;
    Iterator read_statements(Iterator at);
    Iterator report_and_recover(Iterator where, char const* expected);
    std::string message(Iterator where, Iterator next, char const* expected) const;
    Text word_at(Iterator at) const;
    Iterator skip_statement(Iterator at);
    Iterator skip_word(Iterator at) const;
    bool begins_line(Iterator at) const;
    void report_open_braces();
    bool is_stray(Iterator brace) const;
    void keep_names(Iterator begin, Iterator end);

    Diagnostics& diagnostics_;
    syntax::Module module_;
    Builder builder_;
    Skipper skipper_;
    Iterator begin_;
    Iterator last_;
    bool is_cut_short_ = false;  // an unterminated comment swallows the rest of the text
};

/// Some versions of ptxas take any characters in comments, so these are worth one warning.
void Reader::report_foreign_characters() {
    constexpr int report_limit = 20;
    int reported = 0;
    bool has_warned = false;
    Iterator comment = begin_;  // the last one that begins before `at`
    Iterator comment_end = begin_;
    for (Iterator at = std::find_if_not(begin_, last_, is_ascii); at != last_ && reported < report_limit;
         at = std::find_if_not(std::find_if(at, last_, is_ascii), last_, is_ascii)) {
        Text const foreign = text_between(at, std::find_if(at, last_, is_ascii));
        while (comment_end <= at && comment != last_) {
            comment = next_comment(comment_end);
            comment_end = skipper_.skip_comment(comment, last_);
            if (comment > at) break;
        }
        if (comment <= at && at < comment_end) {
            if (!has_warned) diagnostics_.warning(foreign, "a character that is not ASCII, in a comment");
            has_warned = true;
            continue;
        }
        bool const is_mark = at == begin_ && foreign.starts_with("\xef\xbb\xbf");
        diagnostics_.error(foreign, is_mark ? "a byte-order mark: PTX is ASCII, and begins with .version"
                                            : "a character that is not ASCII: PTX takes none outside comments");
        ++reported;
    }
}

/// Where the next comment begins, from `at` on, which is in none.
Iterator Reader::next_comment(Iterator at) const {
    for (; at != last_; ++at) {
        if (Iterator const end = String::scan(at, last_)) at = end - 1;
        else if (skipper_.skip_comment(at, last_) != at) return at;
    }
    return last_;
}

Iterator Reader::read_statements(Iterator at) {
    Iterator const begin = at;
    try {
        x3::phrase_parse(at, last_, x3::with<BuilderTag>(std::ref(builder_))[*statement], skipper_);
        at = skipper_.skip(at, last_);
        if (at == last_) return last_;
        return report_and_recover(at, nullptr);
    } catch (SyntaxError const& error) {
        return report_and_recover(error.where, error.expected);
    } catch (TooDeep const& error) {
        builder_.depth = 0;
        diagnostics_.error(word_at(skipper_.skip(error.where, last_)),
                           "nested deeper than " + std::to_string(Builder::nesting_limit) + " levels");
        return std::max(skip_statement(error.where), begin + 1);
    }
}

Iterator Reader::report_and_recover(Iterator where, char const* expected) {
    Iterator const next = skipper_.skip(where, last_);
    if (next != last_ && Text(next, static_cast<std::size_t>(last_ - next)).starts_with("/*")) {
        diagnostics_.error(text_between(next, next + 2), "a comment without an end");
        is_cut_short_ = true;
        return last_;
    }
    bool const new_line = std::find(where, next, '\n') != next && where != begin_;
    if (next == last_ || is_ascii(*next)) {
        bool const at_end = new_line && (expected || next == last_);
        Text const place = at_end ? text_between(where, where) : word_at(next);
        diagnostics_.error(place, message(where, next, expected));
    }
    if (next == last_) return last_;
    // When only the semicolon of a statement is missing, the next line is not skipped with it.
    if (new_line && expected && Text(expected).find("';'") != Text::npos && next > builder_.statement_begin()) {
        return next;
    }
    Iterator const begin = skipper_.skip(builder_.statement_begin(), last_);
    Iterator const end = skip_statement(next);
    keep_names(begin, end);
    return end;
}

/// Remembers the names that an unreadable declaration would have declared, so that they are not reported as
/// unknown.
void Reader::keep_names(Iterator begin, Iterator end) {
    constexpr std::size_t most = 4096;
    if (begin >= end || *begin != '.') return;
    for (Iterator at = begin; at != end && module_.skipped_names.size() < most;) {
        if (Iterator const name_end = scan_name(at, end)) {
            module_.skipped_names.push_back(text_between(at, name_end));
            at = name_end;
        } else {
            Iterator const word_end = DotWord::scan(at, end);
            at = word_end ? word_end : at + 1;
        }
    }
}

std::string Reader::message(Iterator where, Iterator next, char const* expected) const {
    Text const word = word_at(next);
    std::string const quoted = quote(word);
    if (next != last_) {
        if (is(*next, digit) && !Number::scan(next, last_)) return "malformed number " + quoted;
        if (*next == '"' && !String::scan(next, last_)) return "a string without its closing quote";
        auto const code = static_cast<unsigned char>(*next);
        if (code < ' ' || code == 0x7f) return "unexpected control character " + std::to_string(code);
    }
    if (!expected) {
        if (*next != '.') {
            std::string const hint =
                *next == '%' ? "; a guard is written " + quote(std::string(1, '@').append(word)) : "";
            return "expected a statement before " + quoted + hint;
        }
        std::vector<Text> const known = {".version", ".target",        ".address_size", ".entry",        ".func",
                                         ".visible", ".extern",        ".weak",         ".common",       ".reg",
                                         ".param",   ".shared",        ".global",       ".const",        ".local",
                                         ".tex",     ".file",          ".loc",          ".section",      ".pragma",
                                         ".alias",   ".branchtargets", ".calltargets",  ".callprototype"};
        return "unknown directive " + quoted + did_you_mean(word, known);
    }
    std::string const wanted = std::string("expected ") + expected;
    if (next == last_) return wanted + " at the end of the file";
    if (std::find(where, next, '\n') != next) return wanted + " at the end of the line";
    return wanted + " before " + quoted;
}

/// The word at `at`, as a person would see it.
Text Reader::word_at(Iterator at) const {
    if (at == last_) return text_between(at, at);
    Iterator end = at + 1;
    if (in_name(*at) || *at == '.' || *at == '%') {
        while (end != last_ && (in_name(*end) || *end == '.')) ++end;
    } else if (Iterator const string_end = String::scan(at, last_)) {
        end = string_end;
    }
    return text_between(at, std::min(end, at + 60));
}

Iterator Reader::skip_word(Iterator at) const {
    if (Iterator const end = String::scan(at, last_)) return end;
    return at + 1;
}

bool Reader::begins_line(Iterator at) const {
    while (at != begin_ && is(at[-1], blank) && at[-1] != '\n') --at;
    return at == begin_ || at[-1] == '\n';
}

/// Where to resume after an error at `where`: past the next semicolon, before the brace that closes a block, or
/// before a line that begins with a directive.
Iterator Reader::skip_statement(Iterator where) {
    bool const header = builder_.in_function_header();
    int depth = 0;
    for (Iterator at = skipper_.skip(builder_.statement_begin(), last_); at < where && !header;) {
        depth += (*at == '{') - (*at == '}');
        at = skipper_.skip(skip_word(at), last_);
    }
    int parentheses = 0;
    int body = 0;  // open braces of what may be a function body, which is skipped as a whole
    for (Iterator at = where; at != last_; at = skipper_.skip(skip_word(at), last_)) {
        switch (*at) {
            case ';':
                if (body > 0) break;
                return at + 1;
            case '{':
                body += builder_.open_braces().empty() && !header && depth <= 0 ? 1 : 0;
                if (header) {
                    builder_.open_body(text_between(at, at + 1));
                    return at + 1;
                }
                ++depth;
                break;
            case '}':
                if (depth <= 0 && is_stray(at)) break;
                if (depth <= 0) return at;
                --depth;
                if (body > 0 && depth == 0) return at + 1;
                break;
            case '.':
                if (body > 0 && at[-1] == '\n') return at;  // not indented, so not a statement of that function
                if (depth <= 0 && !header && (parentheses <= 0 || at[-1] == '\n') &&
                    at > builder_.statement_begin() && begins_line(at))
                    return at;
                break;
            case '/':
                if (at + 1 != last_ && at[1] == '*') return at;
                break;
            case '(': ++parentheses; break;
            case ')': --parentheses; break;
            default: break;
        }
    }
    return last_;
}

/// A '}' among the operands of an instruction closes nothing when more operands follow on the same line.
bool Reader::is_stray(Iterator brace) const {
    Iterator next = brace + 1;
    while (next != last_ && is(*next, blank) && *next != '\n') ++next;
    return next != last_ && (*next == '%' || *next == ',' || *next == ']' || is(*next, digit));
}

void Reader::report_open_braces() {
    if (builder_.open_braces().empty() || is_cut_short_) return;
    Iterator end = last_;
    while (end != begin_ && is(end[-1], blank)) --end;
    diagnostics_.error(text_between(end, end), "expected '}' at the end of the file");
    diagnostics_.note(builder_.open_braces().back().text, "to close this '{'");
}

syntax::Module Reader::read() {
    report_foreign_characters();
    builder_.reserve(static_cast<std::size_t>(last_ - begin_));
    std::size_t const limit = diagnostics_.error_count() + error_limit;
    for (Iterator at = begin_; at != last_;) {
        Iterator const before = at;
        at = read_statements(at);
        if (at != last_ && diagnostics_.error_count() >= limit) {
            diagnostics_.error(text_between(before, before), "too many errors; the rest of the text was not read");
            return std::move(module_);
        }
    }
    report_open_braces();
    return std::move(module_);
}

}  // namespace

syntax::Module parse(Source const& source, Diagnostics& diagnostics) { return Reader(source, diagnostics).read(); }

}  // namespace warpsim::frontend::grammar
