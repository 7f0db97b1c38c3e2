#include "sim/timing/memory/dram_channel.hpp"

#include <algorithm>

namespace warpsim::timing {

DramChannel::DramChannel(sim::DramConfig const& config, sim::DramChannelsConfig const& channels)
    : config_(channels), banks_(std::max(channels.banks, 1u)) {
    std::uint64_t const bits_per_cycle = std::uint64_t{config.bus_width_bits} * config.transfers_per_clock / channels.count;
    std::uint64_t const wanted = std::uint64_t{channels.access_bytes} * 8;
    burst_ = std::max<Cycle>({(wanted + bits_per_cycle - 1) / std::max<std::uint64_t>(bits_per_cycle, 1), channels.command_interval_cycles, 1});
    // Simplified: half the column latency whichever way the bus turns; vendors give several figures (tWTR, tRTW).
    turnaround_ = channels.read_cycles / 2;
    queue_.reserve(channels.queue_entries);
}

void DramChannel::push(Cycle at, Request const& request) {
    arriving_.push_back({at, request});
    next_ = std::min(next_, at);
}

/// All banks close, and open again when the refresh is over; those that nobody saw need not be made up for.
/// Simplified: it does not wait for what is under way.
void DramChannel::refresh(Cycle now) {
    if (config_.refresh_interval_cycles == 0) return;
    Cycle const begin = now / config_.refresh_interval_cycles * config_.refresh_interval_cycles;
    if (begin == last_refresh_) return;
    last_refresh_ = begin;
    for (Bank& bank : banks_) {
        bank.row = UINT64_MAX;
        bank.activate_ready = std::max(bank.activate_ready, begin + config_.refresh_cycles);
    }
}

void DramChannel::admit(Cycle now) {
    while (!arriving_.empty() && arriving_.front().at <= now && queue_.size() < std::max(config_.queue_entries, 1u)) {
        Request const& r = arriving_.front().request;
        std::uint64_t const row_number = r.address / config_.row_bytes;
        std::uint64_t const banks = banks_.size();
        std::uint64_t const row = row_number / banks;
        // Rows of one bank that follow each other at a power of two apart would conflict: the row's number is mixed in.
        auto const bank = static_cast<std::uint32_t>((row_number + row * 7) % banks);
        queue_.push_back({r, row, bank, false});
        arriving_.pop_front();
    }
}

bool DramChannel::column_command(Cycle now, std::vector<Completion>& done) {
    std::size_t const candidates = config_.policy == sim::DramPolicy::fcfs ? std::min<std::size_t>(queue_.size(), 1) : queue_.size();
    for (std::size_t i = 0; i < candidates; ++i) {
        Waiting const& w = queue_[i];
        Bank& bank = banks_[w.bank];
        if (bank.row != w.row || bank.column_ready > now) continue;
        Cycle const turn = w.request.is_write != last_was_write_ ? turnaround_ : 0;
        if (bus_free_ + turn > now + config_.read_cycles) continue;
        Cycle const start = now + config_.read_cycles;
        Cycle const end = start + burst_ * w.request.accesses;
        bus_free_ = end;
        last_was_write_ = w.request.is_write;
        bank.column_ready = now + burst_ * w.request.accesses;
        bank.precharge_ready = std::max(bank.precharge_ready, w.request.is_write ? end : bank.column_ready);
        (w.request.is_write ? statistics_.written_sectors : statistics_.read_sectors) += w.request.accesses;
        (w.missed ? statistics_.row_misses : statistics_.row_hits) += 1;
        statistics_.busy_cycles += burst_ * w.request.accesses;
        done.push_back({end, w.request.tag, w.request.is_write});
        queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    }
    return false;
}

bool DramChannel::row_command(Cycle now) {
    // The oldest request of each bank whose row is not open, unless others still want the row that is.
    std::uint64_t seen = 0;
    for (Waiting& w : queue_) {
        std::uint64_t const bit = std::uint64_t{1} << w.bank % 64;
        bool const is_first = (seen & bit) == 0;
        seen |= bit;
        if (!is_first) continue;
        Bank& bank = banks_[w.bank];
        if (bank.row == w.row) continue;
        if (config_.policy == sim::DramPolicy::fr_fcfs && bank.row != UINT64_MAX) {
            bool const wanted = std::any_of(queue_.begin(), queue_.end(), [&](Waiting const& o) { return o.bank == w.bank && o.row == bank.row; });
            if (wanted) continue;
        }
        Cycle const precharge = bank.row == UINT64_MAX ? 0 : config_.precharge_cycles;
        if (bank.precharge_ready > now || bank.activate_ready > now + precharge) continue;
        Cycle const activate = now + precharge;
        bank.row = w.row;
        bank.column_ready = activate + config_.activate_to_read_cycles;
        bank.precharge_ready = activate + config_.activate_to_precharge_cycles;
        bank.activate_ready = activate + config_.activate_to_activate_cycles;
        w.missed = true;
        return true;
    }
    return false;
}

void DramChannel::step(std::vector<Completion>& done) {
    Cycle const now = next_;
    refresh(now);
    admit(now);
    bool const column = column_command(now, done);
    bool const row = row_command(now);
    plan_next(now, column || row);
}

void DramChannel::plan_next(Cycle now, bool moved) {
    next_ = engine::never;
    bool const has_room = queue_.size() < std::max(config_.queue_entries, 1u);
    if (!arriving_.empty() && has_room) next_ = std::max(arriving_.front().at, now + 1);
    if (queue_.empty()) return;
    if (moved) {
        next_ = now + 1;
        return;
    }
    // Nothing could be done: the next cycle in which something that holds a request up has passed.
    for (Waiting const& w : queue_) {
        Bank const& bank = banks_[w.bank];
        Cycle at = now + 1;
        if (bank.row == w.row) {
            Cycle const turn = w.request.is_write != last_was_write_ ? turnaround_ : 0;
            Cycle const bus = bus_free_ + turn;
            at = std::max(bank.column_ready, bus > config_.read_cycles ? bus - config_.read_cycles : 0);
        } else {
            Cycle const precharge = bank.row == UINT64_MAX ? 0 : config_.precharge_cycles;
            at = std::max(bank.precharge_ready, bank.activate_ready > precharge ? bank.activate_ready - precharge : 0);
        }
        next_ = std::min(next_, std::max(at, now + 1));
    }
}

}  // namespace warpsim::timing
