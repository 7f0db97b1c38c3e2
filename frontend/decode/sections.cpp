// The data of debugging sections. It is never executed, but errors in it are reported.
#include "frontend/decode/decoder.hpp"

#include <algorithm>
#include <set>

namespace warpsim::frontend {

namespace {

bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.' || c == '%';
}

/// The words and single characters in a section's text, without comments.
class Words {
public:
    explicit Words(std::string_view text) : rest_(text) { next(); }

    std::string_view word() const { return word_; }
    bool at_end() const { return word_.empty(); }
    bool is(char c) const { return word_.size() == 1 && word_[0] == c; }
    void next() {
        skip();
        std::size_t length = rest_.empty() ? 0 : 1;
        if (length > 0 && in_word(rest_[0])) {
            while (length < rest_.size() && in_word(rest_[length])) ++length;
        }
        word_ = rest_.substr(0, length);
        rest_.remove_prefix(length);
    }

private:
    void skip() {
        for (;;) {
            std::size_t const blanks = std::min(rest_.find_first_not_of(" \t\r\n\f\v"), rest_.size());
            rest_.remove_prefix(blanks);
            if (rest_.starts_with("//")) rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            else if (rest_.starts_with("/*"))
                rest_.remove_prefix(std::min(rest_.find("*/", 2), rest_.size() - 2) + 2);
            else return;
        }
    }

    std::string_view rest_;
    std::string_view word_;
};

class SectionReader {
public:
    SectionReader(Decoder& decoder, syntax::Section const& section)
        : decoder_(decoder), words_(inside(section.body)) {}

    void read() {
        while (!words_.at_end() && !failed_) line();
    }

private:
    /// The text without the braces around it.
    static std::string_view inside(std::string_view body) {
        std::size_t const open = body.find('{');
        std::size_t const close = body.rfind('}');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open) return body;
        return body.substr(open + 1, close - open - 1);
    }

    void fail(std::string_view where, std::string message) {
        if (!failed_) decoder_.diagnostics.error(where, std::move(message));
        failed_ = true;
    }

    void line() {
        std::string_view const first = words_.word();
        words_.next();
        if (words_.is(':')) {
            if (!labels_.insert(first).second) fail(first, quoted(first) + " is declared twice");
            words_.next();
            return;
        }
        int const bits = first == ".b8"    ? 8
                         : first == ".b16" ? 16
                         : first == ".b32" ? 32
                         : first == ".b64" ? 64
                                           : 0;
        if (bits == 0) {
            fail(first, "a line of debugging data begins with .b8 .b16 .b32 or .b64, not " + quoted(first));
            return;
        }
        if (is_label() && bits >= 32) address();
        else numbers(bits);
    }

    bool is_label() const {
        return !words_.at_end() && in_word(words_.word()[0]) &&
               !(words_.word()[0] >= '0' && words_.word()[0] <= '9');
    }

    /// label, label+4, label1-label2, .section
    void address() {
        words_.next();
        if (!words_.is('+') && !words_.is('-')) return;
        bool const is_difference = words_.is('-');
        require(decoder_, words_.word(), is_difference ? "label-label" : "label+offset", is_difference ? 75 : 32);
        words_.next();
        if (words_.at_end() || (is_difference && !is_label())) {
            fail(words_.word(), "an address is written: label, label+offset or label-label");
            return;
        }
        words_.next();
    }

    void numbers(int bits) {
        for (;;) {
            number(bits);
            if (failed_ || !words_.is(',')) return;
            words_.next();
        }
    }

    void number(int bits) {
        bool const is_negative = words_.is('-');
        if (is_negative) {
            require(decoder_, words_.word(), "a negative number", 75);
            words_.next();
        }
        auto const value = words_.at_end() ? std::nullopt : parse_literal(words_.word());
        if (!value || !value->is_integer()) {
            fail(words_.word(), "an integer is wanted here");
            return;
        }
        std::uint64_t const most = is_negative  ? std::uint64_t{1} << (bits - 1)
                                   : bits == 64 ? UINT64_MAX
                                                : (std::uint64_t{1} << bits) - 1;
        if (value->bits > most)
            fail(words_.word(), quoted(words_.word()) + " does not fit " + std::to_string(bits) + " bits");
        words_.next();
    }

    Decoder& decoder_;
    Words words_;
    std::set<std::string_view> labels_;
    bool failed_ = false;
};

}  // namespace

void check_section(Decoder& decoder, syntax::Section const& section) {
    if (!section.name.starts_with('.')) {
        decoder.diagnostics.error(section.name, "the name of a section begins with a dot, as .debug_info");
    }
    SectionReader(decoder, section).read();
}

}  // namespace warpsim::frontend
