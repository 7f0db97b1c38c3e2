#include "sim/timing/sm/data_path.hpp"

#include "sim/timing/memory/components.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

constexpr std::uint32_t map_of_bulk = 0xfffffffe;   // owns the load of a tensor map
constexpr std::uint32_t line_of_code = 0xfffffffd;  // ... of instructions

constexpr std::uint32_t header_bytes = 8;  // of a request that carries data

std::unique_ptr<plugin::Prefetcher> make_prefetcher(sim::L1Config const& l1, std::uint32_t sm) {
    plugin::PrefetcherSettings settings;
    settings.sm = sm;
    settings.lines = l1.prefetch_lines;
    return memory_components().make_prefetcher(l1.prefetcher, settings);
}

std::unique_ptr<plugin::WritePolicy> make_stores(sim::L1Config const& l1, std::uint32_t sm) {
    plugin::WriteSettings settings;
    settings.number = sm;
    return memory_components().make_write_policy(l1.write_policy, settings);
}

}  // namespace

DataPath::DataPath(sim::Config const& config, std::uint32_t sm, AddressMap const& map, std::uint32_t l1_kib)
    : lsu_(*config.sm.lsu),
      texture_(config.sm.texture),
      l1_(*config.sm.l1),
      banks_(*config.sm.shared.banks),
      network_(*config.interconnect),
      sm_(sm),
      slice_latency_(config.l2.slices->hit_latency_cycles),
      map_(map),
      queue_entries_(std::max(config.sm.lsu->queue_entries, 1u)),
      queues_(config.sm.sub_cores + std::size_t{1}),
      front_enters_(config.sm.sub_cores + std::size_t{1}, engine::never),
      address_free_(config.sm.sub_cores + std::size_t{1}, 0),
      out_(engine::Clock(config.clock_mhz), engine::Clock(network_.clock_mhz), network_.request_bytes_per_cycle),
      in_(engine::Clock(config.clock_mhz), engine::Clock(network_.clock_mhz), network_.reply_bytes_per_cycle),
      tags_(std::max(l1_kib * 1024 / line_bytes, 1u), config.sm.l1->ways, config.sm.l1->replacement,
            plugin::CacheLevel::l1, sm),
      mshrs_(config.sm.l1->mshrs, config.sm.l1->mshr_merges),
      stores_(make_stores(*config.sm.l1, sm)),
      prefetcher_(make_prefetcher(*config.sm.l1, sm)),
      // Enough to keep the port busy while the acknowledgement of the first write is in flight.
      write_credits_(4 * (network_.request_latency_cycles + network_.reply_latency_cycles +
                          config.l2.slices->hit_latency_cycles + network_.far_partition_cycles)),
      writes_(config.sm.max_warps),
      outbox_(config.l2.slices->count),
      peers_(config.sm.count),
      bulk_(config.sm.copy_engine),
      code_bytes_(config.sm.front_end->line_bytes),
      statistics_(1),
      l1_kib_(l1_kib) {}

void DataPath::begin_grid(GridNumber grid) {
    if (statistics_.size() <= grid) statistics_.resize(grid + std::size_t{1});
    statistics_[grid] = {};
}

void DataPath::begin_kernel(std::uint32_t l1_kib) {
    bulk_.forget_maps();
    if (l1_kib == l1_kib_ || l1_kib == 0 || !idle()) return tags_.invalidate();
    resize_l1(l1_kib);
}

void DataPath::resize_l1(std::uint32_t kib) {
    l1_kib_ = kib;
    tags_ = SectoredCache(std::max(kib * 1024 / line_bytes, 1u), l1_.ways, l1_.replacement, plugin::CacheLevel::l1,
                          sm_);
}

std::uint32_t DataPath::begin_load(std::uint32_t owner, std::uint32_t operations) {
    std::uint32_t index = static_cast<std::uint32_t>(loads_.size());
    if (free_loads_.empty()) {
        loads_.emplace_back();
    } else {
        index = free_loads_.back();
        free_loads_.pop_back();
    }
    loads_[index] = {owner, UINT32_MAX, operations, 0, 0, 0};
    return index;
}

