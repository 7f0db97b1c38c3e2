// Records that no stamp names any more are forgotten, so that those of a long launch, or of streams that the host never waits
// for, stay in proportion to the memory that is touched.
#include "runtime/check/race/race_check.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::check {

/// Calls visit(tile, era) for all memory.
template <class Visit> void RaceCheck::for_each_tile(Visit const& visit) {
    global_.for_each_tile([&](Tile& tile) { visit(tile, global_.era()); });
    for (auto& [cta, shadow] : shared_)
        for (Tile& tile : shadow->block.tiles()) visit(tile, shadow->block.era());
}

void RaceCheck::collect() {
    std::vector<bool> marks(records_.size(), false);
    std::uint32_t cells = 0;
    auto const mark = [&](Cell const& cell) {
        ++cells;
        for (Stamp const& stamp : {cell.write(), cell.read()})
            if (stamp.is_any()) marks[stamp.record()] = true;
    };
    for_each_tile([&](Tile const& tile, std::uint32_t era) {
        tile.for_each_touched(era, [&](std::uint32_t, std::uint32_t, Cell const& cell) {
            mark(cell);
            return false;
        });
    });
    for (auto const& [cta, all] : tensor_cells_) std::for_each(all.begin(), all.end(), mark);
    for (auto const& [key, groups] : groups_) groups.for_each_record([&](std::uint32_t id) { marks[id] = true; });

    std::vector<std::uint32_t> launches(launches_.size());
    std::vector<std::uint32_t> const numbers = records_.keep(marks, launches);
    auto const renumbered = [&](std::uint32_t number) { return numbers[number - 1] + 1; };
    for_each_tile([&](Tile& tile, std::uint32_t era) { tile.renumber(era, renumbered); });
    for (auto& [cta, all] : tensor_cells_)
        for (Cell& cell : all) cell.renumber(renumbered);
    for (auto& [key, groups] : groups_) groups.renumber([&](std::uint32_t id) { return numbers[id]; });
    recent_.fill({});
    in_step_.clear();
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
