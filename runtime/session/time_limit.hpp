// The end of a run that takes longer than the user allows.
#pragma once

#include "sim/stop_request.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace warpsim::runtime {

/// What a process ends with that was stopped, as timeout(1) does it.
inline constexpr int timed_out_status = 124;

/// When the time is over, it asks all launches to stop, and gives the process a moment to end. Then it ends the process itself.
class TimeLimit {
public:
    struct Options {
        std::uint64_t seconds = 0;  // 0: no limit
        std::uint64_t deadline_ns =
            0;  // of the steady clock, which all processes of a machine share; 0: from now on
    };
    /// Both are called from a thread of its own, and the last before the process ends. `may_end`: nobody else will end it.
    TimeLimit(Options const& options, std::function<bool()> may_end, std::function<void()> last_words);
    ~TimeLimit();
    TimeLimit(TimeLimit const&) = delete;
    TimeLimit& operator=(TimeLimit const&) = delete;

    std::shared_ptr<sim::StopRequest const> stop() const { return stop_; }

private:
    void watch();
    /// Whether the process has come to its end meanwhile.
    bool wait(std::chrono::steady_clock::time_point until);

    std::shared_ptr<sim::StopRequest> const stop_ = std::make_shared<sim::StopRequest>();
    std::chrono::steady_clock::time_point const deadline_;
    std::function<bool()> const may_end_;
    std::function<void()> const last_words_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
    std::thread thread_;
};

}  // namespace warpsim::runtime