void DataPath::push(std::uint32_t sub_core, Cycle now, MemoryOperation const& operation) {
    bool const is_filtered = operation.filter_cycles != 0;
    std::size_t const unit = is_filtered ? queues_.size() - 1 : sub_core;
    Queue& queue = queues_[unit];
    MemoryOperation& last = queue.push(operation);
    last.enters = std::max(now, address_free_[unit]) +
                  (is_filtered ? operation.filter_cycles : lsu_.address_interval_cycles);
    last.next_line = 0;
    last.hits = 0;
    address_free_[unit] = last.enters;
    bool const is_first = queue.size() == 1;
    if (is_first) front_enters_[unit] = last.enters;
    if (is_filtered && operation.load != UINT32_MAX)
        loads_[operation.load].filtering = hit_latency(operation) - std::min(hit_latency(operation), l1_latency());
    if (operation.writer != nobody) ++writes_[operation.writer].queued;
    count(operation);
    for (std::uint32_t i = 0; i < operation.lines.count; ++i) tags_.prefetch(operation.lines.lines[i].line);
    if (is_first) plan_next();
}

/// From L1 to the register file, after the address unit.
Cycle DataPath::l1_latency() const {
    return l1_.hit_latency_cycles - std::min(lsu_.address_interval_cycles, l1_.hit_latency_cycles);
}

/// The same for an operation that texture units may filter.
Cycle DataPath::hit_latency(MemoryOperation const& o) const {
    if (o.filter_cycles == 0) return l1_latency();
    return texture_.hit_latency_cycles - std::min(o.filter_cycles, texture_.hit_latency_cycles);
}

/// Of several that wait, the one that came first.
void DataPath::plan_next() {
    next_ = engine::never;
    if (is_blocked_) return;
    auto const first = std::min_element(front_enters_.begin(), front_enters_.end());
    if (*first == engine::never) return;
    next_ = std::max(*first, pipe_free_);
    chosen_ = static_cast<std::uint32_t>(first - front_enters_.begin());
}

void DataPath::push_bulk(Cycle now, std::vector<ByteRange> ranges, std::uint64_t map, std::uint64_t moved_by,
                         bool is_write, std::uint32_t owner, std::uint32_t reads_owner, GridNumber grid) {
    BulkEngine::Job job;
    job.ranges = std::move(ranges);
    for (ByteRange& range : job.ranges) {
        range.begin -= moved_by;
        range.end -= moved_by;
    }
    if (map != BulkEngine::no_map) job.map = (map - moved_by) / line_bytes;
    job.is_write = is_write;
    job.grid = grid;
    job.load = begin_load(owner, 1);
    if (reads_owner != UINT32_MAX) job.reads = begin_load(reads_owner, 1);
    bulk_.push(now, std::move(job));
}

void DataPath::fetch_code(Cycle now, std::uint64_t line, std::uint64_t address, GridNumber grid) {
    std::uint32_t const load = begin_load(line_of_code, 0);
    std::uint64_t const end = address + code_bytes_;
    for (std::uint64_t at = address; at < end;) {
        std::uint64_t const next = std::min(end, (at / line_bytes + 1) * line_bytes);
        std::uint64_t const first = at % line_bytes / sector_bytes;
        std::uint64_t const last = (next - 1) % line_bytes / sector_bytes;
        LineAccess const access{at / line_bytes,
                                static_cast<std::uint8_t>(((2u << last) - 1) & ~((1u << first) - 1)), 0};
        loads_[load].sectors += count_of(access.sectors);
        request(now, access, RequestKind::read, load_token | load, 1, grid);
        at = next;
    }
    fetches_.emplace_back(load, line);
}

void DataPath::run_bulk(std::vector<Arrival>& arrivals) {
    Cycle const now = bulk_.next_event();
    BulkEngine::Job const& job = bulk_.front();
    if (bulk_.wants_map()) {
        bulk_.fetch_map();
        std::uint32_t const load = begin_load(map_of_bulk, 0);
        LineAccess const access{job.map, all_sectors, 0};
        loads_[load].sectors = count_of(access.sectors);
        return request(now, access, RequestKind::read, load_token | load, 1, job.grid);
    }
    LineAccess const access = bulk_.line();
    DataPathStatistics& statistics = statistics_[job.grid];
    if (job.is_write) {
        if (write_credits_ == 0) return bulk_.block();
        --write_credits_;
        ++loads_[job.load].sectors;
        ++statistics.store_requests;
        statistics.store_sectors += count_of(access.sectors);
    } else {
        loads_[job.load].sectors += count_of(access.sectors);
        ++statistics.load_requests;
        statistics.load_sectors += count_of(access.sectors);
    }
    request(now, access, job.is_write ? RequestKind::write : RequestKind::read, load_token | job.load, 1,
            job.grid);
    std::array const loads{job.reads, job.load};
    if (!bulk_.sent(now)) return;
    bulk_.pop();
    for (std::uint32_t const load : loads) {
        if (load == UINT32_MAX) continue;
        --loads_[load].operations;
        loads_[load].ready = std::max(loads_[load].ready, now + 1);
        settle_load(load, arrivals);
    }
}

