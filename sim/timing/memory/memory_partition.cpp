#include "sim/timing/memory/memory_partition.hpp"

#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/components.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

namespace {

/// The sectors that a miss fetches: those that were asked for and their neighbours, in units of `bytes`.
std::uint8_t with_neighbours(std::uint8_t sectors, std::uint32_t bytes) {
    if (bytes >= line_bytes) return 0xf;
    if (bytes <= sector_bytes) return sectors;
    std::uint8_t const low = (sectors | sectors >> 1) & 0x5;
    return static_cast<std::uint8_t>(low | low << 1);
}

// The time of slices is counted in parts of their cycles, so that widths such as 38 bytes are kept.
constexpr Cycle parts_of_cycle = 16;
// That of the way to DRAM in smaller ones.
constexpr Cycle parts_to_dram = 64;

Cycle parts(std::uint32_t bytes, std::uint32_t bytes_per_cycle) {
    return (bytes * parts_of_cycle + bytes_per_cycle - 1) / bytes_per_cycle;
}

/// The sectors of which parts are known after a write.
std::uint8_t partial_after(SectoredCache::Line const& line, MemoryRequest const& write) {
    auto const some = static_cast<std::uint8_t>(write.sectors & ~(write.covered | line.valid));
    return static_cast<std::uint8_t>((line.partial & ~write.covered) | some);
}

/// How many aligned accesses of that many bytes the sectors take.
std::uint32_t accesses(std::uint8_t sectors, std::uint32_t bytes) {
    if (bytes <= sector_bytes) return count_of(sectors) * (sector_bytes / bytes);
    if (bytes >= line_bytes) return 1;
    return count_of(static_cast<std::uint8_t>((sectors | sectors >> 1) & 0x5));
}

/// The lines of one slice. Where the sets are no multiple of the slices, the first ones have a set more.
std::uint32_t lines_of_slice(sim::Config const& config, std::uint32_t number) {
    sim::L2SlicesConfig const& slices = *config.l2.slices;
    std::uint64_t const sets = config.l2.size_bytes() / line_bytes / slices.ways;
    return static_cast<std::uint32_t>(sets / slices.count + (number < sets % slices.count ? 1 : 0)) * slices.ways;
}

std::unique_ptr<plugin::WritePolicy> make_writes(std::string const& which, std::uint32_t slice) {
    plugin::WriteSettings settings;
    settings.level = plugin::CacheLevel::l2;
    settings.number = slice;
    return memory_components().make_write_policy(which, settings);
}

}  // namespace

MemoryPartition::Slice::Slice(sim::Config const& config, std::uint32_t number)
    : tags(lines_of_slice(config, number), config.l2.slices->ways, config.l2.slices->replacement,
           plugin::CacheLevel::l2, number),
      writes(make_writes(config.l2.slices->write_policy, number)),
      mshrs(config.l2.slices->mshrs, config.l2.slices->mshr_merges),
      port(engine::Clock(config.clock_mhz), engine::Clock(config.l2.slices->clock_mhz * parts_of_cycle), 1),
      reply_port(engine::Clock(config.clock_mhz), engine::Clock(config.interconnect->clock_mhz),
                 config.interconnect->slice_reply_bytes_per_cycle),
      partly_written(config.l2.slices->partial_accesses,
                     std::clamp(config.dram.channels->access_bytes / sector_bytes, 1u, line_bytes / sector_bytes)),
      number(number),
      partition(number / (config.l2.slices->count / config.l2.slices->partitions)) {}

