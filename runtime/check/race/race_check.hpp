// Data races: two accesses to the same memory, at least one of which writes, that are neither ordered by synchronisation nor
// both strong with scopes that include each other ("Data-races" in the PTX ISA's memory consistency model).
#pragma once

#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/findings.hpp"
#include "runtime/check/race/happens_before.hpp"
#include "runtime/check/race/shadow.hpp"
#include "sim/events.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

/// Watches one launch after another; those of one device are ordered.
class RaceCheck final : public sim::EventSink {
public:
    explicit RaceCheck(Findings& findings) : findings_(findings) {}

    sim::EventMask wants() const override {
        using enum sim::EventKind;
        return sim::event_mask(launch, cta, access, barrier, mbarrier, collective, copy, fence);
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
    void copy_issues(sim::CopyIssue const& e) override;
    void fence(sim::FenceEvent const& e) override;

private:
    enum class Sort : std::uint8_t { read, write, atomic };
    /// An instruction that a warp has executed, possibly several times without synchronising in between.
    struct Record {
        std::uint64_t cta = 0;
        Time time = 0;
        Instruction instruction;
        std::uint32_t warp = 0;
        Sort sort = Sort::read;
        bool is_strong = false;
        isa::Scope scope = isa::Scope::none;
        std::uint8_t bytes_log2 = 0;
    };
    /// The access of the present event.
    struct Doer {
        HappensBefore::Cta& cta;
        std::uint64_t id;  // of its record
        Record record;
        char const* space;
        std::uint32_t lane = 0;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
        std::uint32_t value_hash = 0;
        sim::AccessEvent const* event = nullptr;
        /// The threads of the warp know of others by barriers alone.
        bool knows_barriers_only = false;

        Thread thread() const { return {record.cta, 32 * record.warp + lane}; }
    };
    Doer doer(sim::Site const& site, Sort sort, isa::Order order, isa::Scope scope, std::uint32_t bytes);
    Record const& record(Stamp stamp) const { return records_[stamp.record() - first_]; }
    void read(Cell& cell, Doer const& by);
    void write(Cell& cell, Doer const& by);
    void verify(Stamp earlier, Doer const& by);
    void check(Stamp earlier, Doer const& by);
    static bool is_ordered_by_barriers(Stamp earlier, Record const& other, Doer const& by);
    bool is_ordered(Stamp earlier, Record const& other, Doer const& by);
    bool is_before_all(std::uint64_t id, Record const& other, Doer const& by);
    bool is_morally_strong(Stamp earlier, Record const& other, Doer const& by) const;
    static bool is_same_value(Stamp earlier, Record const& other, Doer const& by);
    void report(Stamp earlier, Record const& other, Doer const& by);
    Finding describe(Stamp earlier, Record const& other, Doer const& by) const;
    std::string missing(Stamp earlier, Record const& other, Doer const& by) const;
    void synchronize(sim::AccessEvent const& e, HappensBefore::Cta& cta, std::uint32_t warp);
    bool is_before_barrier(Stamp earlier, Doer const& by) const;
    void read_lanes(sim::AccessEvent const& e, Doer& by);
    void write_lanes(sim::AccessEvent const& e, Doer& by);
    std::span<Cell> cells(sim::AccessEvent const& e, ShadowBlock* own, std::uint64_t address);
    std::span<Cell> cells(sim::Cta const* cta, std::uint64_t address, std::uint32_t bytes);
    void touch(sim::MemoryPlace const& place, std::uint64_t bytes, Doer& by);
    std::uint64_t number_of(std::array<std::uint32_t, 3> const& cta) const;

    Findings& findings_;
    sim::LaunchContext const* launch_ = nullptr;
    HappensBefore order_;
    std::vector<Record> records_;
    std::uint64_t first_ = 0;  // record of the launch
    /// Records that may be used again, by warp and instruction.
    struct Recent {
        void const* op = nullptr;
        std::uint64_t cta = 0;
        std::uint32_t warp = 0;
        char const* space = nullptr;
        Time changed = 0;
        std::uint64_t id = 0;
    };
    std::array<Recent, 1024> recent_{};
    struct Verdict {
        std::uint64_t id = ~std::uint64_t{0};
        bool is_before_all = false;
    };
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
    ShadowMemory global_;
    std::unordered_map<std::uint64_t, ShadowBlock> shared_;  // by CTA
};

}  // namespace warpsim::check
