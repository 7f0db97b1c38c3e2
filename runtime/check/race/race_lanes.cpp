// The accesses of a warp's lanes, cell by cell: neighbours that access 16 bytes together are looked at once.
#include "runtime/check/race/race_check.hpp"
#include "runtime/check/race/stored_values.hpp"

#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace warpsim::check {

using isa::LaneMask;
using Extent = Stamp::Extent;

namespace {

/// Whether so many lanes from this one on access neighbouring bytes, the first of them at a multiple of 16.
bool are_together(sim::Addresses const& addresses, LaneMask mask, std::uint32_t lane, std::uint32_t lanes) {
    LaneMask const wanted = ((LaneMask{1} << lanes) - 1) << lane;
    if (lane + lanes > 32 || (mask & wanted) != wanted) return false;
    std::uint64_t const first = addresses.of(static_cast<int>(lane));
    if (first % together_bytes != 0 || addresses.pattern == sim::Pattern::uniform) return false;
    if (addresses.pattern == sim::Pattern::affine) return true;
    for (std::uint32_t i = 1; i < lanes; ++i)
        if (addresses.lane[lane + i] != first + std::uint64_t{i} * addresses.bytes) return false;
    return true;
}

}  // namespace

/// Whether what was written last cannot race with any thread of the CTA.
inline bool RaceCheck::is_write_before_barrier(Cell const& cell, Doer const& by) const {
    std::uint32_t const number = cell.write_number();
    if (number <= by.settled_number) return true;
    if (number <= launch_first_ || cell.write_extent() == Extent::grid) return false;
    Record const& other = records_[number - 1];
    return other.cta == by.record.cta && other.time < by.cta.barrier && by.manner.proxy == Proxy::generic;
}

Cells RaceCheck::cells(sim::Cta const* cta, std::uint64_t address, std::uint32_t bytes) {
    if (cta == nullptr) return global_.cells_of_one(address, bytes);
    return shared_of(cta->linear).block.cells_of_one(address, bytes);
}

/// Calls with(memory, address) for the memory of an access by one lane of the CTA; `own`: its shared memory, null for global
/// memory.
template <class With>
Cells RaceCheck::cells(sim::Cta const& cta, SharedShadow* own, std::uint64_t address, With const& with) {
    if (own == nullptr) return with(global_, address);
    std::uint64_t const rank = address >> sim::rank_shift;
    if (rank == 0) return with(own->block, address);
    return with(shared_of(cta.cluster->ctas[rank - 2].linear).block,
                address & ((std::uint64_t{1} << sim::rank_shift) - 1));
}
Cells RaceCheck::cells_of_one(sim::Cta const& cta, SharedShadow* own, Doer const& by) {
    return cells(cta, own, by.address,
                 [&](auto& memory, std::uint64_t address) { return memory.cells_of_one(address, by.bytes); });
}
Cells RaceCheck::cells_of_many(sim::Cta const& cta, SharedShadow* own, Doer const& by) {
    return cells(cta, own, by.address,
                 [&](auto& memory, std::uint64_t address) { return memory.cells_of_many(address, by.step_log2); });
}

void RaceCheck::access_lanes(sim::Addresses const& addresses, sim::Cta const& cta, Doer& by, SharedShadow* own) {
    by.bytes = addresses.bytes;
    bool const is_bulk = !std::has_single_bit(by.bytes);  // a store of as many bytes as it likes
    bool const is_read = by.manner.sort == Sort::read;
    bool const has_value = by.manner.sort == Sort::write && by.bytes <= 32 && !is_bulk && by.event != nullptr;
    std::optional<StoredValues> values;
    if (has_value) values.emplace(*by.event);
    by.step_log2 = static_cast<std::uint8_t>(ShadowBlock::unit_log2(0, by.bytes));
    std::uint32_t const together =
        is_bulk || by.manner.sort == Sort::atomic ? 1 : std::max(together_bytes / by.bytes, 1u);
    // Of lanes that read the same, the first two tell all, unless somebody has written there since the last barrier.
    std::uint64_t settled = ~std::uint64_t{0}, hashed = ~std::uint64_t{0};
    bool const is_beside = own == nullptr && !beside_.empty();
    for (LaneMask left = addresses.mask; left != 0;) {
        by.lane = static_cast<std::uint32_t>(std::countr_zero(left));
        by.address = addresses.of(static_cast<int>(by.lane));
        if (by.address == settled) {
            if (addresses.pattern == sim::Pattern::uniform) return;
            left &= left - 1;
            continue;
        }
        if (together > 1 && !is_beside && are_together(addresses, left, by.lane, together)) {
            if (has_value) by.together_hash = values->hash_of_lanes(by.lane);
            hashed = by.address / together_bytes;
            Cells const both = cells_of_many(cta, own, by);
            if (access_together(both, by, values ? &*values : nullptr)) {
                left &= ~(((LaneMask{1} << together) - 1) << std::countr_zero(left));
                continue;
            }
            by.lane = static_cast<std::uint32_t>(std::countr_zero(left));
        }
        left &= left - 1;
        if (is_beside) check_ranges(by);
        if (is_bulk) {
            touch({own != nullptr ? &cta : nullptr, by.address}, by.bytes, by);
            continue;
        }
        if (by.address / together_bytes != hashed) by.together_hash = 0;
        if (has_value) by.value_hash = values->hash_of_lane(by.lane);
        if (!is_read) access_one(cta, by, own);
        else if (read_one(cta, by, own)) settled = by.address;
    }
}