MemoryPartition::MemoryPartition(sim::Config const& config, std::uint32_t channel, AddressMap const& map)
    : l2_(*config.l2.slices),
      dram_config_(*config.dram.channels),
      network_(*config.interconnect),
      copies_fill_l2_(config.copies.fill_l2),
      core_clock_(config.clock_mhz),
      dram_clock_(config.dram.clock_mhz),
      map_(map),
      sms_(config.sm.count),
      hit_latency_(config.l2.slices->hit_latency_cycles),
      write_bytes_(l2_.write_bytes_per_cycle != 0 ? l2_.write_bytes_per_cycle : l2_.bytes_per_cycle),
      dram_(config.dram, *config.dram.channels, channel),
      dram_port_(core_clock_, engine::Clock(l2_.clock_mhz * parts_to_dram), 1),
      outbox_(config.sm.count + std::size_t{1}),  // to SMs, and to the copy engines
      statistics_(1) {
    for (std::uint32_t i = 0; i < map.slices_per_channel(); ++i) {
        slices_.emplace_back(config, channel * map.slices_per_channel() + i);
    }
    std::uint32_t const sms_of_partition = (sms_ + l2_.partitions - 1) / l2_.partitions;
    for (std::uint32_t sm = 0; sm < sms_; ++sm) partition_of_.push_back(sm / sms_of_partition);
    most_waiting_ = slices_.front().reply_port.cycles(std::uint64_t{network_.slice_reply_entries} * sector_bytes);
    // On the way to DRAM there is room for one request per cycle.
    most_to_dram_ = dram_config_.input_entries + hit_latency_ + dram_config_.latency_cycles / 2;
}

Cycle MemoryPartition::start_of(Slice const& slice) const {
    if (slice.is_blocked || slice.inbox.empty()) return engine::never;
    Cycle const replies = slice.reply_port.free();
    return std::max(
        {slice.inbox.next_time(), slice.port.free(), replies > most_waiting_ ? replies - most_waiting_ : 0});
}

void MemoryPartition::take_requests(std::uint32_t slice_of_partition, std::size_t self,
                                    std::span<engine::Outbox<MemoryRequest>* const> sources, std::size_t first) {
    Slice& slice = slices_[slice_of_partition];
    if (slice.inbox.collect(self, sources, first)) next_ = std::min(next_, start_of(slice));
}

Cycle MemoryPartition::find_next() const {
    Cycle next = fills_.empty() ? engine::never : fills_.front().at;
    if (!copied_.empty()) next = std::min(next, copied_.front().at);
    for (Slice const& slice : slices_) {
        next = std::min(next, start_of(slice));
        if (!slice.hits.empty()) next = std::min(next, slice.hits.front().at);
    }
    if (dram_.next() != engine::never) next = std::min(next, core_clock_.first_at(dram_.next(), dram_clock_));
    return next;
}

void MemoryPartition::prefetch(Cycle end) const {
    for (Slice const& slice : slices_)
        slice.inbox.each_before(end, [&](MemoryRequest const& request) { slice.tags.prefetch(request.line); });
    for (Slice const& slice : slices_)
        slice.inbox.each_before(end,
                                [&](MemoryRequest const& request) { slice.tags.prefetch_line(request.line); });
    // What DRAM has read until now; more of that comes while the partition runs, but later.
    auto const each_miss = [&](auto const& visitor) {
        for (Fill const& fill : fills_) {
            if (fill.at >= end) return;
            if (fill.kind == FillKind::miss) visitor(slices_[fill.slice], fill.place);
        }
    };
    each_miss([](Slice const& slice, std::uint32_t place) { slice.tags.prefetch_place(place); });
    each_miss([](Slice const& slice, std::uint32_t place) { slice.mshrs.prefetch(slice.tags[place].mshr); });
}

