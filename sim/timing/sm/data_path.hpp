// The path of a warp's memory operations through one SM: address units of the sub-cores, the pipeline that they
// share, shared-memory banks or L1, and the port to the interconnect. Times everything and moves no bytes.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/channel.hpp"
#include "sim/engine/clock.hpp"
#include "sim/huge_pages.hpp"
#include "sim/plugin/plugin.hpp"
#include "sim/timing/memory/address_map.hpp"
#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/messages.hpp"
#include "sim/timing/memory/mshrs.hpp"
#include "sim/timing/memory/port.hpp"
#include "sim/timing/memory/sectored_cache.hpp"
#include "sim/timing/sm/bulk_engine.hpp"
#include "sim/timing/sm/sm_message.hpp"
#include "sim/timing/sm/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

enum class OperationKind : std::uint8_t {
    shared,  // load, store or atomic of shared memory
    load,
    load_through,  // bypasses L1: the value comes from elsewhere (.cg, volatile, strong, or an atomic in flight)
    store,
    atomic,
    remote,  // shared memory of another SM of the cluster
};

/// One access of a warp to one space. What it needs beside its lines is in one line of the host's caches.
struct alignas(64) MemoryOperation {
    OperationKind kind = OperationKind::load;
    std::uint8_t turns = 1;             // of an atomic
    GridNumber grid = 0;                // that it belongs to
    std::uint8_t warp = 0;              // its slot
    std::uint32_t load = UINT32_MAX;    // from begin_load(); none: nothing waits for it
    std::uint32_t writer = UINT32_MAX;  // of a store or atomic: the warp; none: its completion is not tracked
    std::uint32_t passes = 1;           // of shared memory
    std::uint32_t filter_cycles = 0;    // of the texture units; 0: it does not pass these
    std::uint32_t bytes = 0;            // into the register file
    std::uint16_t peer = 0;             // of a remote operation: the SM
    std::uint16_t sent_bytes = 0;       // ... and the bytes that are sent there
    std::uint32_t instruction = 0;      // its number in the code of the kernel
    // while it is queued
    std::uint32_t next_line = 0;
    std::uint32_t hits = 0;  // sectors that were in L1
    Cycle enters = 0;
    Coalesced lines;
};
static_assert(sizeof(MemoryOperation) == 64 + sizeof(Coalesced::lines));

class DataPath {
public:
    DataPath(sim::Config const& config, std::uint32_t sm, AddressMap const& map, std::uint32_t l1_kib);

    /// What waits for a load or an atomic: returned with the cycle in which all its parts have arrived.
    struct Arrival {
        std::uint32_t owner;
        Cycle ready;  // earliest issue of an instruction that reads the result
    };
    /// A warp's stores and atomics that are not complete.
    struct Writes {
        std::uint32_t queued = 0;          // operations that L1, or shared memory, has not accepted
        std::uint32_t unacknowledged = 0;  // by L2
        bool is_watched = false;
        bool any() const { return (queued | unacknowledged) != 0; }
    };
    Writes const& writes(std::uint32_t warp) const { return writes_[warp]; }
    /// Whether progress() reports the warp when one of its counts reaches zero.
    void watch(std::uint32_t warp, bool wanted) { writes_[warp].is_watched = wanted; }
    std::vector<std::uint32_t>& progress() { return progress_; }
    /// From the issue of a store of one sector to its acknowledgement, without other traffic.
    Cycle write_trip() const;

    /// Begins a load of this many operations; `owner` is the caller's.
    std::uint32_t begin_load(std::uint32_t owner, std::uint32_t operations);

    /// Whether the sub-core's queue accepts an instruction.
    bool accepts(std::uint32_t sub_core) const { return queues_[sub_core].size() < queue_entries_; }
    bool accepts_texture() const { return queues_.back().size() < texture_.queue_entries; }
    /// An operation that was issued in cycle `now`.
    void push(std::uint32_t sub_core, Cycle now, MemoryOperation const& operation);

    /// A bulk copy between shared memory and these ranges of global memory, after its tensor map if it has one:
    /// `owner` gets an arrival when all lines have arrived or are acknowledged; for a write, `reads_owner` gets one
    /// when shared memory has been read. The addresses are told less `moved_by` of the memory.
    void push_bulk(Cycle now, std::vector<ByteRange> ranges, std::uint64_t map, std::uint64_t moved_by,
                   bool is_write, std::uint32_t owner, std::uint32_t reads_owner, GridNumber grid = 0);
    BulkEngine& bulk() { return bulk_; }

