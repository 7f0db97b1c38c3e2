#include "runtime/session/time_limit.hpp"

#include <unistd.h>

#include <utility>

namespace warpsim::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// How long launches that were asked to stop may take for it.
constexpr std::chrono::seconds patience{2};

Clock::time_point deadline_of(TimeLimit::Options const& options) {
    if (options.deadline_ns != 0) return Clock::time_point(std::chrono::nanoseconds(options.deadline_ns));
    return Clock::now() + std::chrono::seconds(options.seconds);
}

}  // namespace

TimeLimit::TimeLimit(Options const& options, std::function<bool()> may_end, std::function<void()> last_words)
    : deadline_(deadline_of(options)), may_end_(std::move(may_end)), last_words_(std::move(last_words)) {
    stop_->why = "after " + std::to_string(options.seconds) + " s (--timeout)";
    thread_ = std::thread([this] { watch(); });
}

TimeLimit::~TimeLimit() {
    {
        std::lock_guard const lock(mutex_);
        has_ended_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

bool TimeLimit::wait(Clock::time_point until) {
    std::unique_lock lock(mutex_);
    return ended_.wait_until(lock, until, [this] { return has_ended_; });
}

void TimeLimit::watch() {
    if (wait(deadline_)) return;
    stop_->is_made.store(true, std::memory_order_release);
    for (Clock::time_point const end = Clock::now() + patience; Clock::now() < end && !may_end_();)
        if (wait(Clock::now() + std::chrono::milliseconds(10))) return;
    last_words_();
    _exit(timed_out_status);
}

}  // namespace warpsim::runtime