void MemoryPartition::run(Cycle end) {
    prefetch(end);
    for (Slice& slice : slices_) slice.start_is_known = false;
    find_next_hit();
    Slice* const slices = slices_.data();
    std::uint32_t const count = this->slices();
    Cycle step = engine::never, command = engine::never;  // of DRAM, in its clock and in that of the core
    for (;;) {
        // At equal times: fills first, as they free entries; then commands; then slices by number.
        Cycle const fill = fills_.empty() ? engine::never : fills_.front().at;
        if (dram_.next() != step) {
            step = dram_.next();
            command = step == engine::never ? engine::never : core_clock_.first_at(step, dram_clock_);
        }
        Cycle first = engine::never;
        std::uint32_t chosen = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            Slice& slice = slices[i];
            if (!slice.start_is_known) {
                slice.start_is_known = true;
                slice.start = start_of(slice);
            }
            if (slice.start >= first) continue;
            first = slice.start;
            chosen = i;
        }
        Cycle const next = std::min({fill, command, first});
        if (!copied_.empty() && copied_.front().at < std::min(next, end)) {
            send_hits(copied_.front().at);
            take_copy();
            continue;
        }
        send_hits(std::min(next, end - 1));
        if (next >= end) {
            next_ = find_next();
            return;
        }
        for (Sampled& s : sampled_) {
            if (s.intervals.ends_by(next)) s.intervals.note(next, totals(s.grid));
        }
        now_ = next;
        if (fill <= command && fill <= first) {
            Fill const done = fills_.front();
            fills_.pop_front();
            finish(done);
        } else if (command <= first) {
            dram_step(next);
        } else if (start_of(slices[chosen]) == first) {  // unless replies have accumulated in the meantime
            serve(chosen, first);
            slices[chosen].start_is_known = false;
        }
    }
}

void MemoryPartition::begin_grid(GridNumber grid, Cycle interval, Cycle begin) {
    if (statistics_.size() <= grid) statistics_.resize(grid + std::size_t{1});
    statistics_[grid] = {};
    dram_.begin_grid(grid);
    if (interval != 0) sampled_.push_back({grid, Intervals(interval, begin)});
}

void MemoryPartition::end_grid(GridNumber grid) {
    std::erase_if(sampled_, [&](Sampled const& s) { return s.grid == grid; });
}

sim::IntervalSample MemoryPartition::totals(GridNumber grid) const {
    sim::IntervalSample s;
    s.l2 = statistics_[grid];
    s.dram = dram_.statistics(grid);
    return s;
}

void MemoryPartition::give_samples(GridNumber grid, std::vector<sim::IntervalSample>& samples) {
    for (Sampled& s : sampled_) {
        if (s.grid != grid) continue;
        s.intervals.note(now_, totals(grid));
        s.intervals.give_to(samples);
    }
}

/// In the order of (cycle, slice), whatever else the partition does in between.
void MemoryPartition::send_hits(Cycle now) {
    while (next_hit_ <= now) {
        Slice* first = nullptr;
        for (Slice& slice : slices_) {
            if (slice.hits.empty() || slice.hits.front().at > now) continue;
            if (first == nullptr || slice.hits.front().at < first->hits.front().at) first = &slice;
        }
        Hit const hit = first->hits.front();
        first->hits.pop_front();
        find_next_hit();
        send(*first, hit.sm, hit.at, hit.reply, hit.has_copy);
    }
}

void MemoryPartition::find_next_hit() {
    next_hit_ = engine::never;
    for (Slice const& slice : slices_)
        if (!slice.hits.empty()) next_hit_ = std::min(next_hit_, slice.hits.front().at);
}

void MemoryPartition::add_hit(Slice& slice, Hit const& hit) {
    slice.hits.push_back(hit);
    next_hit_ = std::min(next_hit_, hit.at);
}

/// An SM is close to the slices of one partition. A request for what belongs to another goes through its own, which
/// keeps a copy of sectors that were read: only the first read takes the detour, and whatever changes them.
void MemoryPartition::send(Slice& slice, std::uint32_t sm, Cycle ready, MemoryReply const& reply, bool has_copy) {
    // An acknowledgement is only a header, which takes no time of the port.
    Cycle const begin = reply.sectors == 0
                            ? std::max(ready, slice.reply_port.free())
                            : slice.reply_port.pass(ready, count_of(reply.sectors) * sector_bytes).begin;
    Cycle at = begin + network_.reply_latency_cycles;
    if (!has_copy && sm != sms_ && is_far(slice, sm)) at += network_.far_partition_cycles;
    MemoryReply sent = reply;
    sent.slice = static_cast<std::uint8_t>(slice.number % slices_.size());
    slice.start_is_known = false;
    outbox_.send(sm, at, sent);
}

