// What the host does while a kernel runs is heard from another thread: it waits here for the thread of the kernel.
#pragma once

#include "runtime/check/init/init_peers.hpp"
#include "runtime/check/init/memory_shadow.hpp"
#include "runtime/check/init/origin.hpp"
#include "sim/events.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpsim::check {

struct Allocated {
    std::uint64_t address, bytes;
    std::string made_by;
};
struct Freed {
    std::uint64_t address;
};
/// Bytes came from another device, some of which are undefined.
struct Arrived {
    std::uint64_t address;
    std::vector<ShadowByte> bytes;
    Origin origin;               // of the first that is
    std::uint8_t element_sizes;  // GlobalShadow::Region
};
using HostEvent = std::variant<sim::HostAccessEvent, Allocated, Freed, Arrived>;

class HostEvents {
public:
    explicit HostEvents(InitPeers& peers) : mutex_(peers.mutex) {}

    /// Hands the event to `take` at once if no kernel runs, else to whoever asks next.
    template <class Take> void add(HostEvent event, Take const& take) {
        std::lock_guard const lock(mutex_);
        if (running_ == 0) return take(event);
        waiting_.push_back(std::move(event));
        has_some_.store(true, std::memory_order_relaxed);
    }
    bool has_some() const { return has_some_.load(std::memory_order_relaxed); }
    template <class Take> void give(Take const& take) {
        std::lock_guard const lock(mutex_);
        give_all(take);
    }
    void begin_launch() {
        std::lock_guard const lock(mutex_);
        ++running_;
    }
    template <class Take> void end_launch(Take const& take) {
        std::lock_guard const lock(mutex_);
        give_all(take);
        if (running_ != 0) --running_;
    }

private:
    template <class Take> void give_all(Take const& take) {
        for (HostEvent const& event : waiting_) take(event);
        waiting_.clear();
        has_some_.store(false, std::memory_order_relaxed);
    }

    std::recursive_mutex& mutex_;
    std::vector<HostEvent> waiting_;
    std::atomic<bool> has_some_{false};
    int running_ = 0;
};

}  // namespace warpsim::check