/// Lanes from by.lane on access 16 bytes, which these cells stand for. False: the lanes have to be looked at one by one.
bool RaceCheck::access_together(Cells const& cells, Doer& by, StoredValues const* values) {
    auto const cell_log2 = static_cast<unsigned>(std::countr_zero(together_bytes / cells.size()));
    bool const is_read = by.manner.sort == Sort::read;
    if (cell_log2 > by.step_log2) {
        std::uint32_t const lanes = 1u << (cell_log2 - by.step_log2);
        if (cells.size() > 1) by.together_hash = 0;
        for (Cell& cell : cells) {
            if (!(is_read ? read_together(cell, by) : write_together(cell, by))) return false;
            by.lane += lanes;
        }
        return true;
    }
    std::uint32_t const lane = by.lane;
    std::uint64_t const address = by.address;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::uint32_t const next = lane + (static_cast<std::uint32_t>(i << cell_log2) >> by.step_log2);
        by.address = address + (std::uint64_t{next - lane} << by.step_log2);
        if (values != nullptr && (next != by.lane || i == 0)) by.value_hash = values->hash_of_lane(next);
        by.lane = next;
        if (is_read) read(cells[i], by);
        else write(cells[i], by);
    }
    return true;
}

/// Writes, or changes by an atomic.
void RaceCheck::access_one(sim::Cta const& cta, Doer& by, SharedShadow* own) {
    for (Cell& cell : cells_of_one(cta, own, by)) {
        if (by.event != nullptr && by.event->access.swaps) verify(cell.read(), by);
        write(cell, by);
    }
}

/// Whether other lanes that read the same add nothing to it.
bool RaceCheck::read_one(sim::Cta const& cta, Doer& by, SharedShadow* own) {
    bool is_settled = true;
    for (Cell& cell : cells_of_one(cta, own, by)) {
        read(cell, by);
        is_settled &= cell.read().extent != Extent::lane && is_write_before_barrier(cell, by);
    }
    return is_settled;
}

/// Whether it was by the same lane, in this launch.
bool RaceCheck::is_own_access(Stamp const& earlier, Doer const& by) const {
    if (!earlier.is_any() || earlier.record() < launch_first_ || earlier.lane != by.lane) return false;
    Record const& other = records_[earlier.record()];
    return other.cta == by.record.cta && other.warp == by.record.warp;
}

/// ... `ld.global.nc`, which like a texture fetch does not see what the same kernel has written.
void RaceCheck::check_constant(Cell const& cell, Doer& by) {
    if (cell.write_number() <= launch_first_) return;
    Proxy const proxy = std::exchange(by.manner.proxy, Proxy::texture);
    check(cell.write(), settled_writes_, by);
    by.manner.proxy = proxy;
}

