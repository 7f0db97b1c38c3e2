#include "sim/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace warpsim::sim {

namespace {

// Longer words are no slips of a finger; the limit also bounds the work on hostile input.
constexpr std::size_t longest_word = 64;

std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        previous[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, previous);
        std::swap(previous, row);
    }
    return previous[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<std::string const> candidates) {
    if (word.empty() || word.size() > longest_word) {
        return std::nullopt;
    }
    std::string const* best = nullptr;
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (std::string const& candidate : candidates) {
        if (candidate.size() > longest_word) {
            continue;
        }
        std::size_t const distance = edits(word, candidate);
        if (distance < fewest && distance < candidate.size()) {
            fewest = distance;
            best = &candidate;
        }
    }
    // "size" for "size_kib": the beginning is remembered, the rest is not.
    for (std::string const& candidate : candidates) {
        if (!best && candidate.size() <= longest_word && candidate.starts_with(std::string(word) + "_")) {
            best = &candidate;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view word, std::span<std::string const> candidates) {
    auto const found = nearest(word, candidates);
    return found ? "; did you mean '" + *found + "'?" : "";
}

}  // namespace warpsim::sim
