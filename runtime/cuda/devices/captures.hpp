// The captures of a process that are in progress: work put into captured streams becomes a graph instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace warpsim::cuda {

struct Stream;

/// Which calls are refused during a capture, because they might wait for work that never runs. The numbers are
/// those of CUstreamCaptureMode.
enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };

struct Capture {
    std::uint64_t id = 0;
    CaptureMode mode = CaptureMode::global;
    std::thread::id thread;
    Stream const* origin = nullptr;
    std::atomic<bool> is_valid{true};
    std::atomic<bool> is_over{false};
};

class Captures {
public:
    /// Keeps calls fast while there are none.
    bool is_any() const { return count_ != 0; }
    /// Gives the capture its number.
    void begin(std::shared_ptr<Capture> const& capture);
    void end(Capture& capture);
    /// Invalidates all captures that meet the condition; returns whether there were any.
    template <class Condition> bool invalidate_if(Condition&& condition) {
        return for_each_with(condition, [](Capture& capture) { capture.is_valid = false; });
    }
    /// Whether there is one with the condition.
    template <class Condition> bool is_any_with(Condition&& condition) {
        return for_each_with(condition, [](Capture&) {});
    }

private:
    template <class Condition, class Each> bool for_each_with(Condition const& condition, Each&& each) {
        if (!is_any()) return false;
        std::lock_guard const lock(mutex_);
        bool is_one = false;
        for (std::weak_ptr<Capture> const& weak : list_) {
            std::shared_ptr<Capture> const capture = weak.lock();
            if (!capture || capture->is_over || !condition(*capture)) continue;
            each(*capture);
            is_one = true;
        }
        return is_one;
    }

    std::mutex mutex_;
    std::vector<std::weak_ptr<Capture>> list_;
    std::atomic<std::size_t> count_{0};
    std::uint64_t last_id_ = 0;
};

}  // namespace warpsim::cuda
