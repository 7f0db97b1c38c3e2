// The tokens of PTX as parsers of the library: names, numbers, mnemonics, operators, and the white space between
// them. They are written by hand over one table of character classes, because nearly all reading time is spent
// here.
#pragma once

#include "frontend/syntax.hpp"

#include <boost/spirit/home/x3.hpp>

#include <array>
#include <cstring>
#include <tuple>

namespace warpsim::frontend::grammar {

namespace x3 = boost::spirit::x3;
using Iterator = char const*;
using syntax::Text;
using syntax::Token;

enum CharacterClass : unsigned char { letter = 1, digit = 2, name_mark = 4, blank = 8, hexadecimal = 16 };

inline constexpr auto character_classes = [] {
    std::array<unsigned char, 256> classes{};
    for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] |= letter;
    for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] |= letter;
    for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] |= digit | hexadecimal;
    for (char c : {'a', 'b', 'c', 'd', 'e', 'f', 'A', 'B', 'C', 'D', 'E', 'F'}) {
        classes[static_cast<std::size_t>(c)] |= hexadecimal;
    }
    for (char c : {'_', '$'}) classes[static_cast<std::size_t>(c)] |= name_mark;
    for (char c : {' ', '\t', '\n', '\r', '\f'}) classes[static_cast<std::size_t>(c)] |= blank;
    return classes;
}();

inline bool is(char c, int classes) { return (character_classes[static_cast<unsigned char>(c)] & classes) != 0; }
inline bool in_name(char c) { return is(c, letter | digit | name_mark); }

/// White space, comments, and the line markers that a C preprocessor leaves (`# 1 "a.cu"`). An unterminated
/// comment is not skipped, so reading stops there.
struct Skipper : x3::parser<Skipper> {
    using attribute_type = x3::unused_type;
    static bool const has_attribute = false;

    explicit Skipper(Iterator begin) : begin_(begin) {}

    /// Takes everything at once and then fails, because the library calls a skipper until it fails.
    template <class Context, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, Context const&, RuleContext&, Attribute&) const {
        if (first != last && static_cast<unsigned char>(*first) <= '/') first = skip(first, last);
        return false;
    }

    Iterator skip(Iterator at, Iterator last) const {
        for (; at != last; ++at) {
            if (is(*at, blank)) continue;
            Iterator const next = *at == '/'   ? skip_comment(at, last)
                                  : *at == '#' ? skip_line_marker(at, last)
                                               : at;
            if (next == at) break;
            at = next - 1;
        }
        return at;
    }

    /// The end of the comment that begins at `at`; `at` itself where none does.
    static Iterator skip_comment(Iterator at, Iterator last) {
        if (last - at < 2 || *at != '/') return at;
        if (at[1] == '/') return end_of_line(at, last);
        if (at[1] != '*') return at;
        auto const end = Text(at, static_cast<std::size_t>(last - at)).find("*/", 2);
        return end == Text::npos ? at : at + end + 2;
    }

private:
    static Iterator end_of_line(Iterator at, Iterator last) {
        auto const* newline = static_cast<Iterator>(std::memchr(at, '\n', static_cast<std::size_t>(last - at)));
        return newline ? newline : last;
    }

    Iterator skip_line_marker(Iterator at, Iterator last) const {
        for (Iterator before = at; before != begin_ && before[-1] != '\n'; --before) {
            if (!is(before[-1], blank)) return at;
        }
        return end_of_line(at, last);
    }

    Iterator begin_;
};

/// What all words have in common: white space before them, and the text as their attribute.
template <class Derived> struct Word : x3::parser<Derived> {
    using attribute_type = Text;
    static bool const has_attribute = true;

    template <class Context, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, Context const& context, RuleContext&,
               Attribute& attribute) const {
        Iterator begin = first;
        x3::skip_over(begin, last, context);
        Iterator const end = this->derived().scan(begin, last);
        if (!end) return false;
        x3::traits::move_to(Text(begin, static_cast<std::size_t>(end - begin)), attribute);
        first = end;
        return true;
    }
};

inline Iterator scan_name(Iterator at, Iterator last) {
    if (at == last) return nullptr;
    if (!is(*at, letter)) {
        if (*at != '%' && !is(*at, name_mark)) return nullptr;
        // A lone '%' or '$' is not a name; a lone '_' is.
        if (*at != '_' && (at + 1 == last || !in_name(at[1]))) return nullptr;
    }
    do ++at;
    while (at != last && in_name(*at));
    return at;
}

