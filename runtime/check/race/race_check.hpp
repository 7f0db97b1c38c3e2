// Data races: two accesses to the same memory, at least one of which writes, that are neither ordered by synchronisation nor
// both strong with scopes that include each other ("Data-races" in the PTX ISA's memory consistency model).
#pragma once

#include "runtime/check/findings/findings.hpp"
#include "runtime/check/race/groups.hpp"
#include "runtime/check/race/happens_before.hpp"
#include "runtime/check/race/record.hpp"
#include "runtime/check/race/shadow.hpp"
#include "runtime/check/race/works.hpp"
#include "runtime/host_conflicts.hpp"
#include "sim/events.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace warpsim::ir {
struct Form;
}

namespace warpsim::check {

class StoredValues;

/// Watches the launches of one device, and what is copied between them.
class RaceCheck final : public sim::EventSink, public runtime::HostConflicts {
public:
    /// `collect_at`: so many records are kept before those that nothing needs are looked for.
    explicit RaceCheck(Findings& findings, std::uint32_t collect_at = 1u << 20)
        : findings_(findings), collect_at_(collect_at), next_collection_(collect_at) {}

    sim::EventMask wants() const override {
        using enum sim::EventKind;
        return sim::event_mask(launch, cta, access, texel_access, barrier, mbarrier, collective, warp_copy,
                               bulk_copy, copy_group, matrix_work, fence, call, host_access, allocation);
    }
    void launch_begins(sim::LaunchBegin const& e) override;
    void launch_ends(sim::LaunchEnd const& e) override;
    void cta_starts(sim::CtaStart const& e) override;
    void cta_ends(sim::CtaEnd const& e) override;
    void access(sim::AccessEvent const& e) override;
    void arrives_at_barrier(sim::BarrierArrival const& e) override;
    void barrier_releases(sim::BarrierRelease const& e) override;
    void mbarrier(sim::MbarrierEvent const& e) override;
    void mbarrier_releases(sim::MbarrierRelease const& e) override;
    void collective(sim::CollectiveEvent const& e) override;
    void warp_copies(sim::WarpCopyIssue const& e) override;
    void bulk_copies(sim::BulkCopyIssue const& e) override;
    void copy_group(sim::CopyGroupEvent const& e) override;
    void matrix_work(sim::MatrixWorkEvent const& e) override;
    void tensor_access(sim::TensorAccessEvent const& e) override;
    void fence(sim::FenceEvent const& e) override;
    void calls(sim::CallEvent const& e) override;
    void host_access(sim::HostAccessEvent const& e) override;
    void allocation(sim::AllocationEvent const& e) override;
    /// What happens from now on in this host thread belongs to that.
    void work_begins(runtime::WorkOrder const& work);
    void expect_host() override { expects_host_ = true; }
    void for_each_page(std::uint64_t begin, std::uint64_t end, runtime::WorkClock const& host,
                       std::function<void(std::uint64_t, bool)> const& visit) override;
    void host_touches(runtime::HostTouch const& touch, runtime::WorkClock const& host) override;
    /// The next launch is one that a kernel has asked for.
    void child_begins(runtime::ChildRequest const& request) { families_.announce(request); }
    /// Copies and fills from now on are one that a kernel has asked for; null: it is over.
    void child_moves(runtime::ChildRequest const* request);
    /// Memory that it has for what it remembers of accesses.
    std::size_t held_bytes() const;
    std::size_t remembered_records() const { return records_.size(); }
    std::size_t remembered_works() const { return launches_.size() + ranges_.size(); }

private:
    /// The access of the present event.
    struct Doer {
        HappensBefore::Cta& cta;
        std::uint32_t id;  // of its record
        Record record;
        Manner manner;
        Beside beside;
        char const* space;
        std::uint32_t lane = 0;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
        std::uint16_t value_hash = 0;
        std::uint16_t together_hash = 0;  // of the 16 bytes that neighbouring lanes write together
        std::uint8_t step_log2 = 0;       // bytes of each of them
        sim::AccessEvent const* event = nullptr;
        /// Stamps with numbers up to this one are of no concern.
        std::uint32_t settled_number = 0;
        /// The threads of the warp know of others by barriers alone.
        bool knows_barriers_only = false;
        /// The lane has read this before, since it was written.
        bool reads_again = false;
        /// A load of what nobody may change while the kernel runs.
        bool is_of_constant = false;

