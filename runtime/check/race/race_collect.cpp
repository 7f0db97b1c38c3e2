// Records that no stamp names any more are forgotten, so that those of a long launch, or of streams that the host never waits
// for, stay in proportion to the memory that is touched.
#include "runtime/check/race/race_check.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::check {

/// Calls visit(cell) for all cells that say something.
template <class Visit> void RaceCheck::for_each_cell(Visit const& visit) {
    global_.for_each_touched(visit);
    for (auto& [cta, shadow] : shared_)
        for (Tile& tile : shadow->block.tiles())
            for (Cell& cell : tile.touched_cells(shadow->block.era())) visit(cell);
    for (auto& [cta, cells] : tensor_cells_)
        for (Cell& cell : cells) visit(cell);
}

void RaceCheck::collect() {
    std::vector<bool> marks(records_.size(), false);
    std::uint32_t cells = 0;
    for_each_cell([&](Cell const& cell) {
        ++cells;
        for (Stamp const& stamp : {cell.write(), cell.read()})
            if (stamp.is_any()) marks[stamp.record()] = true;
    });
    for (auto const& [key, groups] : groups_) groups.for_each_record([&](std::uint32_t id) { marks[id] = true; });

    std::vector<std::uint32_t> launches(launches_.size());
    std::vector<std::uint32_t> const numbers = records_.keep(marks, launches);
    for_each_cell(
        [&](Cell& cell) { cell.renumber([&](std::uint32_t number) { return numbers[number - 1] + 1; }); });
    for (auto& [key, groups] : groups_) groups.renumber([&](std::uint32_t id) { return numbers[id]; });
    recent_.fill({});
    auto const kept_before = [&](std::uint32_t end) {
        return static_cast<std::uint32_t>(std::count_if(numbers.begin(), numbers.begin() + end,
                                                        [](auto number) { return number != Records::gone; }));
    };
    launch_first_ = kept_before(launch_first_);
    for (auto& [cta, shadow] : shared_) shadow->settled = kept_before(shadow->settled);
    std::vector<PastLaunch> kept;
    for (std::size_t i = 0; i < launches_.size(); ++i)
        if (launches[i] != Records::gone) kept.push_back(std::move(launches_[i]));
    launches_ = std::move(kept);
    // What it costs to look at all cells is to be little beside what it has cost to make the records.
    next_launches_ = std::max(most_launches_, 2 * launches_.size());
    next_collection_ = std::max({collect_at_, 2 * records_.size(), cells / 4});
}

}  // namespace warpsim::check