void DataPath::ask_peer(MemoryOperation const& o, Cycle now) {
    SmMessage m;
    m.kind = SmMessage::Kind::request;
    m.token = o.load;
    m.passes = o.passes;
    m.bytes = o.bytes;
    m.grid = o.grid;
    peers_.send(o.peer, inject(now, o.sent_bytes + header_bytes, o.grid) + network_.sm_to_sm_latency_cycles, m);
    if (o.load == UINT32_MAX) return;
    --loads_[o.load].operations;
    ++loads_[o.load].sectors;
}

void DataPath::serve(Cycle now, std::uint32_t source, SmMessage const& request) {
    Cycle const begin = banks_from(std::max(now, pipe_free_));
    pipe_free_ = banks_free_ = begin + request.passes;
    plan_next();
    if (request.token == UINT32_MAX) return;
    SmMessage reply;
    reply.kind = SmMessage::Kind::reply;
    reply.token = request.token;
    reply.bytes = request.bytes;
    reply.grid = request.grid;
    Cycle const latency =
        banks_.load_latency_cycles - std::min(lsu_.address_interval_cycles, banks_.load_latency_cycles);
    Cycle const data = begin + latency + Cycle{request.passes - 1} * banks_.conflict_latency_cycles;
    peers_.send(source,
                inject(data, request.bytes + header_bytes, request.grid) + network_.sm_to_sm_latency_cycles,
                reply);
}

void DataPath::receive(Cycle now, SmMessage const& reply, std::vector<Arrival>& arrivals) {
    Load& load = loads_[reply.token];
    --load.sectors;
    load.ready = std::max(load.ready, returned(now, reply.bytes));
    settle_load(reply.token, arrivals);
}

void DataPath::run(std::vector<Arrival>& arrivals) {
    if (bulk_.next_event() < next_) return run_bulk(arrivals);
    Cycle const now = next_;
    Queue& queue = queues_[chosen_];
    if (process(queue.front(), now, arrivals)) {
        if (queue.front().writer != nobody) taken(queue.front().writer);
        queue.pop();
        front_enters_[chosen_] = queue.size() == 0 ? engine::never : queue.front().enters;
    } else {
        is_blocked_ = true;
        blocked_since_ = now;
    }
    plan_next();
}

void DataPath::taken(std::uint32_t writer) {
    Writes& w = writes_[writer];
    if (--w.queued == 0 && w.is_watched) progress_.push_back(writer);
}

void DataPath::acknowledged(std::uint32_t writer, std::uint32_t count) {
    if (writer == nobody) return;
    Writes& w = writes_[writer];
    w.unacknowledged -= count;
    if (w.unacknowledged == 0 && w.is_watched) progress_.push_back(writer);
}

void DataPath::count(MemoryOperation const& o) {
    DataPathStatistics& s = statistics_[o.grid];
    switch (o.kind) {
        case OperationKind::shared:
            ++s.shared_requests;
            s.shared_conflicts += o.passes - 1;
            break;
        case OperationKind::load:
        case OperationKind::load_through:
            ++s.load_requests;
            s.load_sectors += o.lines.sectors;
            break;
        case OperationKind::store:
            ++s.store_requests;
            s.store_sectors += o.lines.sectors;
            break;
        case OperationKind::atomic:
            ++s.atomic_requests;
            s.atomic_sectors += o.lines.sectors;
            break;
        case OperationKind::remote: ++s.remote_requests; break;
    }
}

/// When the last byte is in the register file: all loads share a port with this many bytes per cycle.
Cycle DataPath::returned(Cycle data_ready, std::uint32_t bytes) {
    Cycle const cycles =
        std::max<Cycle>((bytes + lsu_.return_bytes_per_cycle - 1) / std::max(lsu_.return_bytes_per_cycle, 1u), 1);
    Cycle const begin = std::max(data_ready, return_free_);
    return_free_ = begin + cycles;
    return begin + cycles - 1;
}

/// When the banks are free for others: operands of products that were due before went first.
Cycle DataPath::banks_from(Cycle now) {
    for (; !operands_.empty() && operands_.front().begin <= now; operands_.pop_front())
        banks_free_ = std::max(banks_free_, operands_.front().begin) + operands_.front().cycles;
    return std::max(now, banks_free_);
}

