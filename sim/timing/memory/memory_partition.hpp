// One DRAM channel and the L2 slices in front of it: takes requests as they arrive and says when the replies reach
// their SMs. Moves no bytes. A slice whose replies cannot leave, or whose DRAM channel accepts nothing more,
// serves no requests until that changes. Slices are write-back with sector masks: a write that covers a whole
// sector needs no fill; another write leaves it partly written until it is read.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/channel.hpp"
#include "sim/huge_pages.hpp"
#include "sim/timing/memory/address_map.hpp"
#include "sim/timing/memory/copied_lines.hpp"
#include "sim/timing/memory/dram_channel.hpp"
#include "sim/timing/memory/intervals.hpp"
#include "sim/timing/memory/messages.hpp"
#include "sim/timing/memory/mshrs.hpp"
#include "sim/timing/memory/partly_written.hpp"
#include "sim/timing/memory/port.hpp"
#include "sim/timing/memory/sectored_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace warpsim::timing {

class MemoryPartition : public sim::InHugePages {
public:
    MemoryPartition(sim::Config const& config, std::uint32_t channel, AddressMap const& map);

    /// Between epochs: takes what was sent to one of its slices, whose number among the destinations is `self`. The first source
    /// has the number `first`.
    void take_requests(std::uint32_t slice_of_partition, std::size_t self,
                       std::span<engine::Outbox<MemoryRequest>* const> sources, std::size_t first = 0);
    std::uint32_t slices() const { return static_cast<std::uint32_t>(slices_.size()); }
    engine::Outbox<MemoryReply>& outbox() { return outbox_; }
    /// Handles everything before cycle `end`.
    void run(Cycle end);
    /// The first cycle in which there is something to do; engine::never when nothing is in flight. Asked of every partition in
    /// each epoch, and so kept.
    Cycle next_event() const { return next_; }
    /// Between epochs: L2 gets or loses lines when a copy is over.
    void note_copy(CopiedLines const& copied);
    /// The last cycle in which something happened here.
    Cycle last_event() const { return now_; }

    /// Between epochs: from now on what is done for grids of this number is counted anew, also in intervals of so
    /// many cycles from `begin` on (0: not).
    void begin_grid(GridNumber grid, Cycle interval, Cycle begin);
    void end_grid(GridNumber grid);
    /// The same for what copies of the host do; once.
    void count_copies();
    sim::L2Counts const& l2(GridNumber grid = 0) const { return statistics_[grid]; }
    sim::DramCounts const& dram(GridNumber grid = 0) const { return dram_.statistics(grid); }
    /// Whether DRAM has yet to do what was asked of it for the grid.
    bool has_work_of(GridNumber grid) const { return dram_.under_way(grid) != 0; }
    // For those who look, between epochs.
    PartitionView view() const;
    SectoredCache const& tags(std::uint32_t slice_of_partition) const { return slices_[slice_of_partition].tags; }
    /// Between epochs: what was counted in each interval since the last time.
    void give_samples(GridNumber grid, std::vector<sim::IntervalSample>& samples);
    /// Between epochs, of one that has the same grids.
    template <class Archive> void state(Archive& archive) {
        for (Slice& slice : slices_) archive(slice);
        archive(dram_, dram_port_, copied_, fills_, statistics_, now_, next_);
        for (Sampled& sampled : sampled_) archive(sampled.intervals);
    }

private:
    struct Waiter {
        std::uint32_t sm;
        std::uint32_t token;
        RequestKind kind;
        GridNumber grid;
    };
    struct Hit {  // a reply that leaves the slice in cycle `at`
        Cycle at;
        std::uint32_t sm;
        MemoryReply reply;
        bool has_copy = false;  // the SM's own partition has the data
    };
    struct Slice {
        Slice(sim::Config const& config, std::uint32_t number);
        SectoredCache tags;
        std::unique_ptr<plugin::WritePolicy> writes;
        Mshrs<Waiter> mshrs;
        engine::Inbox<MemoryRequest> inbox;
        Port port;             // of its data
        Port reply_port;       // to the interconnect
        std::deque<Hit> hits;  // in order
        PartlyWritten partly_written;
        std::uint32_t merging = 0;    // accesses of DRAM that complete what was partly written
        bool is_blocked = false;      // its first request waits for a fill
        bool waits_for_dram = false;  // ... or for room in DRAM's queue
        Cycle blocked_since = 0;
        std::uint32_t number;
        std::uint32_t partition;                  // of L2
        std::uint64_t last_written = UINT64_MAX;  // the line, if its last request was a write
        std::uint8_t last_sectors = 0;
        // While the partition runs: when it serves its next request, as far as that has been looked at since anything changed.
        bool start_is_known = false;
        Cycle start = 0;

