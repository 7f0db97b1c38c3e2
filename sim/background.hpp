// A host thread for work that nobody waits for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <sys/types.h>

namespace warpsim::sim {

/// Does one piece of work after the other, at a lower priority than the program's threads. The program may end at any time:
/// its exit waits until the thread has come to the next checkpoint, where it stays for ever, so that nothing runs while
/// destructors do. A process forked from one that has had such a thread does no such work.
class Background {
public:
    using Checkpoint = std::function<void()>;
    using Work = std::function<void(Checkpoint const&)>;

    static Background& of_process();

    /// False when no thread can be had. What the work throws is lost.
    bool add(Work work);
    /// Until everything that was added has been done.
    void wait();

private:
    Background() = default;
    bool is_elsewhere() const;
    bool start_thread();
    void run();
    void check();
    static void stop();

    std::atomic<pid_t> process_{0};  // that first had a thread
    std::mutex mutex_;               // guards the members below; not to be locked in another process
    std::condition_variable changed_;
    std::deque<Work> todo_;
    bool is_running_ = false, is_ending_ = false, is_parked_ = false;
};

}  // namespace warpsim::sim
