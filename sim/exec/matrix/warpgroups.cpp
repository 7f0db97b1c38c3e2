#include "sim/exec/matrix/warpgroups.hpp"

#include "sim/exec/warp.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

namespace {

// Products that one warp may be ahead of another and still be compared; programs wait long before.
constexpr std::size_t most_ahead = 256;

std::string what_differs(Warpgroup::Product const& one, Warpgroup::Product const& other) {
    if (one.op != other.op) return "the instruction";
    if (one.a != other.a) return "the descriptor of a";
    if (one.b != other.b) return "the descriptor of b";
    return one.adds != other.adds ? "scale-d" : "";
}

}  // namespace

std::string Warpgroup::execute(std::uint32_t part, Product const& product) {
    std::uint32_t const number = executed[part]++;
    std::string what;
    if (number >= first && number - first < ahead.size()) what = what_differs(ahead[number - first], product);
    else if (number >= first) ahead.push_back(product);
    std::uint32_t const slowest = *std::min_element(executed.begin(), executed.end());
    while (!ahead.empty() && (first < slowest || ahead.size() > most_ahead)) {
        ahead.erase(ahead.begin());
        ++first;
    }
    return what;
}

std::uint32_t Warpgroup::missing(std::uint32_t part, std::uint32_t left) const {
    std::uint32_t parts = 0;
    for (std::uint32_t other = 0; other < warps_of_group; ++other)
        parts |= committed[other] + left < committed[part] ? 1u << other : 0;
    return parts;
}

Warpgroup& warpgroup_of(Cta& cta, Warp const& warp) {
    if (cta.warpgroups.empty()) cta.warpgroups.resize((cta.warps.size() + warps_of_group - 1) / warps_of_group);
    return cta.warpgroups[warp.index / warps_of_group];
}

std::string warps_text(std::uint32_t first, std::uint32_t parts) {
    std::string text = std::popcount(parts) == 1 ? "warp" : "warps";
    for (char const* between = " "; parts != 0; parts &= parts - 1) {
        text += between + std::to_string(first + static_cast<std::uint32_t>(std::countr_zero(parts)));
        between = std::popcount(parts) == 2 ? " and " : ", ";
    }
    return text;
}

}  // namespace warpsim::sim