        Thread thread() const { return {record.cta, 32 * static_cast<std::uint32_t>(record.warp) + lane}; }
        Stamp stamp(Stamp::Extent extent = Stamp::Extent::lane) const {
            return {id + 1, static_cast<std::uint8_t>(lane), Stamp::coarsest_log2, extent, value_hash};
        }
        /// Of `lane` and those that follow it.
        Stamp stamp_together(Stamp::Extent extent = Stamp::Extent::lane) const {
            return {id + 1, static_cast<std::uint8_t>(lane), step_log2, extent, together_hash};
        }
    };
    /// A stamp that is ordered before the present event as far as this lane is concerned.
    struct Settled {
        Stamp stamp;
        std::uint32_t lane = 0;
    };
    // race_check.cpp
    Doer doer(HappensBefore::Cta& cta, Instruction which, std::uint32_t warp, Sort sort);
    Doer doer(sim::Site const& site, Sort sort);
    void find_record(Doer& by, void const* op);
    void make_record(Doer& by);
    void add_record(Doer& by);
    Manner const& manner(Record const& record) const { return records_.manner(record); }
    static Thread thread_of(Stamp const& stamp, Record const& record) {
        return {record.cta, 32 * static_cast<std::uint32_t>(record.warp) + stamp.lane};
    }
    void synchronize(sim::AccessEvent const& e, HappensBefore::Cta& cta, std::uint32_t warp, bool is_computed);
    bool is_store_computed(sim::Site const& site);
    std::uint64_t number_of(std::array<std::uint32_t, 3> const& cta) const;
    SharedShadow& shared_of(std::uint64_t cta);
    // race_collect.cpp
    template <class Visit> void for_each_tile(Visit const& visit);
    void collect();
    // race_lanes.cpp
    bool is_write_before_barrier(Cell const& cell, Doer const& by) const;
    bool is_own_access(Stamp const& earlier, Doer const& by) const;
    void read(Cell& cell, Doer& by);
    void check_constant(Cell const& cell, Doer& by);
    void write(Cell& cell, Doer const& by);
    bool read_together(Cell& cell, Doer const& by);
    bool write_together(Cell& cell, Doer const& by);
    bool access_together(Cells const& cells, Doer& by, StoredValues const* values);
    void verify(Stamp const& earlier, Doer const& by);
    void access_lanes(sim::Addresses const& addresses, sim::Cta const& cta, Doer& by, SharedShadow* own);
    void access_one(sim::Cta const& cta, Doer& by, SharedShadow* own);
    bool read_one(sim::Cta const& cta, Doer& by, SharedShadow* own);
    template <class With>
    Cells cells(sim::Cta const& cta, SharedShadow* own, std::uint64_t address, With const& with);
    Cells cells_of_one(sim::Cta const& cta, SharedShadow* own, Doer const& by);
    Cells cells_of_many(sim::Cta const& cta, SharedShadow* own, Doer const& by);
    Cells cells(sim::Cta const* cta, std::uint64_t address, std::uint32_t bytes);
    void touch(sim::MemoryPlace const& place, std::uint64_t bytes, Doer& by);
    // race_strong.cpp
    void write_strongly(Cell& cell, Doer const& by);
    bool is_atomic(Stamp const& earlier) const;
    bool is_behind_own_atomic(Cell const& cell, Doer const& by) const;
    // race_async.cpp
    Groups& groups_of(std::uint64_t cta, std::uint32_t warp, sim::CopyGroupEvent::Of of);
    void forget_groups(std::uint64_t cta, std::size_t warps);
    void read_for_product(sim::AccessEvent const& e, Doer& by);
    void copy_side(sim::BulkCopyIssue const& e, bool is_target);
    void copy_map(sim::BulkCopyIssue const& e);
    void use_map(sim::BulkCopyIssue const& e);
    void touch_cells(std::span<sim::TensorCellRange const> ranges, std::uint64_t cta, Doer& by);
    void check_wait(sim::Site const& site, Doer const& by);
    ir::Form const& form_of(sim::Site const& site) const;
    // race_order.cpp
    void check(Stamp const& earlier, Settled& settled, Doer const& by);
    bool is_settled(Stamp const& earlier, Doer const& by);
    static bool is_ordered_by_barriers(Stamp const& earlier, Record const& other, Doer const& by);
    bool is_ordered(Stamp const& earlier, Record const& other, Doer const& by);
    bool is_one_ordered(Stamp const& earlier, Record const& other, Doer const& by);
    bool may_be_ordered(Stamp const& earlier, Record const& other, Doer const& by);
    bool is_behind_read(Stamp const& earlier, Record const& other, Doer const& by) const;
    bool is_seen(Stamp const& earlier, Record const& other, Doer const& by) const;
    bool is_before_all(std::uint32_t id, Record const& other, Doer const& by);
    bool is_morally_strong(Stamp const& earlier, Record const& other, Doer const& by) const;
    bool is_in_step(Stamp const& earlier, Record const& other, Doer const& by);
    // race_host.cpp
    bool is_open(runtime::WorkOrder const& work, runtime::WorkClock const& host) const;
    std::vector<bool> open_launches(runtime::WorkClock const& host) const;
    void report_host(Stamp const& earlier, std::uint64_t address, runtime::HostTouch const& touch);
    void report_host(PastRange const& range, runtime::HostTouch const& touch);
    Finding describe_host(Sort other, std::uint64_t address, runtime::HostTouch const& touch,
                          runtime::WorkOrder const& order) const;
    // race_works.cpp
    void forget_fresh();
    void free_in_stream(std::uint64_t begin);
    void forget_works();
    void add_launch();
    std::string launch_text(PastLaunch const& launch) const;
    void grid_control(sim::FenceEvent const& e);
    void check_across(Stamp const& earlier, Doer const& by);
    bool is_launch_over(PastLaunch const& launch) const;
    std::string why_at_once(PastLaunch const& launch, Stamp const& earlier, Record const& other,
                            Doer const& by) const;
    Finding describe_side(Sort other, Doer const& by, char const* where) const;
    // race_ranges.cpp
    void check_ranges(Doer const& by);
    void add_range(PastRange const& range);
    bool are_ordered(PastRange const& earlier, PastRange const& later) const;
    std::string why_at_once(PastRange const& range, Stamp const& earlier) const;
    bool check_range(PastRange const& range, std::uint64_t address, std::uint32_t bytes, Stamp const& earlier);
    void report_range(PastRange const& range, std::uint64_t address, Stamp const& earlier, std::string const& why);
    void report_ranges(PastRange const& range, PastRange const& other);
    PastLaunch const* asker_of(PastRange const& range) const;
    std::string range_text(PastRange const& range) const;
    Act act_of_range(PastRange const& range, char const* verb) const;
    // race_report.cpp
    bool is_same_value(Stamp const& earlier, Record const& other, Doer const& by) const;
    void report(Stamp const& earlier, Record const& other, Doer const& by);
    void report_step(Stamp const& earlier, Record const& other, Doer const& by);
    Finding describe(Stamp const& earlier, Record const& other, Doer const& by);
    std::string missing(Stamp const& earlier, Record const& other, Doer const& by);
    std::string missing_wait(Stamp const& earlier, Record const& other, Doer const& by);

