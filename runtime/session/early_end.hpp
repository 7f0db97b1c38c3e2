// The end of a run before its own: it takes longer than the user allows, or the user interrupts it.
#pragma once

#include "sim/stop_request.hpp"

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace warpsim::runtime {

/// What a process ends with that was stopped, as timeout(1) does it.
inline constexpr int timed_out_status = 124;

/// Ends the process as the first Ctrl-C, or SIGTERM, would have done it.
[[noreturn]] void end_by_interrupt();

/// When the time is over or such a signal comes, it asks all launches to stop, and gives the process a moment to end. Then it ends
/// the process itself. A second signal, if it is no echo of the first, ends it at once. A process has one of them at a time.
class EarlyEnd {
public:
    struct Options {
        std::uint64_t seconds = 0;  // 0: no limit
        std::uint64_t deadline_ns =
            0;                      // of the steady clock, which all processes of a machine share; 0: from now on
        bool at_interrupt = false;  // listen to SIGINT, unless the process does something else with it
        bool at_termination = false;       // ... to SIGTERM
        std::chrono::seconds patience{2};  // how long launches that were asked to stop may take for it
    };
    /// Both are called from a thread of its own, and the last before the process ends. `may_end`: nobody else will end it.
    EarlyEnd(Options const& options, std::function<bool()> may_end, std::function<void()> last_words);
    ~EarlyEnd();
    EarlyEnd(EarlyEnd const&) = delete;
    EarlyEnd& operator=(EarlyEnd const&) = delete;

    std::shared_ptr<sim::StopRequest const> stop() const { return stop_; }

private:
    using Clock = std::chrono::steady_clock;
    void listen(int signal);
    void watch();
    /// Whether the process has come to its end, or has been interrupted if it was not before. Waits for ever without a time.
    bool wait(std::optional<Clock::time_point> until);

    std::shared_ptr<sim::StopRequest> const stop_ = std::make_shared<sim::StopRequest>();
    Options const options_;
    std::optional<Clock::time_point> deadline_;
    std::function<bool()> const may_end_;
    std::function<void()> const last_words_;
    sem_t news_{};  // posted by the end and by signals: a handler may do nothing else
    std::atomic<bool> has_ended_{false};
    struct Heard {
        int signal;
        struct sigaction before;
    };
    std::vector<Heard> heard_;  // signals that are listened to
    std::thread thread_;
};

}  // namespace warpsim::runtime
