#include "sim/timing/memory/dram_channel.hpp"

#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/components.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::timing {

namespace {

std::unique_ptr<plugin::DramPolicy> make_policy(std::string const& which, std::uint32_t channel) {
    plugin::DramSettings settings;
    settings.channel = channel;
    return memory_components().make_dram_policy(which, settings);
}

}  // namespace

DramChannel::DramChannel(sim::DramConfig const& config, sim::DramChannelsConfig const& channels,
                         std::uint32_t number)
    : config_(channels),
      policy_(make_policy(channels.policy, number)),
      writes_wait_(policy_->writes_wait()),
      banks_(std::max(channels.banks, 1u)),
      groups_(channels),
      reads_(banks_.size(), channels.queue_entries),
      writes_(banks_.size(), channels.write_queue_entries),
      may_open_(banks_.size()),
      grids_(1) {
    std::uint64_t const bits_per_cycle =
        std::uint64_t{config.bus_width_bits} * config.transfers_per_clock / channels.count;
    std::uint64_t const wanted = std::uint64_t{channels.access_bytes} * 8;
    burst_ = std::max<Cycle>({(wanted + bits_per_cycle - 1) / std::max<std::uint64_t>(bits_per_cycle, 1),
                              channels.command_interval_cycles, 1});
}

void DramChannel::begin_grid(GridNumber grid) {
    if (grids_.size() <= grid) grids_.resize(grid + std::size_t{1});
    grids_[grid].statistics = {};
}

void DramChannel::push(Cycle at, Request const& request) {
    ++grids_[request.grid].under_way;
    arriving_.push_back({at, request});
    if (arriving_.size() == 1 && has_room_for_next()) next_ = std::min(next_, at);
}

/// All banks close, and open again when the refresh is over; refreshes during idle times need not be made up for.
/// Simplified: it does not wait for accesses in flight.
void DramChannel::refresh(Cycle now) {
    if (config_.refresh_interval_cycles == 0) return;
    Cycle const begin = now / config_.refresh_interval_cycles * config_.refresh_interval_cycles;
    if (begin == last_refresh_) return;
    last_refresh_ = begin;
    for (Bank& bank : banks_) {
        bank.row = UINT64_MAX;
        bank.activate_ready = std::max(bank.activate_ready, begin + config_.refresh_cycles);
    }
    reads_.recount(banks_);
    writes_.recount(banks_);
    rows_ready_ = 0;
}

bool DramChannel::has_room_for_next() const {
    if (arriving_.empty()) return false;
    bool const waits = arriving_.front().request.is_write && writes_wait_;
    return waits ? writes_.size() < config_.write_queue_entries
                 : reads_.size() < std::max(config_.queue_entries, 1u);
}

void DramChannel::admit(Cycle now) {
    while (!arriving_.empty() && arriving_.front().at <= now && has_room_for_next()) {
        Request const& r = arriving_.front().request;
        std::uint64_t const row_number = r.address / config_.row_bytes;
        std::uint64_t const banks = banks_.size();
        std::uint64_t const row = row_number / banks;
        // Rows a power of two apart would conflict in one bank, so the row's number is mixed in.
        auto const bank = static_cast<std::uint32_t>((row_number + row * 7) % banks);
        bool const is_open = banks_[bank].row == row;
        queue_for(r.is_write).add({r, row, bank, false}, is_open);
        if (!is_open) rows_ready_ = std::min(rows_ready_, row_ready(banks_[bank]));
        arriving_.pop_front();
    }
}

/// Writes wait until there are many of them, or nothing to read, because each turn of the bus costs time.
void DramChannel::choose_direction() {
    if (writes_.size() >= config_.write_high_watermark) draining_ = true;
    else if (writes_.empty() || writes_.size() < config_.write_low_watermark) draining_ = false;
    bool const was_writing = std::exchange(writing_, !writes_.empty() && (draining_ || reads_.empty()));
    if (was_writing != writing_) rows_ready_ = 0;
    if (was_writing && !writing_) groups_.begin_reading(banks_);
}

Cycle DramChannel::bus_ready(bool is_write) const {
    Cycle const until_data = is_write ? config_.write_cycles : config_.read_cycles;
    Cycle const free = bus_free_ + (is_write && !last_was_write_ ? config_.read_to_write_cycles : 0);
    Cycle const at = free > until_data ? free - until_data : 0;
    return is_write ? at : std::max(at, read_ready_);
}

bool DramChannel::column_command(Cycle now, std::vector<Completion>& done) {
    DramRequests& waiting = active();
    if (waiting.empty() || bus_ready(waiting[0].request.is_write) > now) return false;
    bool is_any_ready = false;
    waiting.open_banks().each([&](std::uint32_t bank) { is_any_ready |= banks_[bank].column_ready <= now; });
    if (!is_any_ready) return false;
    std::size_t const chosen = policy_->next(queue(now));
    if (chosen == waiting.size()) return false;
    transfer(now, waiting[chosen], done);
    waiting.remove(chosen);
    return true;
}

