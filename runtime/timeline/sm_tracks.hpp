// One SM over time: its CTAs, their warps, and what each warp did in every cycle.
#pragma once

#include "runtime/timeline/trace_file.hpp"
#include "sim/events.hpp"
#include "sim/timing_statistics.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace warpsim::timeline {

/// What is kept of an SM. All grids on it add to the same; an SM is simulated by one host thread at a time.
class SmTracks {
public:
    /// `most`: events that are kept; with `warps` not only CTAs, but also what their warps do.
    SmTracks(std::uint32_t sm, std::uint64_t most, bool has_warps) : sm_(sm), most_(most), has_warps_(has_warps) {}

    std::uint32_t sm() const { return sm_; }
    bool has_warps() const { return has_warps_; }

    /// An instruction as it is shown; the same number for the same text.
    std::uint32_t place(std::string const& text, std::string const& where);

    // Times are cycles of the timeline.
    void start(sim::Cta const& cta, std::uint64_t launch, std::uint64_t at);
    void issue(sim::Cta const& cta, std::uint32_t warp, std::uint32_t place, std::uint64_t at);
    void stall(sim::Cta const& cta, std::uint32_t warp, std::uint32_t place, sim::StallReason reason,
               std::uint64_t from, std::uint64_t until);
    enum class Mark : std::uint8_t { divergence, reconvergence, barrier, release };
    /// `a` and `b`: lanes, or the barrier's number.
    void mark(sim::Cta const& cta, std::uint32_t warp, std::uint32_t place, Mark mark, std::uint32_t a,
              std::uint32_t b, std::uint64_t at);
    void leave(sim::Cta const& cta, std::uint32_t warp, std::uint64_t from, std::uint64_t until);
    /// A launch has ended in this cycle, by a fault: its CTAs are gone.
    void drop(std::uint64_t launch, std::uint64_t at);

    bool is_empty() const { return records_.empty(); }
    bool was_cut() const { return is_full_; }
    std::uint64_t size() const { return records_.size(); }
    void write(TraceFile& file, std::uint32_t group);

private:
    enum class Kind : std::uint8_t { cta, warp, stall, issue, mark, cut };
    struct Record {
        std::uint64_t at = 0;
        std::uint64_t length = 0;
        std::uint32_t place = 0;
        std::uint32_t a = 0, b = 0;  // of a CTA or warp: which of `names_`
        std::uint16_t track = 0;
        Kind kind = Kind::cta;
        std::uint8_t what = 0;  // reason or mark
    };
    struct Resident {
        std::uint64_t launch = 0;
        std::uint64_t start = 0;
        std::uint32_t slot = 0, name = 0;
        std::uint32_t live = 0;  // warps
        std::uint64_t gone = 0;  // a bit for each warp that has left
    };
    struct Place {
        std::string name, text, where;
    };

    static constexpr std::uint32_t tracks_of_slot = 64;
    static std::uint16_t track(std::uint32_t slot, std::uint32_t warp) {
        return static_cast<std::uint16_t>(1 + slot * tracks_of_slot + 1 + warp);
    }
    static std::uint16_t track(std::uint32_t slot) {
        return static_cast<std::uint16_t>(1 + slot * tracks_of_slot);
    }
    Resident* find(sim::Cta const& cta);
    void add(Record const& record);
    void check(std::uint64_t at);
    void cut(std::uint64_t at);
    void close(Resident const& resident, std::uint64_t at);
    void write(TraceFile& file, std::uint32_t group, Record const& record) const;

    std::uint32_t const sm_;
    std::uint64_t const most_;
    bool const has_warps_;
    bool is_full_ = false;
    std::vector<Record> records_;
    std::unordered_map<sim::Cta const*, Resident> residents_;
    std::vector<bool> slots_;  // that are taken
    std::vector<std::string> names_;
    std::vector<Place> places_;
    std::map<std::string, std::uint32_t> known_places_;
};

}  // namespace warpsim::timeline