void DataPath::code_came(std::uint32_t load) {
    auto const fetch =
        std::find_if(fetches_.begin(), fetches_.end(), [&](auto const& f) { return f.first == load; });
    code_lines_.push_back({fetch->second, loads_[load].ready});
    fetches_.erase(fetch);
}

void DataPath::settle_load(std::uint32_t index, std::vector<Arrival>& arrivals) {
    Load const& load = loads_[index];
    if (load.operations != 0 || load.sectors != 0) return;
    if (load.owner == map_of_bulk) bulk_.map_came(load.ready);
    else if (load.owner == line_of_code) code_came(index);
    else arrivals.push_back({load.owner, load.ready});
    free_loads_.push_back(index);
}

bool DataPath::process(MemoryOperation& o, Cycle now, std::vector<Arrival>& arrivals) {
    if (o.kind == OperationKind::shared) {
        Cycle const begin = banks_from(now);
        banks_free_ = begin + o.passes;
        pipe_free_ = std::max(banks_free_, now + lsu_.accept_interval_cycles);
        if (o.load == UINT32_MAX) return true;
        Load& load = loads_[o.load];
        Cycle const latency =
            banks_.load_latency_cycles - std::min(lsu_.address_interval_cycles, banks_.load_latency_cycles);
        Cycle const data = begin + latency + Cycle{o.passes - 1} * banks_.conflict_latency_cycles;
        load.ready = std::max(load.ready, returned(data, o.bytes));
        --load.operations;
        settle_load(o.load, arrivals);
        return true;
    }
    if (o.kind == OperationKind::remote) {
        pipe_free_ = now + std::max(lsu_.accept_interval_cycles, 1u);
        ask_peer(o, now);
        return true;
    }
    bool const begins = o.next_line == 0;
    // All tags are looked for before anything is done with one.
    tags_.find(std::span(o.lines.lines).subspan(o.next_line, o.lines.count - o.next_line),
               places_.data() + o.next_line);
    bool const are_taken = o.kind == OperationKind::load ? load_lines(o, now) : pass_lines(o, now);
    if (!are_taken) return false;
    // Several tags are looked up per cycle; what is left of an access's last cycle serves the next one.
    std::uint32_t const tags = std::max(l1_.tags_per_cycle, 1u);
    std::uint32_t const looked_up = o.lines.lookups + (now == pipe_free_ ? tags_left_ : 0);
    // What is in L1, or on its way for others, passes the banks for this load alone; it waits for data from L2 that is
    // being written. The load that asked for data gets them as they are written.
    std::uint32_t const sectors = std::max(o.lines.sectors, 1u);
    Cycle const banks =
        o.hits == 0
            ? 0
            : (o.lines.bank_cycles * Cycle{128} / std::max(l1_.bytes_per_cycle, 1u) * o.hits + sectors - 1) /
                  sectors;
    if (banks != 0) banks_free_ = banks_from(now) + banks;
    Cycle const at_banks = std::max<Cycle>(banks != 0 ? banks_free_ - now : 0, 1);
    Cycle const busy = std::max<Cycle>((looked_up + tags - 1) / tags, at_banks);
    Cycle const held = std::max<Cycle>({looked_up / tags, at_banks, lsu_.accept_interval_cycles});
    tags_left_ = held == looked_up / tags ? looked_up % tags : 0;
    pipe_free_ = std::max<Cycle>(now + held, begins ? 0 : pipe_free_);
    if (o.load != UINT32_MAX) {
        Load& load = loads_[o.load];
        --load.operations;
        load.ready = std::max(load.ready, returned(now + hit_latency(o) + busy - 1, o.bytes));
        settle_load(o.load, arrivals);
    }
    return true;
}

/// Through the port to the interconnect: the cycle in which the last bytes leave.
Cycle DataPath::inject(Cycle now, std::uint32_t bytes, GridNumber grid) {
    statistics_[grid].noc.request_bytes += bytes;
    return out_.pass(now, bytes).last;
}

Cycle DataPath::write_trip() const {
    Cycle const way_out =
        (l1_.hit_latency_cycles - std::min(lsu_.address_interval_cycles, l1_.hit_latency_cycles)) / 2;
    return lsu_.address_interval_cycles + way_out + network_.request_latency_cycles + slice_latency_ +
           network_.reply_latency_cycles;
}