void MemoryPartition::serve(std::uint32_t index, Cycle now) {
    Slice& slice = slices_[index];
    MemoryRequest const request = slice.inbox.front();
    std::uint32_t const sm = slice.inbox.front_source();
    std::uint32_t const place = slice.tags.find(request.line);
    Cycle const busy = work_of(slice, request, place);
    bool const served = request.grid == of_copies            ? serve_copy(index, now, request, place)
                        : request.kind == RequestKind::write ? serve_write(index, now, request, sm, place)
                                                             : serve_read(index, now, request, sm, place);
    if (!served) {
        slice.is_blocked = true;
        slice.blocked_since = now;
        return;
    }
    Cycle const arrived = slice.inbox.next_time();
    if (now > std::max(arrived, slice.port.free())) slice.port.hold(now);  // its replies delayed it
    slice.port.take(arrived, busy);
    bool const is_write = request.kind == RequestKind::write;
    slice.last_written = is_write ? request.line : UINT64_MAX;
    slice.last_sectors = request.sectors;
    slice.inbox.pop();
}

/// How long the request occupies the slice, in parts of its cycles. Where a check code covers each sector, a write of a
/// part of one reads it first. A sector that is not present keeps a mask of the written bytes, which is as much work
/// again, until it is fetched or evicted (gaussian #0 of HYF writes parts of a thousand sectors, and reads none of them
/// from DRAM), or until too much after it has become partly written. Writes of the same sectors that follow one another
/// are done together, four in a cycle (bfs2 of benchmarks/validation/hopper).
Cycle MemoryPartition::work_of(Slice const& slice, MemoryRequest const& request, std::uint32_t place) const {
    auto const read = [&](std::uint32_t sectors) { return parts(sectors * sector_bytes, l2_.bytes_per_cycle); };
    auto const write = [&](std::uint32_t sectors) { return parts(sectors * sector_bytes, write_bytes_); };
    std::uint32_t const sectors = count_of(request.sectors);
    Cycle const least = parts_of_cycle / 2;  // two banks
    if (request.kind == RequestKind::atomic)
        return std::max(
            {read(sectors), least, Cycle{request.turns} * l2_.atomic_interval_cycles * parts_of_cycle});
    if (request.kind == RequestKind::read) return std::max(read(sectors), least);
    if (request.line == slice.last_written && request.sectors == slice.last_sectors) return parts_of_cycle / 4;
    Cycle work = write(sectors);
    if (l2_.reads_before_partial_writes && place != SectoredCache::none) {
        SectoredCache::Line const& line = slice.tags[place];
        auto const some = static_cast<std::uint8_t>(request.sectors & ~request.covered);
        std::uint32_t const merged = count_of(static_cast<std::uint8_t>(some & (line.valid | line.partial)));
        std::uint32_t const masked = count_of(static_cast<std::uint8_t>(some & line.partial));
        work += read(merged) + read(masked) + write(masked);
    }
    return std::max(work, least);
}

/// What has been partly written for longest is completed: DRAM reads it, and then writes it, and L2 has it as a whole.
/// False: too much of that is under way, or DRAM's queue has no room.
bool MemoryPartition::complete_oldest(std::uint32_t index, Cycle now, GridNumber grid) {
    Slice& slice = slices_[index];
    if (l2_.partial_merges != 0 && slice.merging >= l2_.partial_merges) return false;
    if (!dram_takes(slice, 3)) return false;  // with the line that the write evicts
    auto const [place, sectors] = slice.partly_written.oldest(slice.tags);
    SectoredCache::Line& line = slice.tags[place];
    std::uint64_t const tag =
        std::uint64_t{index} << 56 | std::uint64_t{grid} << 40 | std::uint64_t{place} << 8 | merge_tag | sectors;
    std::uint8_t const fetched = with_neighbours(sectors, dram_config_.access_bytes);
    to_dram(now, line.number, fetched, false, tag, grid);
    auto const rest = static_cast<std::uint8_t>(line.partial & ~sectors);
    slice.partly_written.changed(line.number, line.partial, rest);
    line.partial = rest;
    line.valid |= static_cast<std::uint8_t>(fetched & ~slice.tags.pending(place));
    ++slice.merging;
    return true;
}

