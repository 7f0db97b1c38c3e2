#include "sim/timing/copy_engines.hpp"

#include <algorithm>

namespace warpsim::timing {

using engine::never;

namespace {

using Way = CopyOrder::Way;
constexpr Time microsecond = 1'000'000;

/// amount * part / whole, where the product may not fit.
Time share(Time amount, std::uint64_t part, std::uint64_t whole) {
    return part / whole * amount + amount / whole * (part % whole) + amount % whole * (part % whole) / whole;
}

}  // namespace

CopyEngines::CopyEngines(sim::Config const& config, AddressMap const& map, Cycle settling)
    : config_(config.copies),
      map_(map),
      core_(config.clock_mhz),
      settling_(settling),
      request_latency_(config.interconnect->request_latency_cycles),
      dram_mb_per_s_(std::uint64_t{config.dram.bus_width_bits} * config.dram.transfers_per_clock *
                     config.dram.clock_mhz / 8 * config.copies.dram_percent / 100),
      outbox_(config.l2.slices->count) {
    for (auto& engines : engines_) engines.assign(config_.engines, 0);
    Cycle const write =
        request_latency_ + config.l2.slices->hit_latency_cycles + Cycle{config.interconnect->reply_latency_cycles};
    write_trip_ = core_.time_of(write);
    read_trip_ = core_.time_of(write + config.dram.channels->latency_cycles);
}

std::vector<Time>& CopyEngines::engines_for(CopyOrder const& order) {
    return engines_[std::min<std::size_t>(static_cast<std::size_t>(order.way), 2)];
}

Time CopyEngines::length_of(CopyOrder const& order) const {
    // What is copied inside the GPU is read and written.
    std::uint64_t const moved = order.way == Way::inside ? 2 * order.bytes : order.bytes;
    bool const is_inside = order.way == Way::inside || order.way == Way::fill;
    std::uint64_t const speed = is_inside           ? std::max<std::uint64_t>(dram_mb_per_s_, 1)
                                : order.is_pageable ? config_.pageable_bandwidth_mb_per_s
                                                    : config_.bandwidth_mb_per_s;
    return share(microsecond, moved, speed);  // a byte at 1 MB/s takes a microsecond
}

void CopyEngines::begin(CopyOrder const& order, Time at) {
    waiting_.push_back({order, at});
    start_waiting();
}

void CopyEngines::start_waiting() {
    std::erase_if(waiting_, [&](Waiting const& w) {
        std::vector<Time>& engines = engines_for(w.order);
        auto const first = std::min_element(engines.begin(), engines.end());
        if (*first == never) return false;
        Time const at = std::max(*first, w.asked);
        *first = never;
        start(w.order, static_cast<std::size_t>(first - engines.begin()), at);
        return true;
    });
}

void CopyEngines::start(CopyOrder const& order, std::size_t engine, Time at) {
    auto made = std::make_unique<Copy>();
    Copy& copy = *made;
    Time const latency = Time{config_.latency_ns} * 1000;
    copy.order = order;
    copy.engine = engine;
    copy.lines = std::max(order.from.lines(), order.to.lines());
    copy.length = length_of(order);
    copy.earliest = at + core_.time_of(settling_);
    bool const reads = order.from.width != 0, writes = order.to.width != 0;
    Time const trip = (reads ? read_trip_ : 0) + (writes ? write_trip_ : 0);
    copy.lead = std::min(trip, latency);
    copy.since = at + latency;
    copy.last = copy.since + (copy.lines == 0 ? copy.length : 0);
    // Chosen so that the pace does not depend on latencies until they are twice as long as without other traffic.
    if (copy.lines != 0) copy.most_under_way = 64 + 2 * trip / std::max<Time>(copy.length / copy.lines, 1);
    running_.push_back(std::move(made));
}

Time CopyEngines::passes(Copy const& copy, std::uint64_t line) {
    return copy.since + share(copy.length, line + 1 - copy.past, copy.lines);
}

Cycle CopyEngines::asked_for(Copy const& copy, std::uint64_t line) const {
    return core_.first_at(std::max(passes(copy, line) - copy.lead, copy.earliest));
}

void CopyEngines::grids_begin(Cycle at) {
    for (auto const& copy : running_) pass_until(*copy, at, at);
    asks_until_ = never;
}

void CopyEngines::grids_end(Cycle at) { asks_until_ = at + settling_; }

/// Lines pass that would be asked for after the end of the last grid and before cycle `until`; they are noted in `now`.
void CopyEngines::pass_until(Copy& copy, Cycle until, Cycle now) {
    if (copy.next == copy.lines || asked_for(copy, copy.next) < asks_until_) return;
    std::uint64_t low = copy.next, high = copy.lines;  // the first that is asked for later
    while (low < high) {
        std::uint64_t const middle = low + (high - low) / 2;
        if (asked_for(copy, middle) < until) low = middle + 1;
        else high = middle;
    }
    if (low == copy.next) return;
    std::uint64_t const written = copy.order.to.lines();
    if (copy.next < written) passed_.push_back({now, copy.order.to, copy.next, std::min(low, written)});
    copy.last = std::max(copy.last, passes(copy, low - 1));
    copy.next = low;
}

Cycle CopyEngines::next_event(Copy const& copy) const {
    if (copy.next == copy.lines) return copy.under_way == 0 ? core_.first_at(copy.last) : never;
    Cycle const next = asked_for(copy, copy.next);
    if (next >= asks_until_) return core_.first_at(passes(copy, copy.lines - 1));
    return copy.under_way < copy.most_under_way ? next : never;
}

Cycle CopyEngines::next_event() const {
    Cycle next = inbox_.next_time();
    for (auto const& copy : running_) next = std::min(next, next_event(*copy));
    return next;
}

void CopyEngines::run(Cycle begin, Cycle end) {
    for (;;) {
        Cycle const now = std::max(next_event(), begin);
        if (now >= end) return;
        for (; inbox_.next_time() <= now; inbox_.pop()) receive(inbox_.front(), now);
        for (auto const& copy : running_) send_due(*copy, now);
        end_finished(now);
    }
}

void CopyEngines::send_due(Copy& copy, Cycle now) {
    while (copy.next < copy.lines) {
        Cycle const at = asked_for(copy, copy.next);
        if (at >= asks_until_) {
            if (core_.first_at(passes(copy, copy.lines - 1)) <= now) pass_until(copy, never, now);
            return;
        }
        if (at > now) return;
        if (copy.under_way == copy.most_under_way) {
            copy.is_held_up = true;
            return;
        }
        if (copy.is_held_up) {  // the lines behind it are late by as much
            copy.since = core_.time_of(now) + copy.lead;
            copy.past = copy.next + 1;
            copy.is_held_up = false;
        }
        ask(copy, copy.next++, now);
    }
}

void CopyEngines::ask(Copy& copy, std::uint64_t position, Cycle now) {
    ++copy.under_way;
    send(copy, position, position < copy.order.from.lines(), now);
}

void CopyEngines::send(Copy& copy, std::uint64_t position, bool is_read, Cycle now) {
    CopyArea::Part const part = (is_read ? copy.order.from : copy.order.to).part(position);
    if (free_lines_.empty()) {
        free_lines_.push_back(static_cast<std::uint32_t>(lines_.size()));
        lines_.emplace_back();
    }
    MemoryRequest request;
    request.line = part.line;
    request.token = free_lines_.back();
    request.kind = is_read ? RequestKind::read : RequestKind::write;
    request.sectors = part.sectors & 0xf;
    request.covered = part.covered & 0xf;
    request.grid = of_copies;
    free_lines_.pop_back();
    lines_[request.token] = {&copy, position, is_read, part.sectors};
    outbox_.send(map_.slice(part.line * line_bytes), now + request_latency_, request);
}

void CopyEngines::receive(MemoryReply const& reply, Cycle now) {
    Line& line = lines_[reply.token];
    line.sectors &= static_cast<std::uint8_t>(~reply.sectors);
    if (line.is_read && line.sectors != 0) return;
    Line const done = line;
    free_lines_.push_back(reply.token);
    Copy& copy = *done.copy;
    if (done.is_read && done.position < copy.order.to.lines()) return send(copy, done.position, false, now);
    --copy.under_way;
    copy.last = std::max(copy.last, core_.time_of(now));
}

void CopyEngines::end_finished(Cycle now) {
    std::erase_if(running_, [&](auto const& copy) {
        if (copy->next != copy->lines || copy->under_way != 0) return false;
        if (copy->lines != 0) copy->last = std::max(copy->last, passes(*copy, copy->lines - 1));
        if (core_.first_at(copy->last) > now) return false;
        engines_for(copy->order)[copy->engine] = copy->last;
        ended_.push_back({copy->order.ticket, copy->last});
        return true;
    });
    start_waiting();
}

}  // namespace warpsim::timing