    /// A line of code that is asked of L2.
    struct CodeLine {
        std::uint64_t line;  // of the instruction cache
        Cycle ready;
    };
    /// Asks for what lies at this address.
    void fetch_code(Cycle now, std::uint64_t line, std::uint64_t address, GridNumber grid);
    /// What has come since this was cleared.
    std::vector<CodeLine>& code_lines() { return code_lines_; }

    /// Replies will come: what they find here comes into the host's caches, as far as `step` others before lead to it.
    static constexpr int steps_to_reply = 3;
    void prefetch(MemoryReply const& reply, int step) const;
    /// Whose load gets the reply, or the first of them; UINT32_MAX: nobody's, as far as is known.
    std::uint32_t owner_of(MemoryReply const& reply) const;

    Cycle next_event() const { return std::min(next_, bulk_.next_event()); }
    /// Handles the events of cycle next_event(). Loads whose end is known are added to `arrivals`.
    void run(std::vector<Arrival>& arrivals);
    /// A reply reached the SM in cycle `now`.
    void receive(Cycle now, MemoryReply const& reply, std::vector<Arrival>& arrivals);

    /// A request of another SM of the cluster to the banks here, or the reply to such a request.
    void serve(Cycle now, std::uint32_t source, SmMessage const& request);
    void receive(Cycle now, SmMessage const& reply, std::vector<Arrival>& arrivals);

    /// From `begin` on the banks give operands of products for so many cycles, before whatever else asks for them.
    void give_operands(Cycle begin, Cycle cycles, Cycle now) {
        banks_from(now);
        operands_.push_back({begin, cycles});
    }

    engine::Outbox<MemoryRequest>& outbox() { return outbox_; }
    engine::Outbox<SmMessage>& peers() { return peers_; }
    /// Nothing is in flight, here or beyond.
    bool idle() const {
        return in_flight_ == 0 && next_event() == engine::never && loads_.size() == free_loads_.size();
    }
    /// Starts new counts for this number.
    void begin_grid(GridNumber grid);
    DataPathStatistics const& statistics(GridNumber grid = 0) const { return statistics_[grid]; }
    // For those who look.
    std::vector<QueueView> queues() const;
    SectoredCache const& tags() const { return tags_; }
    /// Another kernel begins: L1 is invalidated, except for lines in flight. Its size becomes `l1_kib`, if that is
    /// not 0 and nothing is in flight.
    void begin_kernel(std::uint32_t l1_kib);
    template <class Archive> void state(Archive& archive) {
        std::uint32_t kib = l1_kib_;
        archive(kib);
        if (kib != l1_kib_) resize_l1(kib);
        archive(queues_, front_enters_, address_free_, pipe_free_, return_free_, banks_free_, operands_,
                tags_left_, out_, in_, is_blocked_, blocked_since_, chosen_, next_, tags_, mshrs_, prefetches_,
                loads_, free_loads_, write_credits_, writes_, progress_, in_flight_, bulk_, fetches_, code_lines_,
                statistics_);
        archive.component(stores_);
        archive.component(prefetcher_);
    }

private:
    // What a token refers to: for a read, the line of L1 whose sectors are fetched; for a write or an atomic, its
    // warp; with this bit, a load that bypasses L1.
    static constexpr std::uint32_t load_token = 0x80000000;
    static constexpr std::uint32_t nobody = 0xffffffff;
    static constexpr std::uint8_t all_sectors = (1u << line_bytes / sector_bytes) - 1;

