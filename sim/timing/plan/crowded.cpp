#include "sim/timing/plan/crowded.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

struct Stay {
    ir::LiveInterval piece;
    std::uint32_t resident;
};

/// Who is live at the same time as each, once or more.
std::vector<std::vector<std::uint32_t>> find_neighbours(std::vector<Resident> const& residents) {
    std::vector<Stay> stays, present;
    for (std::uint32_t r = 0; r < residents.size(); ++r)
        for (ir::LiveInterval const& piece : residents[r].pieces) stays.push_back({piece, r});
    std::sort(stays.begin(), stays.end(),
              [](Stay const& a, Stay const& b) { return a.piece.begin < b.piece.begin; });
    std::vector<std::vector<std::uint32_t>> neighbours(residents.size());
    for (Stay const& stay : stays) {
        std::erase_if(present, [&](Stay const& other) { return other.piece.end < stay.piece.begin; });
        for (Stay const& other : present) {
            if (other.resident == stay.resident) continue;
            neighbours[stay.resident].push_back(other.resident);
            neighbours[other.resident].push_back(stay.resident);
        }
        present.push_back(stay);
    }
    return neighbours;
}

}  // namespace

std::vector<bool> find_crowded(std::vector<Resident> const& residents, std::uint32_t registers) {
    std::vector<std::vector<std::uint32_t>> neighbours = find_neighbours(residents);
    std::vector<bool> crowded(residents.size());
    for (std::uint32_t r = 0; r < residents.size(); ++r) {
        auto& beside = neighbours[r];
        std::sort(beside.begin(), beside.end());
        beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
        // Places of its size; a smaller one is in the way of one, too.
        std::uint32_t const units = residents[r].units;
        std::uint32_t taken = 0;
        for (std::uint32_t const n : beside) taken += std::max(residents[n].units / units, 1u);
        crowded[r] = taken >= registers / units;
    }
    return crowded;
}

}  // namespace warpsim::timing
