#include "runtime/debug/words.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::debug {

std::string take_word(std::string& text) {
    std::size_t const first = text.find_first_not_of(" \t");
    if (first == std::string::npos) {
        text.clear();
        return "";
    }
    std::size_t end = text[first] == '(' ? text.find(')', first) : text.find_first_of(" \t(", first);
    if (end != std::string::npos && text[first] == '(') ++end;
    std::string word = text.substr(first, end == std::string::npos ? end : end - first);
    std::size_t const rest = end == std::string::npos ? end : text.find_first_not_of(" \t", end);
    text = rest == std::string::npos ? "" : text.substr(rest);
    return word;
}

std::uint64_t number_of(std::string const& word) {
    std::uint64_t value = 0;
    bool const is_hexadecimal = word.starts_with("0x");
    char const* const end = word.data() + word.size();
    auto const [past, error] =
        std::from_chars(word.data() + (is_hexadecimal ? 2 : 0), end, value, is_hexadecimal ? 16 : 10);
    if (error != std::errc() || past != end) throw Error(ErrorKind::usage, "'" + word + "' is no number");
    return value;
}

std::array<std::uint32_t, 3> triple_of(std::string const& word) {
    std::array<std::uint32_t, 3> triple{};
    std::string text = word;
    std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == ' '; });
    for (std::size_t i = 0; i < 3; ++i) {
        std::size_t const comma = text.find(',');
        std::uint64_t const value = number_of(text.substr(0, comma));
        if (value > UINT32_MAX) break;
        triple[i] = static_cast<std::uint32_t>(value);
        if (comma == std::string::npos) return triple;
        text = text.substr(comma + 1);
    }
    throw Error(ErrorKind::usage, "'" + word + "' is no index: (1,2,3), (1,2) or 1");
}

}  // namespace warpsim::debug