/// Simplified: the line is taken to be what it was when the merge began, even if it has been evicted since.
void MemoryPartition::finish_merge(Fill const& fill) {
    Slice& slice = slices_[fill.slice];
    std::uint32_t const sectors = count_of(fill.sectors);
    slice.port.take(fill.at, parts(sectors * sector_bytes, write_bytes_) +
                                 parts(sectors * sector_bytes, l2_.bytes_per_cycle));
    statistics_[fill.grid].written_back_sectors += sectors;
    to_dram(fill.at, slice.tags[fill.place].number, fill.sectors, true, write_tag, fill.grid);
    --slice.merging;
    slice.start_is_known = false;
    unblock(slice, fill.at);
}

bool MemoryPartition::serve_write(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t sm,
                                  std::uint32_t place) {
    Slice& slice = slices_[index];
    bool const is_here = place != SectoredCache::none;
    for (;;) {
        SectoredCache::Line const known = is_here ? slice.tags[place] : SectoredCache::Line{};
        if (!slice.partly_written.lacks_room(known.partial, partial_after(known, request))) break;
        if (!complete_oldest(index, now, request.grid)) return false;
    }
    plugin::LineStore const store{request.line, request.sectors, request.covered, is_here};
    bool const allocates = is_here || slice.writes->allocates(store);
    bool const goes_on = allocates && slice.writes->writes_through(store);
    if (!allocates || goes_on) {
        if (!dram_takes(slice, 3)) return false;
    } else if (!is_here && !dram_takes(slice, 1)) {
        return false;
    }
    if (!is_here && allocates) {
        SectoredCache::Evicted evicted;
        place = slice.tags.allocate(request.line, evicted);
        if (place == SectoredCache::none) return false;
        write_back(slice, now, evicted, request.grid);
    }
    statistics_[request.grid].write_sectors += count_of(request.sectors);
    if (allocates) write(slice, request, place);
    if (goes_on) write_through(slice, now, request, place);
    if (!allocates) write_around(now, request);
    // The SM gets its credit back.
    add_hit(slice, {now + hit_latency_, sm, {request.token, RequestKind::write, 0, request.grid}});
    return true;
}

/// What the line has as whole sectors is clean afterwards; parts of sectors stay until they are complete or evicted.
void MemoryPartition::write_through(Slice& slice, Cycle now, MemoryRequest const& request, std::uint32_t place) {
    SectoredCache::Line& line = slice.tags[place];
    auto const sectors = static_cast<std::uint8_t>(request.sectors & line.dirty);
    if (sectors == 0) return;
    line.dirty &= static_cast<std::uint8_t>(~sectors);
    statistics_[request.grid].written_back_sectors += count_of(sectors);
    to_dram(now, request.line, sectors, true, write_tag, request.grid);
}

/// DRAM merges parts of sectors: it reads and writes them.
void MemoryPartition::write_around(Cycle now, MemoryRequest const& request) {
    auto const some = static_cast<std::uint8_t>(request.sectors & ~request.covered);
    if (some != 0)
        to_dram(now, request.line, with_neighbours(some, dram_config_.access_bytes), false, unheeded_tag,
                request.grid);
    statistics_[request.grid].written_back_sectors += count_of(request.sectors);
    to_dram(now, request.line, request.sectors, true, write_tag, request.grid);
}

