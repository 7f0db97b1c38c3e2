// What the host has waited for: work of the streams of all devices, as what one device has followed may be another's.
#pragma once

#include "runtime/work_order.hpp"

#include <mutex>

namespace warpsim::cuda {

class HostKnowledge {
public:
    /// That of this process.
    static HostKnowledge& own() {
        static HostKnowledge knowledge;
        return knowledge;
    }
    void add(runtime::WorkClock const& what) {
        std::lock_guard const lock(mutex_);
        clock_.add(what);
    }
    runtime::WorkClock clock() const {
        std::lock_guard const lock(mutex_);
        return clock_;
    }

private:
    HostKnowledge() = default;

    mutable std::mutex mutex_;
    runtime::WorkClock clock_;
};

}  // namespace warpsim::cuda
