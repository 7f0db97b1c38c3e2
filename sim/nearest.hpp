// "did you mean ...?"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpsim::sim {

/// The candidate that is fewest edits (insertions, deletions, replacements, swaps of neighbours) away from the
/// word, if it is near enough to be worth proposing, else one that begins with the word and a '_'; the first of
/// equals.
std::optional<std::string> nearest(std::string_view word, std::span<std::string const> candidates);

/// "; did you mean 'max_warps'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<std::string const> candidates);

}  // namespace warpsim::sim
