// Families of rows, whose syntax lines differ in a few words: shapes, counts, kinds. Two ways to write them:
//
//     line<"ld", space, "{.vec}.type d, [a]">        words that are template arguments, joined
//
//     constexpr auto loads = family([](auto& add) {  rows that a loop makes of a table
//         for (Shape const& s : shapes) add(words("wmma.load.a.sync.aligned.", s, ...), effect_row({}, ...));
//     });
//
// join() concatenates rows and families.
#pragma once

#include "frontend/isa/row.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace warpsim::isa {

/// A text that can be a template argument.
template <std::size_t n> struct Word {
    char text[n]{};
    consteval Word(char const (&from)[n]) {
        for (std::size_t i = 0; i < n; ++i) text[i] = from[i];
    }
    constexpr std::string_view view() const { return {text, n - 1}; }
};

template <Word... words> struct JoinedWords {
    static constexpr auto text = [] {
        std::array<char, (words.view().size() + ... + std::size_t{1})> all{};
        std::size_t at = 0;
        auto const append = [&](std::string_view word) {
            for (char const c : word) all[at++] = c;
        };
        (append(words.view()), ...);
        return all;
    }();
};
template <Word... words>
inline constexpr std::string_view line{JoinedWords<words...>::text.data(), JoinedWords<words...>::text.size() - 1};

/// Puts the words of a line together: texts, numbers, types, and every type that has an overload of
/// put().
template <class... Parts> constexpr auto words(Parts const&... parts) {
    return [=](auto& out) { (put(out, parts), ...); };
}
template <class Out> constexpr void put(Out& out, std::string_view text) { out.append(text); }
template <class Out> constexpr void put(Out& out, char const* text) { out.append(text); }
template <class Out> constexpr void put(Out& out, int number) {
    if (number >= 10) put(out, number / 10);
    char const digit = static_cast<char>('0' + number % 10);
    out.append(std::string_view(&digit, 1));
}

template <class Out> constexpr void put(Out& out, Type type) {
    out.append(".");
    out.append(name(type));
}

/// Makes the rows three times: to count them and the characters of their lines, to write the lines, and to keep
/// the rows.
template <class Make> struct Family {
    struct Size {
        std::size_t rows = 0, characters = 0;
        constexpr void append(std::string_view word) { characters += word.size(); }
    };
    static constexpr Size size = [] {
        Size counted;
        auto add = [&](auto const& words_of_line, Row const&) {
            ++counted.rows;
            words_of_line(counted);
        };
        Make{}(add);
        return counted;
    }();

    struct Text {
        std::array<char, size.characters> all{};
        std::array<std::size_t, size.rows + 1> begin{};
        std::size_t at = 0;
        constexpr void append(std::string_view word) {
            for (char const c : word) all[at++] = c;
        }
    };
    static constexpr Text text = [] {
        Text written;
        std::size_t row = 0;
        auto add = [&](auto const& words_of_line, Row const&) {
            words_of_line(written);
            written.begin[++row] = written.at;
        };
        Make{}(add);
        return written;
    }();

    static constexpr std::array<Row, size.rows> rows = [] {
        std::array<Row, size.rows> made{};
        std::size_t row = 0;
        auto add = [&](auto const&, Row const& without_line) {
            std::size_t const begin = text.begin[row];
            made[row] = without_line;
            made[row].syntax = {text.all.data() + begin, text.begin[row + 1] - begin};
            ++row;
        };
        Make{}(add);
        return made;
    }();
};
template <class Make> constexpr auto const& family(Make) { return Family<Make>::rows; }

/// Rows and families as one array.
template <class... Parts> constexpr auto join(Parts const&... parts) {
    constexpr auto count = []<class T>(T const*) {
        if constexpr (requires { std::tuple_size<T>::value; }) return std::tuple_size<T>::value;
        else return std::size_t{1};
    };
    std::array<Row, (count(static_cast<Parts const*>(nullptr)) + ... + std::size_t{0})> all{};
    std::size_t at = 0;
    auto const append = [&](auto const& part) {
        if constexpr (requires { part.begin(); }) {
            for (Row const& row : part) all[at++] = row;
        } else {
            all[at++] = part;
        }
    };
    (append(parts), ...);
    return all;
}

}  // namespace warpsim::isa
