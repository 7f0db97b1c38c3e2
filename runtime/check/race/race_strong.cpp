// Strong writes: several may be at once, and of a cell's stamps each then stands for more than one.
#include "runtime/check/race/race_check.hpp"

#include <algorithm>

namespace warpsim::check {

using Extent = Stamp::Extent;

/// Strong writes may be at once: one may then have to stand for several.
void RaceCheck::write_strongly(Cell& cell, Doer const& by) {
    Stamp earlier = cell.write();
    Stamp const last = earlier.extent == Extent::grid && is_atomic(cell.read()) ? cell.read() : Stamp{};
    cell = Cell(by.stamp());
    if (earlier.number <= by.settled_number || earlier.number <= launch_first_) return;
    Record const& other = records_[earlier.record()];
    // Most atomics come behind another of the same instruction and block.
    bool const is_alike = other.manner == by.record.manner && other.cta == by.record.cta;
    if (is_alike && earlier.extent != Extent::grid && by.knows_barriers_only && !by.manner.is_beside()) {
        if (other.time < by.cta.barrier) return;
        if (other.warp != by.record.warp) return cell.set_write_extent(Extent::cta);
        if (earlier.lane == by.lane) return cell.set_write_extent(earlier.extent);
        if (other.time < by.cta.warps[by.record.warp].synced && earlier.extent <= Extent::warp) return;
        return cell.set_write_extent(std::max(earlier.extent, Extent::warp));
    }
    Manner const& how = manner(other);
    if (how.is_beside() || by.manner.is_beside()) return;
    bool const is_own_cta = other.cta == by.record.cta, is_own_warp = is_own_cta && other.warp == by.record.warp;
    if (is_own_warp && earlier.lane == by.lane && last.number == 0) {
        // Who knows of one of them knows of both, and more can race with the weak one.
        bool const is_one = other.time >= by.cta.warps[by.record.warp].changed;
        cell = Cell(!how.is_strong && is_one ? earlier : by.stamp(earlier.extent));
        return;
    }
    bool const is_behind_all =
        is_ordered(earlier, other, by) && (last.number == 0 || is_ordered(last, records_[last.record()], by));
    if (!how.is_strong || is_behind_all) return;
    if (by.manner.sort == Sort::atomic && (last.number != 0 || !is_own_cta)) {
        // Barriers of its own block order the last one for those who read next; so the last one of another block is kept, too. An
        // atomic reads as well.
        if (last.number != 0 && records_[last.record()].cta != by.record.cta) earlier = last;
        earlier.extent = Extent::grid;
        cell = Cell(earlier);
        cell.set_read(by.stamp());
        return;
    }
    Extent const extent = is_own_warp ? Extent::warp : is_own_cta ? Extent::cta : Extent::grid;
    cell = Cell(by.stamp(std::max(earlier.extent, extent)));
}

bool RaceCheck::is_atomic(Stamp const& earlier) const {
    return earlier.is_any() && earlier.record() >= launch_first_ &&
           manner(records_[earlier.record()]).sort == Sort::atomic;
}

/// Behind an atomic of its own a thread knows that those before it are over, whether these order anything or not: the last one that
/// counts a counter up may set it back.
bool RaceCheck::is_behind_own_atomic(Cell const& cell, Doer const& by) const {
    if (cell.write_extent() == Extent::lane) return false;
    auto const is_own = [&](Stamp const& stamp) { return is_atomic(stamp) && is_own_access(stamp, by); };
    return is_own(cell.write()) || is_own(cell.read());
}

}  // namespace warpsim::check