    Findings& findings_;
    sim::LaunchContext const* launch_ = nullptr;
    HappensBefore order_;
    Records records_;
    std::uint32_t launch_first_ = 0;  // record of the present launch
    std::uint32_t const collect_at_;  // as many records are looked through for those that are needed
    std::uint32_t next_collection_;
    static constexpr std::size_t most_launches_ = 4096;
    std::size_t next_launches_ = most_launches_;  // ... or as many launches
    runtime::WorkOrder work_;                     // that goes on
    std::atomic<std::thread::id> worker_{};       // in this host thread
    std::vector<PastLaunch> launches_;            // that later work may not follow, and the present one
    std::atomic<bool> expects_host_{false};
    Families families_;
    std::vector<PastRange> ranges_;
    std::vector<PastRange> beside_;         // those that the present launch does not follow
    std::shared_ptr<Family const> moving_;  // the copy or fill that goes on, if a kernel has asked for it
    /// CTAs with threads that have waited for the kernel in front, and that have let the one behind begin before they knew of that.
    std::unordered_set<std::uint64_t> waited_, hasty_;
    std::mutex fresh_mutex_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> fresh_;  // memory that was allocated: begin, end
    std::map<std::uint64_t, std::uint64_t> allocated_;            // ends by begins; of memory of the host's calls
    /// Records that may be used again, by warp and instruction.
    struct Recent {
        void const* op = nullptr;
        std::uint64_t cta = 0;
        std::uint32_t warp = 0;
        char const* space = nullptr;
        Time changed = 0;
        std::uint32_t id = 0;
        std::uint32_t manner = 0;  // its number
    };
    std::array<Recent, 1024> recent_{};
    struct Verdict {
        std::uint32_t id = Records::gone;
        bool is_before_all = false;
    };
    Settled settled_reads_, settled_writes_;
    std::array<Verdict, 4> verdicts_{};  // of the present event
    /// Plain reads that race with atomics alone. Those whose value a compare-and-swap then verifies do no harm, and are how
    /// programs begin a loop of these; so it is known only in the end whether they are findings.
    struct Unverified {
        Instruction read;
        Finding finding;
        std::uint64_t count = 0;
    };
    std::map<Alike, Unverified> unverified_;
    std::vector<Instruction> verified_;
    std::unordered_map<sim::Op const*, bool> computed_;  // stores whose value depends on memory
    /// By the numbers of the manners of a load and a store: whether these work only if lanes run in step.
    std::unordered_map<std::uint64_t, bool> in_step_;
    /// Loads of tensor memory, and what uses their registers too early.
    std::unordered_map<sim::Op const*, std::optional<Instruction>> looked_at_;
    std::unordered_map<std::uint64_t, Groups> groups_;  // by CTA, warp and kind
    ShadowMemory global_;
    std::unordered_map<std::uint64_t, std::unique_ptr<SharedShadow>> shared_;  // by CTA
    std::vector<std::unique_ptr<SharedShadow>> spare_;                         // of those that have ended
    std::pair<std::uint64_t, SharedShadow*> last_shared_{0, nullptr};          // a CTA's that was looked for
    std::unordered_map<std::uint64_t, std::vector<Cell>> tensor_cells_;        // ... of tensor memory
};

}  // namespace warpsim::check