    struct Load {
        std::uint32_t owner = 0;
        std::uint32_t writer = UINT32_MAX;  // of an atomic: whose
        std::uint32_t operations = 0;       // not through the pipeline
        std::uint32_t sectors = 0;          // in flight
        Cycle ready = 0;
        Cycle filtering = 0;  // added to what comes from L2
    };
    /// Storage is reused in turn: operations are large, and each goes through a queue.
    class Queue {
    public:
        std::size_t size() const { return size_; }
        MemoryOperation& front() { return items_[first_]; }
        MemoryOperation const& front() const { return items_[first_]; }
        MemoryOperation& push(MemoryOperation const& o) {
            if (size_ == items_.size()) {
                std::rotate(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_), items_.end());
                first_ = 0;
                items_.resize(std::max<std::size_t>(2 * size_, 4));
            }
            if (size_ == 0) first_ = 0;  // what was used last is in the host's caches
            std::size_t const last = first_ + size_++;
            return items_[last < items_.size() ? last : last - items_.size()] = o;
        }
        void pop() {
            --size_;
            if (++first_ == items_.size()) first_ = 0;
        }
        template <class Archive> void state(Archive& archive) {
            std::rotate(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_), items_.end());
            items_.resize(size_);
            archive(items_);
            first_ = 0;
            size_ = items_.size();
        }

    private:
        sim::HugeVector<MemoryOperation> items_;
        std::size_t first_ = 0, size_ = 0;
    };
    std::uint32_t load_of(MemoryReply const& reply) const;
    void resize_l1(std::uint32_t kib);
    void plan_next();
    void run_bulk(std::vector<Arrival>& arrivals);
    void ask_peer(MemoryOperation const& operation, Cycle now);
    Cycle inject(Cycle now, std::uint32_t bytes, GridNumber grid);
    void taken(std::uint32_t writer);
    void acknowledged(std::uint32_t writer, std::uint32_t count);
    bool process(MemoryOperation& operation, Cycle now, std::vector<Arrival>& arrivals);
    bool load_lines(MemoryOperation& operation, Cycle now);
    bool pass_lines(MemoryOperation& operation, Cycle now);
    std::uint32_t place_of(MemoryOperation const& operation) const;
    bool ask_for(MemoryOperation const& operation, std::uint64_t number, std::uint8_t missing,
                 std::uint32_t& place, Cycle now);
    void store_line(MemoryOperation& operation, LineAccess const& access, std::uint32_t place);
    void note_use(std::uint32_t place, bool has_come, bool is_miss, GridNumber grid);
    void prefetch(Cycle now, GridNumber grid);
    void request(Cycle now, LineAccess const& access, RequestKind kind, std::uint32_t token, std::uint8_t turns,
                 GridNumber grid);
    void received_write(Cycle now, MemoryReply const& reply, std::vector<Arrival>& arrivals);
    void fill_line(Cycle now, Cycle ready, MemoryReply const& reply, std::vector<Arrival>& arrivals);
    void count(MemoryOperation const& operation);
    void code_came(std::uint32_t load);
    void settle_load(std::uint32_t load, std::vector<Arrival>& arrivals);
    Cycle banks_from(Cycle now);
    Cycle returned(Cycle data_ready, std::uint32_t bytes);

    Cycle l1_latency() const;
    Cycle hit_latency(MemoryOperation const& operation) const;

    sim::LsuConfig lsu_;
    sim::TextureConfig texture_;
    sim::L1Config l1_;
    sim::SharedBanksConfig banks_;
    sim::InterconnectConfig network_;
    std::uint32_t sm_;
    Cycle slice_latency_;
    AddressMap map_;
    std::size_t queue_entries_;
    std::vector<Queue> queues_;  // of the sub-cores, and of the texture units
    std::vector<Cycle>
        front_enters_;  // when the first operation of each passes the address unit; never: none is there
    std::vector<Cycle> address_free_;  // their address units, and the texture units
    Cycle pipe_free_ = 0, return_free_ = 0;
    Cycle banks_free_ = 0;  // of L1 and shared memory; a miss only needs the tags
    struct Operands {
        Cycle begin = 0, cycles = 0;
    };
    std::deque<Operands> operands_;  // of products, not yet given
    std::uint32_t tags_left_ = 0;    // lookups of the last access that the pipeline still has to do
    Port out_, in_;                  // of the interconnect
    bool is_blocked_ = false;        // until a reply comes
    Cycle blocked_since_ = 0;
    std::uint32_t chosen_ = 0;
    Cycle next_ = engine::never;

    SectoredCache tags_;
    std::array<std::uint32_t, 32> places_{};  // there, of the lines of the operation that is processed
    Mshrs<std::uint32_t> mshrs_;              // the waiters are loads
    std::unique_ptr<plugin::WritePolicy> stores_;
    std::unique_ptr<plugin::Prefetcher> prefetcher_;  // null: none
    std::vector<std::uint64_t> prefetches_;           // that it asks for
    sim::HugeVector<Load> loads_;
    sim::HugeVector<std::uint32_t> free_loads_;
    std::uint32_t write_credits_;
    std::vector<Writes> writes_;  // per warp
    std::vector<std::uint32_t> progress_;
    std::uint32_t in_flight_ = 0;  // sectors and writes whose reply is outstanding
    engine::Outbox<MemoryRequest> outbox_;
    engine::Outbox<SmMessage> peers_;
    BulkEngine bulk_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> fetches_;  // under way: load and line
    std::vector<CodeLine> code_lines_;
    std::uint32_t code_bytes_;                    // of a line
    std::vector<DataPathStatistics> statistics_;  // by grid
    std::uint32_t l1_kib_;
};

}  // namespace warpsim::timing