/// A read or an atomic.
bool MemoryPartition::serve_read(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t sm,
                                 std::uint32_t place) {
    Slice& slice = slices_[index];
    bool const is_atomic = request.kind == RequestKind::atomic;
    std::uint32_t const wanted = count_of(request.sectors);
    std::uint8_t const valid = place == SectoredCache::none ? std::uint8_t{0} : slice.tags[place].valid;
    auto const missing = static_cast<std::uint8_t>(request.sectors & ~valid);
    auto const unknown =
        static_cast<std::uint8_t>(missing & ~(place == SectoredCache::none ? 0 : slice.tags.pending(place)));
    if (missing != 0 && !miss(index, now, request, sm, place, missing)) return false;
    sim::L2Counts& statistics = statistics_[request.grid];
    (is_atomic ? statistics.atomic_sectors : statistics.read_sectors) += wanted;
    statistics.sector_hits += wanted - count_of(unknown);
    statistics.tag_hits += place == SectoredCache::none ? 0 : wanted;
    if (place != SectoredCache::none) slice.tags.touch(place);
    auto const hit = static_cast<std::uint8_t>(request.sectors & valid);
    if (is_atomic && hit != 0) slice.tags[place].dirty |= hit;
    Cycle const turns = is_atomic ? Cycle{request.turns - 1u} * l2_.atomic_interval_cycles : 0;
    if (hit == 0) return true;
    std::uint8_t& copied = slice.tags.of_l2(place).copied;
    bool const is_from_far = is_far(slice, sm), has_copy = !is_atomic && (hit & ~copied) == 0;
    if (is_atomic) copied &= static_cast<std::uint8_t>(~hit);
    else if (is_from_far) copied |= hit;
    add_hit(slice, {now + hit_latency_ + turns, sm, {request.token, request.kind, hit, request.grid}, has_copy});
    return true;
}

/// Whether the channel's queue has room for this many requests; if not, the slice is notified once it has.
bool MemoryPartition::dram_takes(Slice& slice, std::uint32_t requests) {
    slice.waits_for_dram = dram_.arriving() + requests > most_to_dram_;
    return !slice.waits_for_dram;
}

void MemoryPartition::unblock(Slice& slice, Cycle now) {
    if (!slice.is_blocked) return;
    slice.is_blocked = slice.waits_for_dram = slice.start_is_known = false;
    statistics_[slice.inbox.front().grid].stall_cycles += now - slice.blocked_since;
    slice.port.hold(now);
}

bool MemoryPartition::miss(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t sm,
                           std::uint32_t place, std::uint8_t missing) {
    Slice& slice = slices_[index];
    bool const is_here = place != SectoredCache::none;
    bool const is_known = is_here && slice.tags[place].mshr != SectoredCache::none;
    if (is_known ? !slice.mshrs.can_merge(slice.tags[place].mshr) : slice.mshrs.full()) return false;
    auto const awaited = static_cast<std::uint8_t>(missing & ~(is_here ? slice.tags.pending(place) : 0));
    // Its own sectors, and those of the line that is evicted.
    if (awaited != 0 && !dram_takes(slice, 2)) return false;
    if (!is_here) {
        SectoredCache::Evicted evicted;
        place = slice.tags.allocate(request.line, evicted);
        if (place == SectoredCache::none) return false;
        write_back(slice, now, evicted, request.grid);
    }
    SectoredCache::Line& line = slice.tags[place];
    if (line.mshr == SectoredCache::none) line.mshr = slice.mshrs.take();
    slice.mshrs.add(line.mshr, missing, {sm, request.token, request.kind, request.grid});
    if (awaited == 0) return true;
    auto const known = static_cast<std::uint8_t>(line.valid | slice.tags.pending(place));
    auto const fresh = static_cast<std::uint8_t>(
        with_neighbours(awaited, std::max(l2_.fetch_bytes, dram_config_.access_bytes)) & ~known);
    slice.tags.expect(place, fresh);
    std::uint64_t const tag = std::uint64_t{index} << 56 | std::uint64_t{place} << 8 | fresh;
    to_dram(now, request.line, fresh, false, tag, request.grid);
    return true;
}

void MemoryPartition::write(Slice& slice, MemoryRequest const& request, std::uint32_t place) {
    SectoredCache::Line& line = slice.tags[place];
    SectoredCache::LineOfL2& of_l2 = slice.tags.of_l2(place);
    auto const whole = static_cast<std::uint8_t>(request.covered | (request.sectors & line.valid));
    std::uint8_t const partial = partial_after(line, request);
    line.valid |= whole;
    line.dirty |= whole;
    of_l2.copied &= static_cast<std::uint8_t>(~request.sectors);
    slice.partly_written.changed(request.line, line.partial, partial);
    of_l2.rewritten = static_cast<std::uint8_t>((of_l2.rewritten | (request.sectors & line.partial)) & partial);
    line.partial = partial;
    slice.tags.touch(place);
}