/// An identifier.
struct Name : Word<Name> {
    static Iterator scan(Iterator at, Iterator last) { return scan_name(at, last); }
};

/// WARP_SZ, the only name that is a constant.
struct WarpSize : Word<WarpSize> {
    static Iterator scan(Iterator at, Iterator last) {
        Iterator const end = scan_name(at, last);
        return end && Text(at, static_cast<std::size_t>(end - at)) == "WARP_SZ" ? end : nullptr;
    }
};

/// An identifier with element selectors, `%tid.x`, `v.b`, `%r1.b3210`; never WARP_SZ.
struct SelectedName : Word<SelectedName> {
    static Iterator scan(Iterator at, Iterator last) {
        if (at != last && *at == 'W' && WarpSize::scan(at, last)) return nullptr;
        at = scan_name(at, last);
        while (at && at != last && *at == '.' && at + 1 != last && in_name(at[1])) {
            do ++at;
            while (at != last && in_name(*at));
        }
        return at;
    }
};

/// `.word`, or `.word::word`.
struct DotWord : Word<DotWord> {
    static Iterator scan(Iterator at, Iterator last) {
        if (at == last || *at != '.' || at + 1 == last || !in_name(at[1])) return nullptr;
        do ++at;
        while (at != last &&
               (in_name(*at) || (*at == ':' && at + 2 < last && at[1] == ':' && in_name(at[2]) && ++at)));
        return at;
    }
};

/// The opcode of an instruction and the modifiers that follow it without white space.
struct Mnemonic : Word<Mnemonic> {
    static Iterator scan(Iterator at, Iterator last) {
        if (at == last || !is(*at, letter)) return nullptr;
        do ++at;
        while (at != last && in_name(*at));
        while (Iterator const next = DotWord::scan(at, last)) at = past_bank(at, next, last);
        return at;
    }

private:
    /// The end of a modifier, with the bank of `.const[3]` (before PTX 2.2).
    static Iterator past_bank(Iterator begin, Iterator end, Iterator last) {
        if (end == last || *end != '[' || Text(begin, static_cast<std::size_t>(end - begin)) != ".const")
            return end;
        Iterator digits = end + 1;
        while (digits != last && is(*digits, digit)) ++digits;
        return digits != last && digits != end + 1 && *digits == ']' ? digits + 1 : end;
    }
};

/// One given word that is not the beginning of a longer name.
struct Keyword : Word<Keyword> {
    explicit constexpr Keyword(Text text) : text_(text) {}

    Iterator scan(Iterator at, Iterator last) const {
        if (static_cast<std::size_t>(last - at) < text_.size()) return nullptr;
        if (std::memcmp(at, text_.data(), text_.size()) != 0) return nullptr;
        at += text_.size();
        return at != last && (in_name(*at) || (*at == ':' && at + 1 != last && at[1] == ':')) ? nullptr : at;
    }

private:
    Text text_;
};

/// One given character.
struct Symbol : Word<Symbol> {
    explicit constexpr Symbol(char symbol) : symbol_(symbol) {}
    Iterator scan(Iterator at, Iterator last) const { return at != last && *at == symbol_ ? at + 1 : nullptr; }

private:
    char symbol_;
};

/// The first of several words that matches. (The library's own alternative would have a variant as its attribute.)
template <class... Words> struct AnyOf : Word<AnyOf<Words...>> {
    explicit constexpr AnyOf(Words const&... words) : words_(words...) {}

    Iterator scan(Iterator at, Iterator last) const {
        return std::apply(
            [at, last](Words const&... words) {
                Iterator end = nullptr;
                ((end = words.scan(at, last)) || ...);
                return end;
            },
            words_);
    }

private:
    std::tuple<Words...> words_;
};

/// Matches nothing; its attribute is the position where the next word begins.
struct Here : x3::parser<Here> {
    using attribute_type = Text;
    static bool const has_attribute = true;

    template <class Context, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, Context const& context, RuleContext&,
               Attribute& attribute) const {
        Iterator next = first;
        x3::skip_over(next, last, context);
        x3::traits::move_to(Text(next, 0), attribute);
        return true;
    }
};

/// Matches nothing; an action can be attached to it. Unlike the library's eps it does not skip white space, so an
/// error is reported at the end of the last word.
struct Now : x3::parser<Now> {
    using attribute_type = x3::unused_type;
    static bool const has_attribute = false;

