// Words of a command.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace warpsim::debug {

/// Takes the first word off; empty: there is none. What stands in brackets is one word: "(1, 2,3)".
std::string take_word(std::string& text);
/// Throws Error(usage) where it is no number.
std::uint64_t number_of(std::string const& word);
/// "(1,2,3)", "1,2", "5". Throws Error(usage).
std::array<std::uint32_t, 3> triple_of(std::string const& word);

}  // namespace warpsim::debug
