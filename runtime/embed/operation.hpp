// What goes on on an embedded device: one thing at a time.
#pragma once

#include "runtime/embed/device.hpp"

#include <atomic>
#include <mutex>

namespace warpsim::embed {

/// What another thread wanted to end was the one before.
class Device::Operation {
public:
    explicit Operation(Device& device) : device_(device), lock_(device.launching_) {
        device_.stop_->is_made.store(false, std::memory_order_relaxed);
        device_.heard_ = {};
    }
    ~Operation() { device_.settle_idle(); }
    Operation(Operation const&) = delete;
    Operation& operator=(Operation const&) = delete;

private:
    Device& device_;
    std::lock_guard<std::mutex> const lock_;
};

}  // namespace warpsim::embed
