// Bulk copies between global and shared memory: line by line, and one copy of an SM after the other. A copy of a box of
// a tensor first needs its tensor map, which the engine keeps for the next ones.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"
#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace warpsim::timing {

using engine::Cycle;

/// Global addresses.
struct ByteRange {
    std::uint64_t begin = 0, end = 0;
};

class BulkEngine {
public:
    static constexpr std::uint64_t no_map = UINT64_MAX;

    struct Job {
        Cycle enters = 0;
        std::vector<ByteRange> ranges;  // to be copied one after the other; not empty
        std::uint64_t map = no_map;     // the line of the tensor map
        bool is_write = false;
        GridNumber grid = 0;
        std::uint32_t load = UINT32_MAX;   // of the data path: all replies have arrived
        std::uint32_t reads = UINT32_MAX;  // of a write: shared memory has been read
        std::size_t next = 0;              // range
    };

    explicit BulkEngine(sim::CopyEngineConfig const& config) : config_(config) {}

    void push(Cycle now, Job job) {
        job.enters = std::max(now + config_.latency_cycles, next_copy_);
        next_copy_ = job.enters + config_.copy_interval_cycles;
        jobs_.push_back(std::move(job));
    }
    Cycle next_event() const {
        bool const waits = jobs_.empty() || is_blocked_ || awaits_map_;
        return waits ? engine::never : std::max(jobs_.front().enters, free_);
    }
    Job const& front() const { return jobs_.front(); }
    /// The first job needs a tensor map that is not here: it has to be fetched, and map_came() to be called.
    bool wants_map() const {
        std::uint64_t const map = jobs_.front().map;
        return map != no_map && std::find(maps_.begin(), maps_.end(), map) == maps_.end();
    }
    void fetch_map() { awaits_map_ = true; }
    void map_came(Cycle now) {
        awaits_map_ = false;
        free_ = std::max(free_, now);
        if (maps_.size() >= std::max(config_.map_entries, 1u)) maps_.erase(maps_.begin());
        maps_.push_back(jobs_.front().map);
    }
    void forget_maps() { maps_.clear(); }
    /// The next line of the first job.
    LineAccess line() const {
        Job const& job = jobs_.front();
        auto const [at, limit] = job.ranges[job.next];
        std::uint64_t const number = at / line_bytes, end = std::min(limit, (number + 1) * line_bytes);
        LineAccess access{number, 0, 0};
        for (std::uint64_t s = at / sector_bytes; s * sector_bytes < end; ++s) {
            auto const bit = static_cast<std::uint8_t>(1u << s % (line_bytes / sector_bytes));
            access.sectors |= bit;
            if (s * sector_bytes >= at && (s + 1) * sector_bytes <= end) access.covered |= bit;
        }
        return access;
    }
    /// The line was sent; true when it was the last of its copy.
    bool sent(Cycle now) {
        Job& job = jobs_.front();
        ByteRange& range = job.ranges[job.next];
        std::uint64_t const end = std::min(range.end, (range.begin / line_bytes + 1) * line_bytes);
        free_ = now + cycles(end - range.begin);
        range.begin = end;
        if (range.begin >= range.end) ++job.next;
        return job.next == job.ranges.size();
    }
    void pop() {
        // The map that was used last stays longest.
        auto const used = std::find(maps_.begin(), maps_.end(), jobs_.front().map);
        if (used != maps_.end()) std::rotate(used, used + 1, maps_.end());
        jobs_.pop_front();
    }
    /// No more writes until one has been acknowledged.
    void block() { is_blocked_ = true; }
    void unblock(Cycle now) {
        if (!is_blocked_) return;
        is_blocked_ = false;
        free_ = std::max(free_, now);
    }
    /// For a copy inside the cluster: when its last bytes leave.
    Cycle pass(Cycle now, std::uint64_t bytes) {
        passing_ = std::max(passing_, now + config_.latency_cycles) + cycles(bytes);
        return passing_;
    }
    template <class Archive> void state(Archive& archive) {
        archive(jobs_, maps_, free_, passing_, next_copy_, is_blocked_, awaits_map_);
    }

private:
    Cycle cycles(std::uint64_t bytes) const {
        std::uint64_t const rate = std::max(config_.bytes_per_cycle, 1u);
        return std::max<Cycle>((bytes + rate - 1) / rate, 1);
    }

    sim::CopyEngineConfig config_;
    std::deque<Job> jobs_;
    std::vector<std::uint64_t> maps_;  // the one that was used last is the last
    Cycle free_ = 0, passing_ = 0, next_copy_ = 0;
    bool is_blocked_ = false, awaits_map_ = false;
};

}  // namespace warpsim::timing