void RaceCheck::read(Cell& cell, Doer& by) {
    if (by.is_of_constant) check_constant(cell, by);
    if (!is_write_before_barrier(cell, by)) {
        by.reads_again = is_own_access(cell.read(), by);
        if (!is_behind_own_atomic(cell, by)) check(cell.write(), settled_writes_, by);
        if (cell.write_extent() == Extent::grid && is_atomic(cell.read()) && !is_own_access(cell.read(), by))
            check(cell.read(), settled_reads_, by);
    }
    if (cell.read_number() <= by.settled_number) return cell.set_read(by.stamp());
    Stamp const earlier = cell.read();
    Extent extent = Extent::lane;
    if (earlier.record() >= launch_first_) {
        if (earlier.record() == by.id && (earlier.extent != Extent::lane || earlier.lane == by.lane)) return;
        Record const& other = records_[earlier.record()];
        if (by.knows_barriers_only && !by.manner.is_beside()) {
            // One reader more makes no difference to what is known of many.
            if (earlier.extent == Extent::grid) return;
            if (earlier.extent == Extent::cta && other.cta == by.record.cta && other.time > by.cta.barrier) return;
        }
        if (!is_ordered(earlier, other, by)) {
            extent = other.cta != by.record.cta     ? Extent::grid
                     : other.warp != by.record.warp ? Extent::cta
                                                    : Extent::warp;
            extent = std::max(extent, earlier.extent);
            // What goes on beside the threads is the last to be over.
            if (manner(other).is_beside() && records_.time_of(earlier.record(), earlier.lane) == Record::pending) {
                Stamp named = earlier;
                named.extent = extent;
                return cell.set_read(named);
            }
        }
    }
    cell.set_read(by.stamp(extent));
}

/// ... of all lanes that read this cell; false: nothing was done, since it depends on what each of them knows.
bool RaceCheck::read_together(Cell& cell, Doer const& by) {
    if (by.is_of_constant && cell.write_number() > launch_first_) return false;
    if (!is_settled(cell.write(), by)) return false;
    if (cell.read_number() <= by.settled_number) {
        cell.set_read(by.stamp_together());
        return true;
    }
    Stamp const earlier = cell.read();
    Extent extent = Extent::lane;
    if (earlier.record() >= launch_first_) {
        bool const is_same = earlier.lane == by.lane && earlier.step_log2 == by.step_log2;
        if (earlier.record() == by.id && (earlier.extent != Extent::lane || is_same)) return true;
        Record const& other = records_[earlier.record()];
        if (by.knows_barriers_only && !by.manner.is_beside()) {
            if (earlier.extent == Extent::grid) return true;
            if (earlier.extent == Extent::cta && other.cta == by.record.cta && other.time > by.cta.barrier)
                return true;
        }
        if (!is_settled(earlier, by)) {
            if (!by.knows_barriers_only || other.is_by_lane || other.time == Record::pending) return false;
            bool const is_same_warp = other.cta == by.record.cta && other.warp == by.record.warp;
            // Some of the lanes may be the same.
            if (is_same_warp && earlier.extent == Extent::lane && earlier.step_log2 != by.step_log2) return false;
            extent = other.cta != by.record.cta ? Extent::grid : is_same_warp ? Extent::warp : Extent::cta;
            extent = std::max(extent, earlier.extent);
        }
    }
    cell.set_read(by.stamp_together(extent));
    return true;
}

void RaceCheck::write(Cell& cell, Doer const& by) {
    if (cell.write_number() > by.settled_number && !is_behind_own_atomic(cell, by))
        check(cell.write(), settled_writes_, by);
    if (cell.read_number() > by.settled_number) check(cell.read(), settled_reads_, by);
    if (by.manner.is_strong) write_strongly(cell, by);
    else cell = Cell(by.stamp());
}

bool RaceCheck::write_together(Cell& cell, Doer const& by) {
    if (!is_settled(cell.write(), by) || !is_settled(cell.read(), by)) return false;
    cell = Cell(by.stamp_together());
    return true;
}

/// A compare-and-swap of what this thread's warp has last read there.
void RaceCheck::verify(Stamp const& earlier, Doer const& by) {
    if (!earlier.is_any() || earlier.record() < launch_first_) return;
    Record const& read = records_[earlier.record()];
    Instruction const which = manner(read).instruction;
    bool const is_own =
        manner(read).sort == Sort::read && read.cta == by.record.cta && read.warp == by.record.warp;
    if (is_own && std::find(verified_.begin(), verified_.end(), which) == verified_.end())
        verified_.push_back(which);
}

/// Any number of bytes, as copies have.
void RaceCheck::touch(sim::MemoryPlace const& place, std::uint64_t bytes, Doer& by) {
    for (std::uint64_t done = 0; done < bytes;) {
        std::uint64_t const at = place.address + done;
        std::uint64_t const most = std::bit_floor(std::min<std::uint64_t>(bytes - done, 16));
        auto const step =
            static_cast<std::uint32_t>(std::min(most, (at & (~at + 1)) == 0 ? most : at & (~at + 1)));
        by.address = at;
        by.bytes = step;
        if (place.cta == nullptr && !beside_.empty()) check_ranges(by);
        for (Cell& cell : cells(place.cta, at, step)) {
            if (by.manner.sort == Sort::read) read(cell, by);
            else write(cell, by);
        }
        done += step;
    }
}

}  // namespace warpsim::check