void DataPath::request(Cycle now, LineAccess const& access, RequestKind kind, std::uint32_t token,
                       std::uint8_t turns, GridNumber grid) {
    std::uint32_t const data = kind == RequestKind::read ? 0 : count_of(access.sectors) * sector_bytes;
    Cycle const leaves = inject(now, data + header_bytes, grid);
    std::uint32_t const slice = map_.slice(access.line * line_bytes);
    // Half of L1's latency lies before the way out, half after the way back.
    Cycle const way_out =
        (l1_.hit_latency_cycles - std::min(lsu_.address_interval_cycles, l1_.hit_latency_cycles)) / 2;
    Cycle const at = leaves + way_out + network_.request_latency_cycles;
    MemoryRequest r;
    r.line = access.line;
    r.token = token;
    r.kind = kind;
    r.sectors = access.sectors & 0xf;
    r.covered = access.covered & 0xf;
    r.turns = turns;
    r.grid = grid;
    outbox_.send(slice, at, r);
    in_flight_ += kind == RequestKind::write ? 1 : count_of(access.sectors);
}

void DataPath::receive(Cycle now, MemoryReply const& reply, std::vector<Arrival>& arrivals) {
    bool const is_line = reply.kind == RequestKind::read && (reply.token & load_token) == 0;
    Cycle const latency = l1_.hit_latency_cycles - std::min(lsu_.address_interval_cycles, l1_.hit_latency_cycles);
    std::uint32_t const bytes = count_of(reply.sectors) * sector_bytes;
    Port::Passage const passage = in_.pass(now, bytes);
    Cycle const ready = passage.last + (latency - latency / 2);
    statistics_[reply.grid].noc.reply_bytes += bytes;
    in_flight_ -= reply.kind == RequestKind::write ? 1 : count_of(reply.sectors);
    if (reply.kind == RequestKind::write) {
        received_write(now, reply, arrivals);
    } else if (is_line) {
        // Incoming data is written through the banks that loads read from.
        banks_free_ = std::max(banks_free_, passage.begin) + (passage.end - passage.begin);
        fill_line(now, ready, reply, arrivals);
    } else if (reply.token != nobody && (reply.token & load_token) != 0) {
        std::uint32_t const index = reply.token & ~load_token;
        Load& load = loads_[index];
        load.sectors -= count_of(reply.sectors);
        load.ready = std::max(load.ready, ready);
        if (reply.kind == RequestKind::atomic) acknowledged(load.writer, count_of(reply.sectors));
        settle_load(index, arrivals);
    } else if (reply.kind == RequestKind::atomic) {
        acknowledged(reply.token, count_of(reply.sectors));  // a reduction: no value is waited for
    }
    if (is_blocked_ && (is_line || reply.kind == RequestKind::write)) {
        is_blocked_ = false;
        statistics_[queues_[chosen_].front().grid].mshr_stall_cycles += now - blocked_since_;
        pipe_free_ = std::max(pipe_free_, now);
        plan_next();
    }
}

void DataPath::received_write(Cycle now, MemoryReply const& reply, std::vector<Arrival>& arrivals) {
    ++write_credits_;
    bulk_.unblock(now);
    if (reply.token == nobody || (reply.token & load_token) == 0) return acknowledged(reply.token, 1);
    std::uint32_t const index = reply.token & ~load_token;
    Load& load = loads_[index];
    --load.sectors;
    load.ready = std::max(load.ready, now);
    settle_load(index, arrivals);
}

void DataPath::fill_line(Cycle now, Cycle ready, MemoryReply const& reply, std::vector<Arrival>& arrivals) {
    std::uint32_t const place = reply.token;
    tags_.fill(place, reply.sectors);
    SectoredCache::Line& line = tags_[place];
    bool const is_last = tags_.pending(place) == 0;
    std::uint32_t const entry = line.mshr;
    if (is_last) line.mshr = SectoredCache::none;
    mshrs_.fill(entry, reply.sectors, is_last, [&](std::uint32_t index, std::uint8_t sectors) {
        if (index == UINT32_MAX) return;
        Load& load = loads_[index];
        load.sectors -= count_of(sectors);
        load.ready = std::max(load.ready, ready + load.filtering);
        settle_load(index, arrivals);
    });
    if (!prefetcher_ || !is_last) return;
    prefetches_.clear();
    prefetcher_->filled({line.number, line.prefetched != 0, now}, prefetches_);
    prefetch(now, reply.grid);
}

}  // namespace warpsim::timing
