// Bulk copies between global and shared memory: line by line, and one copy of an SM after the other.
#pragma once

#include "sim/config/config.hpp"
#include "sim/engine/clock.hpp"
#include "sim/timing/memory/coalescer.hpp"
#include "sim/timing/memory/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>

namespace warpsim::timing {

using engine::Cycle;

class BulkEngine {
public:
    struct Job {
        Cycle enters = 0;
        std::uint64_t at = 0, end = 0;  // global addresses still to be copied
        bool is_write = false;
        GridNumber grid = 0;
        std::uint32_t load = UINT32_MAX;   // of the data path: all replies have arrived
        std::uint32_t reads = UINT32_MAX;  // of a write: shared memory has been read
    };

    explicit BulkEngine(sim::CopyEngineConfig const& config) : config_(config) {}

    void push(Cycle now, Job job) {
        job.enters = now + config_.latency_cycles;
        jobs_.push_back(job);
    }
    Cycle next_event() const {
        return jobs_.empty() || is_blocked_ ? engine::never : std::max(jobs_.front().enters, free_);
    }
    Job const& front() const { return jobs_.front(); }
    /// The next line of the first job.
    LineAccess line() const {
        Job const& job = jobs_.front();
        std::uint64_t const number = job.at / line_bytes, end = std::min(job.end, (number + 1) * line_bytes);
        LineAccess access{number, 0, 0};
        for (std::uint64_t s = job.at / sector_bytes; s * sector_bytes < end; ++s) {
            auto const bit = static_cast<std::uint8_t>(1u << s % (line_bytes / sector_bytes));
            access.sectors |= bit;
            if (s * sector_bytes >= job.at && (s + 1) * sector_bytes <= end) access.covered |= bit;
        }
        return access;
    }
    /// The line was sent; true when it was the last of its copy.
    bool sent(Cycle now) {
        Job& job = jobs_.front();
        std::uint64_t const end = std::min(job.end, (job.at / line_bytes + 1) * line_bytes);
        free_ = now + cycles(end - job.at);
        job.at = end;
        return job.at >= job.end;
    }
    void pop() { jobs_.pop_front(); }
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

private:
    Cycle cycles(std::uint64_t bytes) const {
        std::uint64_t const rate = std::max(config_.bytes_per_cycle, 1u);
        return std::max<Cycle>((bytes + rate - 1) / rate, 1);
    }

    sim::CopyEngineConfig config_;
    std::deque<Job> jobs_;
    Cycle free_ = 0, passing_ = 0;
    bool is_blocked_ = false;
};

}  // namespace warpsim::timing
