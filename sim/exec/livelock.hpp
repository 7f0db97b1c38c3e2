// What the engines have in common in detecting livelocks. Each compares states at its own pace: one cluster from turn to
// turn, or all warps of the GPU at once from look to look. The states themselves are hashed by Divergence.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace warpsim::sim {

/// Lanes and warps whose wait is advisory are released before a livelock is reported, because others may be waiting for
/// what they do next. After so many times they have returned to where they wait.
inline constexpr std::uint32_t most_releases = 16;

/// How long everything that is left of a grid repeats itself: the host may still end that by writing to memory. For any
/// thread.
class HostWait {
public:
    explicit HostWait(double most_seconds) : most_(most_seconds) {}
    /// Something has changed.
    void end() { since_.store(0, std::memory_order_relaxed); }
    /// Everything still repeats itself; true when that has lasted for too long.
    bool is_over() {
        if (most_ <= 0) return true;
        auto const time = std::chrono::steady_clock::now().time_since_epoch();
        double const now = std::chrono::duration<double>(time).count();
        double since = 0;
        if (since_.compare_exchange_strong(since, now)) since = now;
        return now - since > most_;
    }

private:
    double const most_;
    std::atomic<double> since_{0};
};

}  // namespace warpsim::sim