/// One column command for each access, each as soon as the bus is free.
void DramChannel::transfer(Cycle now, Waiting const& w, std::vector<Completion>& done) {
    bool const is_write = w.request.is_write;
    Cycle const length = burst_ + (w.request.accesses - 1) * std::max<Cycle>(burst_, groups_.column_interval());
    Cycle const end = now + (is_write ? config_.write_cycles : config_.read_cycles) + length;
    sim::DramCounts& statistics = grids_[w.request.grid].statistics;
    --grids_[w.request.grid].under_way;
    if (is_write && !last_was_write_) ++statistics.turns;
    bus_free_ = end;
    last_was_write_ = is_write;
    Bank& bank = banks_[w.bank];
    bank.column_ready = now + length;
    Cycle const closes = is_write
                             ? end + config_.write_recovery_cycles
                             : std::max(now + length, now + length - burst_ + config_.read_to_precharge_cycles);
    bank.precharge_ready = std::max(bank.precharge_ready, closes);
    if (is_write) read_ready_ = end + config_.write_to_read_cycles;
    groups_.transferred(w.bank, now + length - burst_, end, is_write, banks_);
    (is_write ? statistics.written_sectors : statistics.read_sectors) +=
        std::uint64_t{w.request.accesses} * config_.access_bytes / sector_bytes;
    (w.missed ? statistics.row_misses : statistics.row_hits) += 1;
    statistics.busy_cycles += length;
    done.push_back({end, w.request.tag, is_write});
}

Cycle DramChannel::row_ready(Bank const& bank) const {
    Cycle const precharge = bank.row == UINT64_MAX ? 0 : config_.precharge_cycles;
    Cycle const activate = std::max({bank.activate_ready, activate_free_,
                                     groups_.activate_ready(static_cast<std::uint32_t>(&bank - banks_.data()))});
    return std::max(bank.precharge_ready, activate > precharge ? activate - precharge : 0);
}

bool DramChannel::row_command(Cycle now) {
    if (now < rows_ready_) return false;
    DramRequests& waiting = active();
    std::uint32_t left = 0;
    waiting.closed_banks().each([&](std::uint32_t b) {
        if (row_ready(banks_[b]) > now) return;
        if (banks_[b].row != UINT64_MAX && !policy_->may_close(queue(now), b)) return;
        may_open_.add(b);
        ++left;
    });
    // The oldest request to each of these banks, unless it needs the row that is open.
    bool has_opened = false;
    for (std::size_t i = 0; left != 0; ++i) {
        Waiting& w = waiting[i];
        if (!may_open_.has(w.bank)) continue;
        may_open_.remove(w.bank);
        --left;
        if (has_opened || banks_[w.bank].row == w.row) continue;
        open_row(now, w);
        has_opened = true;
    }
    return has_opened;
}

void DramChannel::open_row(Cycle now, Waiting& w) {
    Bank& bank = banks_[w.bank];
    Cycle const activate = now + (bank.row == UINT64_MAX ? 0 : config_.precharge_cycles);
    bank.row = w.row;
    bank.column_ready = activate + config_.activate_to_read_cycles;
    bank.precharge_ready = activate + config_.activate_to_precharge_cycles;
    bank.activate_ready = activate + config_.activate_to_activate_cycles;
    activate_free_ = activate + config_.activate_interval_cycles;
    groups_.activated(w.bank, activate);
    w.missed = true;
    reads_.opened(w.bank, w.row);
    writes_.opened(w.bank, w.row);
}

void DramChannel::step(std::vector<Completion>& done) {
    Cycle const now = next_;
    refresh(now);
    admit(now);
    choose_direction();
    bool const column = column_command(now, done);
    bool const row = row_command(now);
    plan_next(now, column || row);
}

void DramChannel::plan_next(Cycle now, bool moved) {
    next_ = engine::never;
    rows_ready_ = 0;
    if (has_room_for_next()) next_ = std::max(arriving_.front().at, now + 1);
    if (reads_.empty() && writes_.empty()) return;
    // Behind a command the next cycle may bring another: requests that arrive there have a say in the direction of the bus, and
    // where it is free the policy is asked.
    if (moved && (next_ == now + 1 || config_.refresh_interval_cycles != 0)) {
        next_ = now + 1;
        return;
    }
    choose_direction();
    Cycle const bus = bus_ready(active()[0].request.is_write);
    if (moved && bus <= now + 1) {
        next_ = now + 1;
        return;
    }
    // The next cycle in which one of the obstacles is gone.
    Cycle columns = engine::never, rows = engine::never;
    active().open_banks().each([&](std::uint32_t b) { columns = std::min(columns, banks_[b].column_ready); });
    active().closed_banks().each([&](std::uint32_t b) { rows = std::min(rows, row_ready(banks_[b])); });
    rows_ready_ = rows;
    if (columns != engine::never) columns = std::max(columns, bus);
    next_ = std::min(next_, std::max(std::min(columns, rows), now + 1));
}

}  // namespace warpsim::timing
