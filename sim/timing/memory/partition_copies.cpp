// What copies of the host do in a memory partition, by requests and, while no grid is under way, without.
#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/memory_partition.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

void MemoryPartition::note_copy(CopiedLines const& copied) {
    auto const later = std::upper_bound(copied_.begin(), copied_.end(), copied.at,
                                        [](Cycle at, CopiedLines const& c) { return at < c.at; });
    copied_.insert(later, copied);
    next_ = std::min(next_, copied.at);
}

void MemoryPartition::forget(Slice& slice, std::uint32_t place) {
    SectoredCache::Line const& line = slice.tags[place];
    slice.partly_written.changed(line.number, line.partial, 0);
    slice.tags.forget(place);
}

/// Simplified: what has to make room is written back without taking time.
void MemoryPartition::take_copy() {
    CopiedLines const copied = std::move(copied_.front());
    copied_.pop_front();
    if (copied.in_l2.empty()) {
        for (Slice& slice : slices_) {
            for (std::uint32_t place = 0; place < slice.tags.lines(); ++place) {
                std::uint64_t const line = slice.tags[place].number;
                if (line >= copied.first && line < copied.past) forget(slice, place);
            }
        }
        return;
    }
    for (LineInL2 const& left : copied.in_l2) {
        Slice& slice = slices_[map_.slice(left.number * line_bytes) % slices_.size()];
        SectoredCache& tags = slice.tags;
        std::uint32_t place = tags.find(left.number);
        SectoredCache::Evicted evicted;
        if (place == SectoredCache::none) place = tags.allocate(left.number, evicted);
        if (place == SectoredCache::none) continue;  // all of its set wait for data
        slice.partly_written.changed(evicted.number, evicted.partial, 0);
        SectoredCache::Line& line = tags[place];
        line.valid |= left.valid;
        line.dirty |= left.dirty;
        auto const partial = static_cast<std::uint8_t>(line.partial & ~left.valid);
        slice.partly_written.changed(left.number, line.partial, partial);
        line.partial = partial;
        tags.touch(place);
    }
}

void MemoryPartition::count_copies() {
    if (statistics_.size() <= of_copies) begin_grid(of_copies, 0, 0);
}

/// What copies of the host write is in L2, or passes it; what they read leaves nothing there.
bool MemoryPartition::serve_copy(std::uint32_t index, Cycle now, MemoryRequest const& request,
                                 std::uint32_t place) {
    if (request.kind == RequestKind::read) return read_for_copy(index, now, request, place);
    if (copies_fill_l2_) return serve_write(index, now, request, sms_, place);
    Slice& slice = slices_[index];
    if (!dram_takes(slice, 1)) return false;
    if (place != SectoredCache::none) forget(slice, place);
    statistics_[of_copies].write_sectors += count_of(request.sectors);
    to_dram(now, request.line, request.sectors, true, write_tag, of_copies);
    add_hit(slice, {now + hit_latency_, sms_, {request.token, RequestKind::write, 0, of_copies}});
    return true;
}

bool MemoryPartition::read_for_copy(std::uint32_t index, Cycle now, MemoryRequest const& request,
                                    std::uint32_t place) {
    Slice& slice = slices_[index];
    std::uint8_t const valid = place == SectoredCache::none ? std::uint8_t{0} : slice.tags[place].valid;
    auto const hit = static_cast<std::uint8_t>(request.sectors & valid);
    auto const missing = static_cast<std::uint8_t>(request.sectors & ~valid);
    if (missing != 0 && !dram_takes(slice, 1)) return false;
    statistics_[of_copies].read_sectors += count_of(request.sectors);
    statistics_[of_copies].sector_hits += count_of(hit);
    statistics_[of_copies].tag_hits += place == SectoredCache::none ? 0 : count_of(request.sectors);
    if (hit != 0) add_hit(slice, {now + hit_latency_, sms_, {request.token, RequestKind::read, hit, of_copies}});
    std::uint64_t const tag = copy_tag | std::uint64_t{index} << 56 | std::uint64_t{request.token} << 8 | missing;
    if (missing != 0) to_dram(now, request.line, missing, false, tag, of_copies);
    return true;
}

}  // namespace warpsim::timing