        template <class Archive> void state(Archive& archive) {
            archive(tags, mshrs, inbox, port, reply_port, hits, partly_written, merging, is_blocked,
                    waits_for_dram, blocked_since, last_written, last_sectors);
            archive.component(writes);
        }
    };
    enum class FillKind : std::uint8_t { miss, copy, merge };
    struct Fill {
        Cycle at;
        std::uint32_t slice;
        std::uint32_t place;  // of a copy: the token
        std::uint8_t sectors;
        FillKind kind;
        GridNumber grid;
    };
    void prefetch(Cycle end) const;
    Cycle find_next() const;
    Cycle start_of(Slice const& slice) const;
    void serve(std::uint32_t index, Cycle now);
    // `place`: the entry of the request's line.
    Cycle work_of(Slice const& slice, MemoryRequest const& request, std::uint32_t place) const;
    bool complete_oldest(std::uint32_t index, Cycle now, GridNumber grid);
    void finish_merge(Fill const& fill);
    bool serve_write(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t sm,
                     std::uint32_t place);
    bool serve_read(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t sm,
                    std::uint32_t place);
    bool serve_copy(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t place);
    bool read_for_copy(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t place);
    bool miss(std::uint32_t index, Cycle now, MemoryRequest const& request, std::uint32_t sm, std::uint32_t place,
              std::uint8_t missing);
    static void write(Slice& slice, MemoryRequest const& request, std::uint32_t place);
    void write_through(Slice& slice, Cycle now, MemoryRequest const& request, std::uint32_t place);
    void write_around(Cycle now, MemoryRequest const& request);
    bool dram_takes(Slice& slice, std::uint32_t requests);
    void unblock(Slice& slice, Cycle now);
    void take_copy();
    static void forget(Slice& slice, std::uint32_t place);
    void write_back(Slice& slice, Cycle now, SectoredCache::Evicted const& evicted, GridNumber grid);
    void to_dram(Cycle now, std::uint64_t line, std::uint8_t sectors, bool is_write, std::uint64_t tag,
                 GridNumber grid);
    void dram_step(Cycle now);
    void finish(Fill const& fill);
    /// Hits that are ready by cycle `now` pass their slices' ports.
    void send_hits(Cycle now);
    void find_next_hit();
    void add_hit(Slice& slice, Hit const& hit);
    void send(Slice& slice, std::uint32_t sm, Cycle ready, MemoryReply const& reply, bool has_copy = false);
    bool is_far(Slice const& slice, std::uint32_t sm) const { return partition_of_[sm] != slice.partition; }

    // Tags of DRAM requests: of writes, of reads beside which the slice does nothing, and of what copies read, with a
    // token instead of the place in the slice. Reads that complete what was partly written have their grid in the tag.
    static constexpr std::uint64_t write_tag = UINT64_MAX, unheeded_tag = UINT64_MAX - 1,
                                   copy_tag = std::uint64_t{1} << 63, merge_tag = 0x80;

    sim::L2SlicesConfig l2_;
    sim::DramChannelsConfig dram_config_;
    sim::InterconnectConfig network_;
    bool copies_fill_l2_;
    engine::Clock core_clock_, dram_clock_;
    AddressMap map_;
    std::uint32_t sms_;
    std::vector<std::uint32_t> partition_of_;  // of each SM; copy engines are near to all
    Cycle hit_latency_;                        // core cycles
    std::uint32_t write_bytes_;
    Cycle most_waiting_;        // of a slice's replies, in core cycles of its port
    std::size_t most_to_dram_;  // requests that have not entered the channel's queues
    sim::HugeVector<Slice> slices_;
    DramChannel dram_;
    Port dram_port_;  // between the slices and the channel
    std::vector<DramChannel::Completion> done_;
    Cycle next_hit_ = engine::never;         // the first of all slices, while the partition runs
    std::deque<CopiedLines> copied_;         // in order
    std::deque<Fill> fills_;                 // in order
    engine::Outbox<MemoryReply> outbox_;     // to SMs
    std::vector<sim::L2Counts> statistics_;  // by grid
    sim::IntervalSample totals(GridNumber grid) const;
    struct Sampled {
        GridNumber grid;
        Intervals intervals;
    };
    std::vector<Sampled> sampled_;  // grids of which somebody wants intervals
    Cycle now_ = 0;
    Cycle next_ = engine::never;  // when something happens here, while it does not run
};

}  // namespace warpsim::timing