    template <class Context, class RuleContext, class Attribute>
    bool parse(Iterator&, Iterator const&, Context const&, RuleContext&, Attribute&) const {
        return true;
    }
};

/// A number: decimal, 0x.., 0b.. or octal, with or without U; 0f.. and 0d..; decimal fractions and exponents.
struct Number : Word<Number> {
    static Iterator scan(Iterator at, Iterator last) {
        at = scan_digits(at, last);
        return at && at != last && (in_name(*at) || *at == '.') ? nullptr : at;
    }

    static Iterator scan_digits(Iterator at, Iterator last);
};

/// `"text"` on one line; a backslash escapes the character after it.
struct String : Word<String> {
    static Iterator scan(Iterator at, Iterator last);
};

/// From `{` to `}` of a .section: assembler data that contains no braces.
struct SectionText : Word<SectionText> {
    static Iterator scan(Iterator at, Iterator last);
};

/// A line of DWARF data as PTX 1.x writes it: `@@DWARF .byte 0x2b`.
struct DwarfLine : Word<DwarfLine> {
    static Iterator scan(Iterator at, Iterator last) {
        if (last - at < 2 || at[0] != '@' || at[1] != '@') return nullptr;
        while (at != last && *at != '\n') ++at;
        return at;
    }
};

/// A number or name that is the whole value: none of `operators` follows it.
template <class Subject> struct Alone : x3::unary_parser<Subject, Alone<Subject>> {
    using attribute_type = Text;
    static bool const has_attribute = true;

    constexpr Alone(Subject const& inner, char const* operators)
        : x3::unary_parser<Subject, Alone<Subject>>(inner), operators_(operators) {}

    template <class Context, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, Context const& context, RuleContext& rule,
               Attribute& attribute) const {
        Iterator at = first;
        if (!this->subject.parse(at, last, context, rule, attribute)) return false;
        Iterator next = at;
        x3::skip_over(next, last, context);
        if (next != last && *next != '\0' && std::strchr(operators_, *next)) return false;
        first = at;
        return true;
    }

private:
    char const* operators_;
};

/// A binary operator of a constant expression that binds at least as tightly as `lowest`.
struct BinaryOperator : x3::parser<BinaryOperator> {
    using attribute_type = Token::Kind;
    static bool const has_attribute = true;
    enum class Level : std::uint8_t { any, additive, multiplicative };

    explicit constexpr BinaryOperator(Level lowest) : lowest_(lowest) {}

    template <class Context, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, Context const& context, RuleContext&,
               Attribute& attribute) const {
        Iterator at = first;
        x3::skip_over(at, last, context);
        Match const match = scan(at, last);
        if (match.length == 0 || match.level < lowest_) return false;
        x3::traits::move_to(match.kind, attribute);
        first = at + match.length;
        return true;
    }

private:
    struct Match {
        Token::Kind kind = Token::Kind::add;
        int length = 0;
        Level level = Level::any;
    };
    static Match scan(Iterator at, Iterator last);

    Level lowest_;
};

/// A prefix operator: - + ! ~ (.s64) (.u64).
struct PrefixOperator : x3::parser<PrefixOperator> {
    using attribute_type = Token::Kind;
    static bool const has_attribute = true;

    template <class Context, class RuleContext, class Attribute>
    bool parse(Iterator& first, Iterator const& last, Context const& context, RuleContext&,
               Attribute& attribute) const {
        Iterator at = first;
        x3::skip_over(at, last, context);
        if (at == last) return false;
        auto const take = [&](Token::Kind kind) {
            x3::traits::move_to(kind, attribute);
            first = at + 1;
            return true;
        };
        switch (*at) {
            case '-': return take(Token::Kind::negate);
            case '+': return take(Token::Kind::plus);
            case '!': return take(Token::Kind::logical_not);
            case '~': return take(Token::Kind::complement);
            case '(': break;
            default: return false;
        }
        x3::skip_over(++at, last, context);
        Iterator const type = at;
        at = DotWord::scan(at, last);
        if (!at) return false;
        Text const word(type, static_cast<std::size_t>(at - type));
        x3::skip_over(at, last, context);
        if (at == last || *at != ')') return false;
        if (word == ".s64") return take(Token::Kind::to_s64);
        if (word == ".u64") return take(Token::Kind::to_u64);
        return false;
    }
};

}  // namespace warpsim::frontend::grammar