void MemoryPartition::write_back(Slice& slice, Cycle now, SectoredCache::Evicted const& evicted, GridNumber grid) {
    if (evicted.dirty == 0) return;
    slice.partly_written.changed(evicted.number, evicted.partial, 0);
    statistics_[grid].written_back_sectors += count_of(evicted.dirty);
    to_dram(now, evicted.number, evicted.dirty, true, write_tag, grid);
}

void MemoryPartition::to_dram(Cycle now, std::uint64_t line, std::uint8_t sectors, bool is_write,
                              std::uint64_t tag, GridNumber grid) {
    DramChannel::Request request;
    request.address = map_.in_channel(line * line_bytes);
    request.accesses = accesses(sectors, dram_config_.access_bytes);
    Cycle arrives = now + hit_latency_ + dram_config_.latency_cycles / 2;
    // Simplified: the time for what is read is taken when it is asked for.
    if (std::uint32_t const width = dram_config_.l2_bytes_per_cycle; width != 0)
        arrives =
            dram_port_
                .take(arrives, (request.accesses * dram_config_.access_bytes * parts_to_dram + width - 1) / width)
                .begin;
    request.is_write = is_write;
    request.tag = tag;
    request.grid = grid;
    dram_.push(dram_clock_.first_at(arrives, core_clock_), request);
}

void MemoryPartition::dram_step(Cycle now) {
    done_.clear();
    dram_.step(done_);
    for (DramChannel::Completion const& c : done_) {
        if (c.is_write || c.tag == unheeded_tag) continue;
        Cycle const at = core_clock_.first_at(c.at, dram_clock_) + dram_config_.latency_cycles -
                         dram_config_.latency_cycles / 2;
        FillKind const kind = (c.tag & copy_tag) != 0    ? FillKind::copy
                              : (c.tag & merge_tag) != 0 ? FillKind::merge
                                                         : FillKind::miss;
        fills_.push_back({at, static_cast<std::uint32_t>(c.tag >> 56 & 0x7f),
                          static_cast<std::uint32_t>(c.tag >> 8 & 0xffffffff),
                          static_cast<std::uint8_t>(c.tag & 0xf), kind,
                          static_cast<GridNumber>(c.tag >> 40 & 0xff)});
        if (kind == FillKind::miss) slices_[fills_.back().slice].tags.prefetch_place(fills_.back().place);
    }
    if (dram_.arriving() + 2 > most_to_dram_) return;
    for (Slice& slice : slices_) {
        if (slice.waits_for_dram) unblock(slice, now);
    }
}

void MemoryPartition::finish(Fill const& fill) {
    Slice& slice = slices_[fill.slice];
    if (fill.kind == FillKind::merge) return finish_merge(fill);
    if (fill.kind == FillKind::copy)
        return send(slice, sms_, fill.at, {fill.place, RequestKind::read, fill.sectors, of_copies});
    slice.port.take(fill.at, parts(count_of(fill.sectors) * sector_bytes, write_bytes_));
    slice.start_is_known = false;
    SectoredCache::Line& line = slice.tags[fill.place];
    slice.partly_written.changed(line.number, line.partial,
                                 static_cast<std::uint8_t>(line.partial & ~fill.sectors));
    slice.tags.fill(fill.place, fill.sectors);
    bool const is_last = slice.tags.pending(fill.place) == 0;
    std::uint32_t const entry = line.mshr;
    if (is_last) line.mshr = SectoredCache::none;
    slice.mshrs.fill(entry, fill.sectors, is_last, [&](Waiter const& waiter, std::uint8_t sectors) {
        if (waiter.kind == RequestKind::atomic) line.dirty |= sectors;
        else if (is_far(slice, waiter.sm)) slice.tags.of_l2(fill.place).copied |= sectors;
        send(slice, waiter.sm, fill.at, {waiter.token, waiter.kind, sectors, waiter.grid});
    });
    unblock(slice, fill.at);
}

}  // namespace warpsim::timing
