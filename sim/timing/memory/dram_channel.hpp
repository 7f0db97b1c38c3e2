// One DRAM channel: banks with open rows, one command at a time, reads and writes in separate queues. Counts in
// cycles of the memory clock.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"
#include "sim/plugin/plugin.hpp"
#include "sim/timing/memory/bank_groups.hpp"
#include "sim/timing/memory/dram_queue.hpp"
#include "sim/timing/memory/messages.hpp"
#include "sim/timing/memory/view.hpp"
#include "sim/timing_statistics.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

class DramChannel {
public:
    using Request = plugin::DramRequest;
    struct Completion {
        Cycle at;  // when the last data has passed the bus
        std::uint64_t tag;
        bool is_write;
    };

    DramChannel(sim::DramConfig const& config, sim::DramChannelsConfig const& channels, std::uint32_t number = 0);

    /// `at` must not decrease from call to call.
    void push(Cycle at, Request const& request);
    /// Requests that have not entered the channel's queues yet.
    std::size_t arriving() const { return arriving_.size(); }
    /// The cycle of the next command; engine::never when there is nothing to do.
    Cycle next() const { return next_; }
    /// Performs the commands of cycle next(); what completes is added to `done`, in the order of completion.
    void step(std::vector<Completion>& done);
    /// From now on what is done for grids of this number is counted anew.
    void begin_grid(GridNumber grid);
    sim::DramCounts const& statistics(GridNumber grid = 0) const { return grids_[grid].statistics; }
    /// Requests of the grid that have not been served.
    std::uint64_t under_way(GridNumber grid) const { return grids_[grid].under_way; }
    DramView view() const;
    template <class Archive> void state(Archive& archive) {
        archive.component(policy_);
        archive(banks_, groups_, arriving_, reads_, writes_, draining_, writing_, bus_free_, read_ready_,
                last_was_write_, activate_free_, last_refresh_, next_, grids_);
        reads_.recount(banks_);
        writes_.recount(banks_);
    }

private:
    using Bank = plugin::DramBank;
    using Waiting = plugin::DramWaiting;
    struct Arrival {
        Cycle at;
        Request request;
    };
    void refresh(Cycle now);
    DramRequests& queue_for(bool is_write) { return is_write && writes_wait_ ? writes_ : reads_; }
    DramRequests& active() { return writing_ ? writes_ : reads_; }
    plugin::DramQueue queue(Cycle now) { return {active().waiting(), banks_, now, active().open()}; }
    bool has_room_for_next() const;
    void admit(Cycle now);
    void choose_direction();
    /// The first cycle in which the bus accepts a column command in this direction.
    Cycle bus_ready(bool is_write) const;
    /// The first cycle in which the bank's row can be closed, if one is open, and `w`'s opened.
    Cycle row_ready(Bank const& bank) const;
    bool column_command(Cycle now, std::vector<Completion>& done);
    void transfer(Cycle now, Waiting const& w, std::vector<Completion>& done);
    bool row_command(Cycle now);
    void open_row(Cycle now, Waiting& w);
    void plan_next(Cycle now, bool moved);

    sim::DramChannelsConfig config_;
    Cycle burst_;  // cycles of the data bus for one access
    std::unique_ptr<plugin::DramPolicy> policy_;
    bool writes_wait_;  // in a queue of their own
    std::vector<Bank> banks_;
    BankGroups groups_;
    std::deque<Arrival> arriving_;
    DramRequests reads_, writes_;
    BankSet may_open_;       // banks that could open a row in this cycle
    bool draining_ = false;  // writes go first, until few are left
    bool writing_ = false;   // the direction of the bus
    Cycle bus_free_ = 0;
    Cycle read_ready_ = 0;  // after a write
    bool last_was_write_ = false;
    Cycle activate_free_ = 0;  // of any bank
    Cycle last_refresh_ = 0;
    Cycle next_ = engine::never;
    Cycle rows_ready_ = 0;  // the direction's requests can open no row before; 0: unknown
    struct OfGrid {
        sim::DramCounts statistics;
        std::uint64_t under_way = 0;
    };
    std::vector<OfGrid> grids_;
};

}  // namespace warpsim::timing
