// What an access does to the lines of L1 that it touches, one after the other.
#include "sim/timing/sm/data_path.hpp"

namespace warpsim::timing {

/// Where the access's line is. What has been done with those before it may have made it give way.
std::uint32_t DataPath::place_of(MemoryOperation const& o) const {
    std::uint64_t const line = o.lines.lines[o.next_line].line;
    std::uint32_t const place = places_[o.next_line];
    bool const is_known = place == SectoredCache::none ? prefetcher_ == nullptr : tags_[place].number == line;
    return is_known ? place : tags_.find(line);
}

/// Stores, atomics and loads that L1 does not serve.
bool DataPath::pass_lines(MemoryOperation& o, Cycle now) {
    bool const is_atomic = o.kind == OperationKind::atomic, is_store = o.kind == OperationKind::store;
    bool const is_awaited = !is_store && o.load != UINT32_MAX;
    RequestKind const kind = is_store ? RequestKind::write : is_atomic ? RequestKind::atomic : RequestKind::read;
    std::uint32_t const token = is_awaited ? load_token | o.load : kind == RequestKind::read ? nobody : o.writer;
    for (; o.next_line < o.lines.count; ++o.next_line) {
        LineAccess const& access = o.lines.lines[o.next_line];
        std::uint32_t const place = place_of(o);
        if (is_store) {
            if (write_credits_ == 0) return false;
            --write_credits_;
            store_line(o, access, place);
            if (o.writer != nobody) ++writes_[o.writer].unacknowledged;
        } else {
            if (place != SectoredCache::none) {
                auto const kept = static_cast<std::uint8_t>(~access.sectors);
                tags_[place].valid &= kept;
                tags_[place].partial &= kept;
            }
            if (is_awaited) loads_[o.load].sectors += count_of(access.sectors);
            if (is_awaited && is_atomic) loads_[o.load].writer = o.writer;
            if (is_atomic && o.writer != nobody) writes_[o.writer].unacknowledged += count_of(access.sectors);
        }
        request(now, access, kind, token, is_store ? std::uint8_t{1} : o.turns, o.grid);
    }
    return true;
}

/// L1 writes through. If its policy allocates, a line gets its entry, sectors that are written as a whole can be read, and
/// parts of sectors stay, for further stores to them; else a store leaves L1 as it is.
void DataPath::store_line(MemoryOperation& o, LineAccess const& access, std::uint32_t place) {
    bool const is_here = place != SectoredCache::none;
    bool const allocates = stores_->allocates({access.line, access.sectors, access.covered, is_here});
    if (!is_here) {
        if (!allocates) return;
        SectoredCache::Evicted evicted;  // nothing to write back
        place = tags_.allocate(access.line, evicted);
        if (place == SectoredCache::none) return;
    }
    SectoredCache::Line& line = tags_[place];
    std::uint32_t const hits = count_of(access.sectors & (line.valid | line.partial));
    statistics_[o.grid].store_hits += hits;
    o.hits += hits;
    tags_.touch(place);
    if (!allocates) return;
    auto const free = static_cast<std::uint8_t>(access.sectors & ~tags_.pending(place));
    line.valid |= access.covered & free;
    line.partial |= free;
    line.partial &= static_cast<std::uint8_t>(~line.valid);
}

bool DataPath::load_lines(MemoryOperation& o, Cycle now) {
    std::uint64_t sector_hits = 0, tag_hits = 0;
    bool are_taken = true;
    for (; o.next_line < o.lines.count; ++o.next_line) {
        LineAccess const& access = o.lines.lines[o.next_line];
        std::uint32_t place = place_of(o);
        bool const is_here = place != SectoredCache::none;
        std::uint32_t const wanted = count_of(access.sectors);
        auto const missing = static_cast<std::uint8_t>(access.sectors & ~(is_here ? tags_[place].valid : 0));
        std::uint32_t hits = wanted;
        if (missing != 0) {
            // As profilers count: a sector that is in flight is a hit.
            auto const unknown = static_cast<std::uint8_t>(missing & ~(is_here ? tags_.pending(place) : 0));
            are_taken = ask_for(o, access.line, missing, place, now);
            if (!are_taken) break;
            hits -= count_of(unknown);
        }
        sector_hits += hits;
        tag_hits += is_here ? wanted : 0;
        tags_.touch(place);
        if (prefetcher_) {
            note_use(place, missing == 0, hits != wanted, o.grid);
            prefetches_.clear();
            prefetcher_->loaded({access.line, missing == 0, o.next_line == 0, o.warp, o.instruction, now},
                                prefetches_);
            prefetch(now, o.grid);
        }
    }
    o.hits += static_cast<std::uint32_t>(sector_hits);
    statistics_[o.grid].sector_hits += sector_hits;
    statistics_[o.grid].tag_hits += tag_hits;
    return are_taken;
}

/// Sectors that L1 does not have, for the load. `place`: of the line, or none so far. False: there is no room.
bool DataPath::ask_for(MemoryOperation const& o, std::uint64_t number, std::uint8_t missing, std::uint32_t& place,
                       Cycle now) {
    bool const is_known = place != SectoredCache::none && tags_[place].mshr != SectoredCache::none;
    if (is_known ? !mshrs_.can_merge(tags_[place].mshr) : mshrs_.full()) return false;
    if (place == SectoredCache::none) {
        SectoredCache::Evicted evicted;  // never dirty: L1 writes through
        place = tags_.allocate(number, evicted);
        if (place == SectoredCache::none) return false;
    }
    SectoredCache::Line& line = tags_[place];
    if (line.mshr == SectoredCache::none) line.mshr = mshrs_.take();
    mshrs_.add(line.mshr, missing, o.load);
    if (o.load != UINT32_MAX) loads_[o.load].sectors += count_of(missing);
    auto const fresh = static_cast<std::uint8_t>(missing & ~tags_.pending(place));
    if (fresh == 0) return true;
    tags_.expect(place, fresh);
    request(now, {number, fresh, 0}, RequestKind::read, place, 1, o.grid);
    return true;
}

/// A load has asked for the line: what had been fetched ahead of it was of use to the grid that it was fetched for.
void DataPath::note_use(std::uint32_t place, bool has_come, bool is_miss, GridNumber grid) {
    SectoredCache::Line& line = tags_[place];
    if (line.prefetched == 0) {
        if (is_miss) ++statistics_[grid].prefetch.missed;
        return;
    }
    sim::PrefetchCounts& counts = statistics_[line.prefetched - 1u].prefetch;
    ++(has_come ? counts.useful : counts.late);
    line.prefetched = 0;
}

/// Fetches whole lines that no load waits for. They are dropped where loads would have to wait for an MSHR or a
/// line.
void DataPath::prefetch(Cycle now, GridNumber grid) {
    for (std::uint64_t const wanted : prefetches_) {
        if (mshrs_.full()) return;
        if (tags_.find(wanted) != SectoredCache::none) continue;
        SectoredCache::Evicted evicted;  // never dirty: L1 writes through
        std::uint32_t const place = tags_.allocate(wanted, evicted);
        if (place == SectoredCache::none) continue;
        tags_[place].mshr = mshrs_.take();
        tags_[place].prefetched = static_cast<std::uint8_t>(grid + 1u);
        ++statistics_[grid].prefetch.issued;
        mshrs_.add(tags_[place].mshr, all_sectors, UINT32_MAX);
        tags_.expect(place, all_sectors);
        request(now, {wanted, all_sectors, 0}, RequestKind::read, place, 1, grid);
    }
}

}  // namespace warpsim::timing
