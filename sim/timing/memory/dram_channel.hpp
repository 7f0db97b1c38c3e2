// One DRAM channel: banks with open rows, a command slot at a time. Counts in cycles of the memory clock.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

struct DramStatistics {
    std::uint64_t read_sectors = 0;
    std::uint64_t written_sectors = 0;
    std::uint64_t row_hits = 0;         // requests whose row was open when they were served
    std::uint64_t row_misses = 0;
    std::uint64_t busy_cycles = 0;      // of the data bus, memory clock
};

class DramChannel {
public:
    struct Request {
        std::uint64_t address = 0;      // in the channel
        std::uint32_t accesses = 1;     // of access_bytes each, in one row
        bool is_write = false;
        std::uint64_t tag = 0;          // given back with the data
    };
    struct Completion {
        Cycle at;                       // when the last data have passed the bus
        std::uint64_t tag;
        bool is_write;
    };

    DramChannel(sim::DramConfig const& config, sim::DramChannelsConfig const& channels);

    /// `at` must not decrease from call to call.
    void push(Cycle at, Request const& request);
    /// The cycle of the next command; engine::never when there is nothing to do.
    Cycle next() const { return next_; }
    /// Performs the commands of cycle next(); what completes is added to `done`, in the order of completion.
    void step(std::vector<Completion>& done);
    DramStatistics const& statistics() const { return statistics_; }

private:
    struct Bank {
        std::uint64_t row = UINT64_MAX;  // the open one
        Cycle column_ready = 0;          // first column command to the open row
        Cycle precharge_ready = 0;
        Cycle activate_ready = 0;
    };
    struct Waiting {
        Request request;
        std::uint64_t row;
        std::uint32_t bank;
        bool missed = false;             // its row had to be opened
    };
    void refresh(Cycle now);
    void admit(Cycle now);
    bool column_command(Cycle now, std::vector<Completion>& done);
    bool row_command(Cycle now);
    void plan_next(Cycle now, bool moved);

    sim::DramChannelsConfig config_;
    Cycle burst_;                        // cycles of the data bus for one access
    Cycle turnaround_;
    std::vector<Bank> banks_;
    struct Arrival {
        Cycle at;
        Request request;
    };
    std::deque<Arrival> arriving_;
    std::vector<Waiting> queue_;         // oldest first
    Cycle bus_free_ = 0;
    bool last_was_write_ = false;
    Cycle last_refresh_ = 0;
    Cycle next_ = engine::never;
    DramStatistics statistics_;
};

}  // namespace warpsim::timing
